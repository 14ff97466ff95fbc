// Objects of a crop: each part's colour and the light of the sky, per vertex.
in vec3 position;
in vec3 normal;
in float part;
uniform mat4 world_T_object;
uniform mat4 clip_T_world;
uniform vec4 surfaces[2 * PARTS]; // per part: base colour, metallic; then roughness, clearcoat, ...
uniform vec3 irradiance[9];
uniform vec3 eye;
out vec3 n_world;
out vec3 to_eye;
out vec3 sky; // irradiance
flat out vec3 paint;

void main() {
    vec4 p = world_T_object * vec4(position, 1.0);
    vec3 n = normalize(mat3(world_T_object) * normal);
    n_world = n;
    to_eye = eye - p.xyz;
    paint = surfaces[2 * int(part + 0.5)].rgb;
    vec3 e = irradiance[0] * 0.282095 + 0.488603 * (irradiance[1] * n.y + irradiance[2] * n.z + irradiance[3] * n.x)
        + 1.092548 * (irradiance[4] * n.x * n.y + irradiance[5] * n.y * n.z + irradiance[7] * n.x * n.z)
        + irradiance[6] * 0.315392 * (3.0 * n.z * n.z - 1.0) + irradiance[8] * 0.546274 * (n.x * n.x - n.y * n.y);
    sky = max(e, 0.0);
    gl_Position = clip_T_world * p;
}
