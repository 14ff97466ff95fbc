// Positions only: ids, amodal masks and the shadow map.
in vec3 position;
uniform mat4 world_T_object;
uniform mat4 clip_T_world;
invariant gl_Position; // object.vert must reach the same depth, bit by bit

void main() { gl_Position = clip_T_world * (world_T_object * vec4(position, 1.0)); }
