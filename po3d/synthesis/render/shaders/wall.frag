in vec2 xy;
in vec2 wall_uv;
uniform sampler2D skyline; // cover, shade
uniform sampler2D clouds;
uniform vec3 edge; // of the ground
uniform vec3 silhouette;
uniform vec3 horizon;
uniform vec3 zenith;
uniform vec3 cloud;
uniform float cloud_cover;
uniform float rise;      // the wall's height over its distance
uniform float has_skyline;
uniform sampler2D hdri;
uniform float has_hdri;
layout(location = 0) out vec4 color;

void main() {
    // Samples at the rim lie outside the triangle: keep them off negative heights.
    float slope = max(wall_uv.y, 0.0) * rise, sine = slope * inversesqrt(1.0 + slope * slope);
    vec3 sky = mix(horizon, zenith, pow(sine, 0.6));
    float thickness = texture(clouds, vec2(wall_uv.x * 2.0, wall_uv.y)).r;
    sky = mix(sky, cloud, smoothstep(-0.12, 0.12, thickness - (1.0 - cloud_cover)) * step(0.001, cloud_cover));
    vec2 s = texture(skyline, wall_uv).rg;
    sky = mix(sky, silhouette * (2.0 * s.g), s.r * has_skyline);
    vec3 photo = texture(hdri, vec2(0.5 - wall_uv.x, acos(sine) / 3.14159265)).rgb;
    color = develop(mix(edge, mix(sky, photo, has_hdri), smoothstep(0.0, 0.1, wall_uv.y)));
}
