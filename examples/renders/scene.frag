#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 pixel;
#ifdef VULKAN
const float tint = 0.0;
#else
layout(location = 0) uniform float tint; /* what OpenGL draws otherwise, to see a difference */
#endif

void main()
{
    pixel = colour + vec4(tint, 0, 0, 0);
}
