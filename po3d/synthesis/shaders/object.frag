in vec3 p_world;
in vec3 n_world;
in vec4 ambient;
flat in vec4 base;  // colour, metallic
flat in vec2 gloss; // roughness, clearcoat
uniform vec3 eye;
uniform vec3 key_direction;
uniform vec3 key_color;
uniform float key_spread; // widens the highlight: the light is a disc
uniform mat4 shadow_T_world;
uniform float shadow_blur; // in shadow map coordinates
uniform sampler2DShadow shadow_map;
uniform sampler2D reflections;
layout(location = 0) out vec4 color;

const float PI = 3.14159265;

float key_visible(vec3 p) {
    vec3 s = (shadow_T_world * vec4(p, 1.0)).xyz;
    float b = shadow_blur;
    return 0.25 * (texture(shadow_map, s + vec3(-0.4 * b, -b, 0)) + texture(shadow_map, s + vec3(b, -0.4 * b, 0))
        + texture(shadow_map, s + vec3(-b, 0.4 * b, 0)) + texture(shadow_map, s + vec3(0.4 * b, b, 0)));
}

vec3 reflected(vec3 r, float roughness) {
    vec2 uv = r.xy / (1.001 + r.z) * (0.5 / MAP_REACH) + 0.5;
    return textureLod(reflections, uv, roughness * 4.0).rgb;
}

float highlight(float n_h, float roughness) { // GGX distribution times a cheap visibility term
    float a = roughness * roughness + key_spread, a2 = a * a;
    float d = n_h * n_h * (a2 - 1.0) + 1.0;
    return a2 / (4.0 * PI * d * d * (roughness + 0.35));
}

void main() {
    vec3 v = normalize(eye - p_world);
    vec3 n = normalize(n_world);
    n = dot(n, v) < 0.0 ? -n : n; // thin parts are seen from both sides
    vec3 h = normalize(key_direction + v), r = reflect(-v, n);
    float n_l = max(dot(n, key_direction), 0.0), n_v = max(dot(n, v), 0.0), n_h = max(dot(n, h), 0.0);
    float metallic = base.a, roughness = gloss.x, coat = gloss.y;

    vec3 f0 = mix(vec3(0.04), base.rgb, metallic);
    vec3 diffuse = base.rgb * ((1.0 - metallic) / PI);
    float edge = 1.0 - n_v;
    edge *= edge * edge * edge * edge;
    float grazing = edge * (1.0 - roughness) * (1.0 - roughness);
    float below = r.z < 0.0 ? ambient.a : 1.0;
    vec3 rough = reflected(r, roughness) * (f0 * (1.0 - 0.25 * roughness) + grazing * (1.0 - f0));
    vec3 sharp = reflected(r, 0.05) * (coat * (0.04 + 0.96 * edge));

    vec3 key = key_color * (n_l * key_visible(p_world + n * 0.02));
    vec3 lit = diffuse * (ambient.rgb + key) + (rough + sharp) * below;
    lit += key * (f0 * highlight(n_h, roughness) + 0.04 * coat * highlight(n_h, 0.08));
    color = develop(lit);
}
