// The ground disc and the wall around it: polar corners (angle, share of the distance, share of the wall's height).
in vec3 polar;
uniform mat4 clip_T_world;
uniform float distance_;
uniform float wall_height;
uniform mat3 tile_T_ground;   // ground xy to texture coordinates
uniform vec4 light_map_T_ground; // scale, offset
out vec2 xy;
out vec2 tile_uv;
out vec2 light_uv;
out vec2 wall_uv;

void main() {
    xy = vec2(cos(polar.x), sin(polar.x)) * polar.y * distance_;
    tile_uv = (tile_T_ground * vec3(xy, 1.0)).xy;
    light_uv = xy * light_map_T_ground.xy + light_map_T_ground.zw;
    wall_uv = vec2(polar.x / 6.28318531, polar.z);
    gl_Position = clip_T_world * vec4(xy, polar.z * wall_height, 1.0);
}
