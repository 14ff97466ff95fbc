// Objects: each part's surface, and all light but the key's, per vertex.
in vec3 position;
in vec3 normal;
in float part;
uniform mat4 world_T_object;
uniform mat4 clip_T_world;
uniform float height;            // of the object
uniform vec4 surfaces[2 * PARTS]; // per part: base colour, metallic; then roughness, clearcoat, stuff or mirror, clear
uniform vec3 irradiance[9];
out vec3 p_world;
out vec3 n_world;
out vec4 ambient; // irradiance; share of light that reaches this height from below
flat out vec4 base;
flat out vec2 gloss;
#ifndef INDOORS
flat out vec2 streets; // mirror, clear
#endif
#ifdef INDOORS
uniform mat3 world_N_object; // of objects that are stretched
uniform vec3 metres;         // of the object for one unit of its mesh
out vec3 p_object;           // metres, in the object's axes
flat out float stuff;        // texture of the part
#endif
invariant gl_Position;

void main() {
    vec4 p = world_T_object * vec4(position, 1.0);
#ifdef INDOORS
    vec3 n = normalize(world_N_object * normal);
    p_object = position * metres;
    stuff = surfaces[2 * int(part + 0.5) + 1].z;
#else
    vec3 n = normalize(mat3(world_T_object) * normal);
    streets = surfaces[2 * int(part + 0.5) + 1].zw;
#endif
    p_world = p.xyz;
    n_world = n;
    int k = int(part + 0.5);
    base = surfaces[2 * k];
    gloss = surfaces[2 * k + 1].xy;
    vec3 e = irradiance[0] * 0.282095 + 0.488603 * (irradiance[1] * n.y + irradiance[2] * n.z + irradiance[3] * n.x)
        + 1.092548 * (irradiance[4] * n.x * n.y + irradiance[5] * n.y * n.z + irradiance[7] * n.x * n.z)
        + irradiance[6] * 0.315392 * (3.0 * n.z * n.z - 1.0) + irradiance[8] * 0.546274 * (n.x * n.x - n.y * n.y);
    // The object's own shadow darkens the ground that it sees: most under it and close to the ground.
    float open = smoothstep(-0.1, 0.7, p.z / height);
    float below = 0.5 - 0.5 * n.z;
    ambient = vec4(max(e, 0.0) * mix(1.0, 0.3 + 0.7 * open, below), 0.25 + 0.75 * open);
    gl_Position = clip_T_world * p;
}
