// Share of the key light that reaches the ground.
in vec2 xy;
uniform mat4 shadow_T_world;
uniform sampler2DShadow shadow_map;
uniform float reach; // of the penumbra, in shadow map coordinates
uniform int taps;
layout(location = 0) out vec2 left;

void main() {
    vec3 s = (shadow_T_world * vec4(xy, 0.0, 1.0)).xyz - vec3(0, 0, 0.001);
    float visible = 0.0;
    for (int i = 0; i < taps; ++i) {
        // A spiral denser in its middle: crisp at the contact and wide further out, without a search for the blocker.
        float r = (float(i) + 0.5) / float(taps) * reach, a = float(i) * 2.39996323;
        visible += texture(shadow_map, s + vec3(r * cos(a), r * sin(a), 0.0));
    }
    left = vec2(1.0, visible / float(taps));
}
