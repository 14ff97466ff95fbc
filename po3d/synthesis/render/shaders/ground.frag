in vec2 xy;
in vec2 tile_uv;
in vec2 light_uv;
uniform sampler2D tile;
uniform sampler2D light_map; // ambient light left, key light left
uniform vec3 albedo;
uniform vec3 albedo2;
uniform float contrast;
uniform vec3 sky_light; // irradiance on open ground over pi
uniform vec3 key_light;
uniform vec4 pool;      // centre, 1 / squared radius, strength
uniform vec3 edge;      // what the ground fades into
uniform float edge_scale; // 1 / squared distance of the edge
layout(location = 0) out vec4 color;

void main() {
    vec3 t = texture(tile, tile_uv).rgb;
    vec2 left = texture(light_map, light_uv).rg;
    vec3 a = mix(albedo, albedo2, t.g) * (1.0 + contrast * (2.0 * t.r - 1.0));
    a = mix(a, vec3(0.55), t.b);
    vec2 d = xy - pool.xy;
    float spot = mix(1.0, 1.0 / (1.0 + dot(d, d) * pool.z), pool.w);
    vec3 lit = a * (sky_light * left.r + key_light * (left.g * (0.5 + 0.5 * left.r))) * spot;
    float far = min(dot(xy, xy) * edge_scale, 1.0);
    color = develop(mix(lit, edge, far * far));
}
