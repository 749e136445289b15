#version 450
/* A gradient over the whole image, and a triangle on it. */
#ifdef VULKAN
#define VERTEX gl_VertexIndex
#else
#define VERTEX gl_VertexID
#endif
layout(location = 0) out vec4 colour;

void main()
{
    const vec2 corner[6] = vec2[](vec2(-1, -1), vec2(3, -1), vec2(-1, 3), vec2(-0.7, -0.6), vec2(0.8, -0.3), vec2(0.1, 0.75));
    const vec4 paint[6] = vec4[](vec4(0.1, 0.2, 0.3, 1), vec4(0.9, 0.2, 0.3, 1), vec4(0.1, 1, 0.3, 1), vec4(1, 0, 0, 1),
                                 vec4(0, 1, 0, 1), vec4(0, 0, 1, 1));
    gl_Position = vec4(corner[VERTEX], 0, 1);
    colour = paint[VERTEX];
}
