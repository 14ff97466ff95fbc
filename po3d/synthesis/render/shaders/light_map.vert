// A rectangle of the ground, or an object's ambient shadow on it.
uniform mat3 map_T_unit; // [-1, 1]^2 to clip coordinates
uniform vec4 ground_T_map; // scale, offset
out vec2 unit;
out vec2 xy;

void main() {
    unit = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 p = (map_T_unit * vec3(unit, 1.0)).xy;
    xy = p * ground_T_map.xy + ground_T_map.zw;
    gl_Position = vec4(p, 0.0, 1.0);
}
