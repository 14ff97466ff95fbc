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

#ifndef INDOORS
flat in vec2 streets; // share of the second, sharp lobe; how far the part can be seen through
uniform vec4 pool;    // centre, 1 / squared radius, strength of the light that is near
uniform int layer;    // 0 all is drawn, 1 what can't be seen through, 2 the rest
#endif

const float PI = 3.14159265;

#ifdef INDOORS
in vec3 p_object;
flat in float stuff;

float lattice(vec3 i) { return fract(sin(dot(i, vec3(127.1, 311.7, 74.7))) * 43758.5453); }

float value_noise(vec3 p) { // in [-1, 1]
    vec3 i = floor(p), f = p - i;
    f *= f * (3.0 - 2.0 * f);
    vec4 low = vec4(lattice(i), lattice(i + vec3(1, 0, 0)), lattice(i + vec3(0, 1, 0)), lattice(i + vec3(1, 1, 0)));
    i.z += 1.0;
    vec4 high = vec4(lattice(i), lattice(i + vec3(1, 0, 0)), lattice(i + vec3(0, 1, 0)), lattice(i + vec3(1, 1, 0)));
    vec4 z = mix(low, high, f.z);
    return 2.0 * mix(mix(z.x, z.y, f.x), mix(z.z, z.w, f.x), f.y) - 1.0;
}

float texture_of_stuff() { // a factor on the paint; the order is that of placed.STUFFS
    if (stuff < 0.5) return 1.0;
    if (stuff < 1.5) return 1.0 + 0.17 * value_noise(p_object * vec3(38, 2.5, 38)) + 0.08 * value_noise(p_object * 4.0);
    if (stuff < 2.5) return 1.0 + 0.16 * value_noise(p_object * 85.0) + 0.05 * value_noise(p_object * 9.0);
    return 1.0 + 0.09 * value_noise(p_object * 26.0);
}
#endif

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
#ifndef INDOORS
    if (layer > 0 && (layer == 1) == (streets.y > 0.0)) discard;
#endif
    vec3 v = normalize(eye - p_world);
    vec3 n = normalize(n_world);
    n = dot(n, v) < 0.0 ? -n : n; // thin parts are seen from both sides
    vec3 h = normalize(key_direction + v), r = reflect(-v, n);
    float n_l = max(dot(n, key_direction), 0.0), n_v = max(dot(n, v), 0.0), n_h = max(dot(n, h), 0.0);
    float metallic = base.a, roughness = gloss.x, coat = gloss.y;
    vec3 paint = base.rgb;
#ifdef INDOORS
    paint *= texture_of_stuff();
#endif

    vec3 f0 = mix(vec3(0.04), paint, metallic);
    vec3 diffuse = paint * ((1.0 - metallic) / PI);
    float edge = 1.0 - n_v;
    edge *= edge * edge * edge * edge;
    float grazing = edge * (1.0 - roughness) * (1.0 - roughness);
    float below = r.z < 0.0 ? ambient.a : 1.0;
    vec3 rough = reflected(r, roughness) * (f0 * (1.0 - 0.25 * roughness) + grazing * (1.0 - f0));
    vec3 sharp = reflected(r, 0.05) * (coat * (0.04 + 0.96 * edge));
#ifndef INDOORS
    if (streets.x > 0.0) rough = mix(rough, reflected(r, 0.1) * f0, streets.x);
#endif

    vec3 key = key_color * (n_l * key_visible(p_world + n * 0.02));
    vec3 lit = diffuse * (ambient.rgb + key) + (rough + sharp) * below;
    lit += key * (f0 * highlight(n_h, roughness) + 0.04 * coat * highlight(n_h, 0.08));
#ifndef INDOORS
    vec2 from_pool = p_world.xy - pool.xy;
    lit *= mix(1.0, 1.0 / (1.0 + dot(from_pool, from_pool) * pool.z), pool.w);
#endif
    color = develop(lit);
#ifndef INDOORS
    if (layer == 2) color.a = 1.0 - streets.y * (1.0 - edge);
#endif
}
