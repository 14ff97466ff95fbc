// Share of the key light that reaches the ground: percentage-closer soft shadows (Fernando 2005).
in vec2 xy;
uniform mat4 shadow_T_world;
uniform sampler2DShadow shadow_map;
uniform sampler2D shadow_depth;
uniform float penumbra; // shadow map coordinates per unit of shadow map depth
uniform float search;   // radius to look for what hides the light, in shadow map coordinates
uniform int taps;
layout(location = 0) out vec2 left;

vec2 disc(int i, int n) { // sunflower
    float a = float(i) * 2.39996323;
    return sqrt((float(i) + 0.5) / float(n)) * vec2(cos(a), sin(a));
}

void main() {
    vec3 s = (shadow_T_world * vec4(xy, 0.0, 1.0)).xyz;
    float depth = 0.0, hits = 0.0;
    for (int i = 0; i < 8; ++i) {
        float d = textureLod(shadow_depth, s.xy + search * disc(i, 8), 0.0).r;
        float hit = step(d, s.z - 0.001);
        depth += hit * d;
        hits += hit;
    }
    float radius = max(penumbra * (s.z - depth / max(hits, 1.0)), 0.0007);
    float visible = 0.0;
    for (int i = 0; i < taps; ++i)
        visible += texture(shadow_map, vec3(s.xy + radius * disc(i, taps), s.z - 0.001));
    left = vec2(1.0, hits > 0.0 ? visible / float(taps) : 1.0);
}
