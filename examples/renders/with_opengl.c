/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include "scene.h"
#include "shaders.h"

#define FUNCTIONS(X) \
    X(PFNGLCREATESHADERPROC, glCreateShader) X(PFNGLSHADERSOURCEPROC, glShaderSource) \
    X(PFNGLCOMPILESHADERPROC, glCompileShader) X(PFNGLCREATEPROGRAMPROC, glCreateProgram) \
    X(PFNGLATTACHSHADERPROC, glAttachShader) X(PFNGLLINKPROGRAMPROC, glLinkProgram) \
    X(PFNGLGETPROGRAMIVPROC, glGetProgramiv) X(PFNGLUSEPROGRAMPROC, glUseProgram) X(PFNGLUNIFORM1FPROC, glUniform1f) \
    X(PFNGLCREATETEXTURESPROC, glCreateTextures) X(PFNGLTEXTURESTORAGE2DPROC, glTextureStorage2D) \
    X(PFNGLCREATEFRAMEBUFFERSPROC, glCreateFramebuffers) \
    X(PFNGLNAMEDFRAMEBUFFERTEXTUREPROC, glNamedFramebufferTexture) \
    X(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer) X(PFNGLVIEWPORTPROC, glViewport) \
    X(PFNGLCREATEVERTEXARRAYSPROC, glCreateVertexArrays) X(PFNGLBINDVERTEXARRAYPROC, glBindVertexArray) \
    X(PFNGLDRAWARRAYSPROC, glDrawArrays)

#define DECLARE(type, name) static type name;
FUNCTIONS(DECLARE)

/* A context without a window. */
static void open_context(void)
{
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    PFNEGLQUERYDEVICESEXTPROC devices = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    EGLDeviceEXT device;
    EGLint n = 0;
    if (!get_display || !devices || !devices(1, &device, &n) || n < 1)
        no_device("EGL knows no device");
    EGLDisplay display = get_display(EGL_PLATFORM_DEVICE_EXT, device, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        no_device("EGL opens no display");
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        no_device("no OpenGL 4.5");
#define LOAD(type, name) \
    if (!(name = (type)eglGetProcAddress(#name))) \
        no_device("OpenGL has no " #name);
    FUNCTIONS(LOAD)
}

static void add_shader(GLuint program, GLenum stage, const char *text)
{
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

void draw_with_opengl(float tint, assay_gpu_handles *context, assay_gpu_image *image)
{
    GLuint colour, framebuffer, vertices;
    GLint linked = 0;
    open_context();
    const GLuint program = glCreateProgram();
    add_shader(program, GL_VERTEX_SHADER, vert_text);
    add_shader(program, GL_FRAGMENT_SHADER, frag_text);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked)
        no_device("OpenGL can't build the shaders");
    glCreateTextures(GL_TEXTURE_2D, 1, &colour);
    glTextureStorage2D(colour, 1, GL_RGBA8, WIDTH, HEIGHT);
    glCreateFramebuffers(1, &framebuffer);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, colour, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, WIDTH, HEIGHT);
    glCreateVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glUseProgram(program);
    glUniform1f(0, tint);
    glDrawArrays(GL_TRIANGLES, 0, 6);

    *context = (assay_gpu_handles){.kind = ASSAY_GPU_OPENGL,
                                   .opengl = {.get_proc_address = (assay_function(*)(const char *))eglGetProcAddress}};
    *image = (assay_gpu_image){.kind = ASSAY_GPU_OPENGL, .opengl = {.texture = colour}};
}
