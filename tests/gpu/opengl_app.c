/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/opengl_app.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *egl_library;

static gl_proc egl_function(const char *name)
{
    void *symbol = dlsym(egl_library, name);
    gl_proc function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

bool opengl_app_open(struct opengl_app *app, bool compatibility)
{
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 compatibility ? EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
                                               : EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    memset(app, 0, sizeof *app);
    if (!egl_library && !(egl_library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL)))
        return false;
    app->get = (gl_get_proc *)egl_function("eglGetProcAddress");
    PFNEGLGETPLATFORMDISPLAYEXTPROC display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)app->get("eglGetPlatformDisplayEXT");
    PFNEGLINITIALIZEPROC initialize = (PFNEGLINITIALIZEPROC)egl_function("eglInitialize");
    PFNEGLBINDAPIPROC bind = (PFNEGLBINDAPIPROC)egl_function("eglBindAPI");
    PFNEGLCREATECONTEXTPROC create = (PFNEGLCREATECONTEXTPROC)egl_function("eglCreateContext");
    PFNEGLMAKECURRENTPROC current = (PFNEGLMAKECURRENTPROC)egl_function("eglMakeCurrent");
    struct assay_error e = {0};
    if (!display)
        return false;
    app->display = display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (app->display == EGL_NO_DISPLAY || !initialize(app->display, NULL, NULL) || !bind(EGL_OPENGL_API))
        return false;
    app->context = create(app->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (app->context == EGL_NO_CONTEXT || !current(app->display, EGL_NO_SURFACE, EGL_NO_SURFACE, app->context) ||
        gl_api_load(&app->gl, app->get, &e))
        return false;
#define LOAD(type, name) app->name = (type)app->get(#name);
    APP_EACH(LOAD)
#undef LOAD
    return true;
}

void opengl_app_close(struct opengl_app *app)
{
    PFNEGLMAKECURRENTPROC current = (PFNEGLMAKECURRENTPROC)egl_function("eglMakeCurrent");
    PFNEGLDESTROYCONTEXTPROC destroy = (PFNEGLDESTROYCONTEXTPROC)egl_function("eglDestroyContext");
    current(app->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    destroy(app->display, app->context);
}

GLuint opengl_app_texture(struct opengl_app *app, const struct host_image *from, GLenum target, GLsizei layers,
                          GLint layer)
{
    const struct texel_format *f = from->format;
    const GLsizei w = (GLsizei)from->width, h = (GLsizei)from->height;
    struct assay_error e = {0};
    GLint alignment;
    GLuint texture;
    app->gl.glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment);
    app->gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    app->glCreateTextures(target, 1, &texture);
    if (target == GL_TEXTURE_2D || target == GL_TEXTURE_RECTANGLE) {
        app->glTextureStorage2D(texture, 1, f->opengl, w, h);
        app->glTextureSubImage2D(texture, 0, 0, 0, w, h, f->opengl_format, f->opengl_type, from->texels);
    } else if (target == GL_TEXTURE_CUBE_MAP) {
        app->glTextureStorage2D(texture, 1, f->opengl, w, h);
        app->glTextureSubImage3D(texture, 0, 0, 0, layer, w, h, 1, f->opengl_format, f->opengl_type, from->texels);
    } else {
        app->glTextureStorage3D(texture, 1, f->opengl, w, h, layers);
        app->glTextureSubImage3D(texture, 0, 0, 0, layer, w, h, 1, f->opengl_format, f->opengl_type, from->texels);
    }
    app->gl.glPixelStorei(GL_UNPACK_ALIGNMENT, alignment);
    if (gl_check(&app->gl, "a texture of the application", &e)) {
        fprintf(stderr, "%s: %s\n", f->name, e.text);
        exit(1);
    }
    return texture;
}

assay_gpu_image opengl_app_lend(GLuint texture, GLuint layer)
{
    return (assay_gpu_image){.kind = ASSAY_GPU_OPENGL, .opengl = {.texture = texture, .layer = layer}};
}

assay_gpu_handles opengl_app_handles(gl_get_proc *get)
{
    return (assay_gpu_handles){.kind = ASSAY_GPU_OPENGL, .opengl = {.get_proc_address = get}};
}
