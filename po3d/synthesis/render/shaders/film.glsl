// From radiance to display values; see environment.Film.
uniform vec3 gain;      // exposure and white balance
uniform vec4 curve;     // knee, contrast, saturation, vignette
uniform vec3 frame;     // image centre in pixels, 1 / squared half diagonal
uniform sampler2D grain;
uniform vec3 grain_shift; // offset in texels, amplitude

vec4 develop(vec3 radiance) {
    vec2 d = gl_FragCoord.xy - frame.xy;
    vec3 c = radiance * gain * (1.0 - curve.w * dot(d, d) * frame.z);
    vec3 over = max(c - curve.x, 0.0) / (1.0 - curve.x);
    c = min(c, curve.x) + (1.0 - curve.x) * over / (1.0 + over);
    c = sqrt(c) * (1.138 - 0.138 * c); // sRGB within 0.02
    c = mix(vec3(0.45), c, curve.y);
    c = mix(vec3(dot(c, vec3(0.2126, 0.7152, 0.0722))), c, curve.z);
    vec3 noise = texelFetch(grain, (ivec2(gl_FragCoord.xy) + ivec2(grain_shift.xy)) & 255, 0).rgb - 0.5;
    return vec4(c + noise * grain_shift.z, 1.0);
}
