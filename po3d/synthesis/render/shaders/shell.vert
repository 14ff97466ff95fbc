// The inner faces of a room: corners with their normal, texture coordinates in metres and linear colour.
in vec3 position;
in vec3 normal;
in vec2 metres;
in vec3 paint;
uniform mat4 clip_T_world;
uniform mat3 tile_T_ground;
uniform vec4 light_map_T_ground; // scale, offset
uniform vec3 irradiance[9];
out vec3 p_world;
out vec3 n_world;
out vec2 tile_uv;
out vec2 light_uv;
out vec3 ambient;
flat out vec3 albedo;

vec3 light(vec3 n) {
    return irradiance[0] * 0.282095 + 0.488603 * (irradiance[1] * n.y + irradiance[2] * n.z + irradiance[3] * n.x)
        + 1.092548 * (irradiance[4] * n.x * n.y + irradiance[5] * n.y * n.z + irradiance[7] * n.x * n.z)
        + irradiance[6] * 0.315392 * (3.0 * n.z * n.z - 1.0) + irradiance[8] * 0.546274 * (n.x * n.x - n.y * n.y);
}

void main() {
    p_world = position;
    n_world = normal;
    albedo = paint;
    tile_uv = (tile_T_ground * vec3(metres, 1.0)).xy;
    light_uv = position.xy * light_map_T_ground.xy + light_map_T_ground.zw;
    // Walls light a ceiling as much as the floor does: without them it would take the floor's colour.
    vec3 e = normal.z < -0.5 ? mix(light(normal), light(-normal), 0.6) : light(normal);
    ambient = max(e, 0.0) / 3.14159265;
    gl_Position = clip_T_world * vec4(position, 1.0);
}
