#version 430
// 4.30 and an extension: glslang reads the built-in functions of a version before each text, and those of 4.50 take it
// twice as long. The SPIR-V is the same.
#extension GL_ARB_enhanced_layouts : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#define f32 float
#define i32 int
#define u32 uint
#define mask bool
