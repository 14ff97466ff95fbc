in vec3 n_world;
in vec3 to_eye;
in vec3 sky;
flat in vec3 paint;
uniform vec3 key_direction;
uniform vec3 key_color;
uniform vec3 gain; // exposure
uniform float value; // alpha
layout(location = 0) out vec4 color;

void main() {
    vec3 n = normalize(n_world);
    n = dot(n, to_eye) < 0.0 ? -n : n; // thin parts are seen from both sides
    vec3 c = paint * (sky + key_color * max(dot(n, key_direction), 0.0)) * gain / 3.14159265;
    color = vec4(sqrt(c) * (1.138 - 0.138 * c), value); // sRGB within 0.02
}
