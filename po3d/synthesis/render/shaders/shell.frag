in vec3 p_world;
in vec3 n_world;
in vec2 tile_uv;
in vec2 light_uv;
in vec3 ambient;
flat in vec3 albedo;
#ifdef FLOOR
uniform sampler2D tile;
uniform sampler2D light_map; // ambient light left, key light left
uniform vec3 albedo2; // of the pattern
uniform float contrast;
uniform vec3 sky_light; // irradiance on open floor over pi
uniform vec3 key_light;
#else
uniform sampler2DShadow shadow_map;
uniform mat4 shadow_T_world;
uniform float shadow_blur;
uniform vec3 skirting;
uniform float skirting_height;
uniform vec3 key_direction;
uniform vec3 key_color;
#endif
layout(location = 0) out vec4 color;

#ifdef FLOOR
void main() {
    vec3 t = texture(tile, tile_uv).rgb;
    vec2 left = texture(light_map, light_uv).rg;
    vec3 a = mix(albedo, albedo2, t.g) * (1.0 + contrast * (2.0 * t.r - 1.0));
    color = develop(a * (sky_light * left.r + key_light * (left.g * (0.5 + 0.5 * left.r))));
}
#else
float key_visible(vec3 p) {
    vec3 s = (shadow_T_world * vec4(p, 1.0)).xyz;
    float b = shadow_blur;
    return 0.25 * (texture(shadow_map, s + vec3(-0.4 * b, -b, 0)) + texture(shadow_map, s + vec3(b, -0.4 * b, 0))
        + texture(shadow_map, s + vec3(-b, 0.4 * b, 0)) + texture(shadow_map, s + vec3(0.4 * b, b, 0)));
}

void main() {
    bool upright = abs(n_world.z) < 0.5;
    vec3 a = upright && p_world.z < skirting_height ? skirting : albedo;
    float corner = upright ? 0.75 + 0.25 * smoothstep(0.0, 0.5, p_world.z) : 1.0; // darker above the floor
    float key = max(dot(n_world, key_direction), 0.0) * key_visible(p_world + n_world * 0.03) / 3.14159265;
    color = develop(a * (ambient * corner + key_color * key));
}
#endif
