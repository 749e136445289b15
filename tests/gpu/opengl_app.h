/* SPDX-License-Identifier: BSD-2-Clause */
/* An application with an OpenGL context that is current and has no window. */
#ifndef ASSAY_TESTS_GPU_OPENGL_APP_H
#define ASSAY_TESTS_GPU_OPENGL_APP_H

#include "executors/opengl/api.h"
#include "gpu/texel_oracle.h"

#define APP_EACH(X) \
    X(PFNGLCREATETEXTURESPROC, glCreateTextures) X(PFNGLDELETETEXTURESPROC, glDeleteTextures) \
    X(PFNGLTEXTURESTORAGE2DPROC, glTextureStorage2D) X(PFNGLTEXTURESUBIMAGE2DPROC, glTextureSubImage2D) \
    X(PFNGLTEXTURESTORAGE3DPROC, glTextureStorage3D) X(PFNGLTEXTURESUBIMAGE3DPROC, glTextureSubImage3D) \
    X(PFNGLTEXTURESTORAGE1DPROC, glTextureStorage1D) \
    X(PFNGLTEXTURESTORAGE2DMULTISAMPLEPROC, glTextureStorage2DMultisample) \
    X(PFNGLBINDTEXTUREPROC, glBindTexture) X(PFNGLBINDVERTEXARRAYPROC, glBindVertexArray) \
    X(PFNGLGENVERTEXARRAYSPROC, glGenVertexArrays) X(PFNGLISENABLEDPROC, glIsEnabled) X(PFNGLENABLEPROC, glEnable)

struct opengl_app {
    EGLDisplay display;
    EGLContext context;
    gl_get_proc *get;
    struct gl_api gl;
#define APP_FIELD(type, name) type name;
    APP_EACH(APP_FIELD)
#undef APP_FIELD
};

/* A context of version 4.5; false when there is none. */
bool opengl_app_open(struct opengl_app *app, bool compatibility);
void opengl_app_close(struct opengl_app *app);

/* A texture with the texels in a layer of `layers`. */
GLuint opengl_app_texture(struct opengl_app *app, const struct host_image *from, GLenum target, GLsizei layers,
                          GLint layer);

/* A texture, and the context, as assay takes them. */
assay_gpu_image opengl_app_lend(GLuint texture, GLuint layer);
assay_gpu_handles opengl_app_handles(gl_get_proc *get);

#endif
