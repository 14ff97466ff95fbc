uniform float value; // id / 255
layout(location = 0) out float id;

void main() { id = value; }
