// The ambient light that one object takes from the ground; multiplied into the light map.
in vec2 unit;
uniform sampler2D footprint;
layout(location = 0) out vec2 left;

void main() { left = vec2(texture(footprint, unit * 0.5 + 0.5).r, 1.0); }
