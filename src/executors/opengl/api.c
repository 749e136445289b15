/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/opengl/api.h"

#include <stdbool.h>
#include <string.h>

bool gl_has_extension(const struct gl_api *gl, const char *name)
{
    GLint n = 0;
    gl->glGetIntegerv(GL_NUM_EXTENSIONS, &n);
    for (GLint i = 0; i < n; i++) {
        const char *have = (const char *)gl->glGetStringi(GL_EXTENSIONS, (GLuint)i);
        if (have && !strcmp(have, name))
            return true;
    }
    return false;
}

int gl_api_load(struct gl_api *gl, gl_get_proc *get, struct assay_error *e)
{
    memset(gl, 0, sizeof *gl);
#define LOAD(type, name) \
    if (!(gl->name = (type)get(#name))) \
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: the driver has no function %s; OpenGL 4.3 is needed", #name);
    GL_EACH(LOAD)
#undef LOAD
    GLint major = 0, minor = 0;
    gl->glGetIntegerv(GL_MAJOR_VERSION, &major);
    gl->glGetIntegerv(GL_MINOR_VERSION, &minor);
    if (major * 10 + minor < 43)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: the driver has version %d.%d; 4.3 is needed", major, minor);
    if (major * 10 + minor >= 44 || gl_has_extension(gl, "GL_ARB_buffer_storage")) {
        gl->glBufferStorage = (PFNGLBUFFERSTORAGEPROC)get("glBufferStorage");
        gl->glMapBufferRange = (PFNGLMAPBUFFERRANGEPROC)get("glMapBufferRange");
        if (!gl->glMapBufferRange)
            gl->glBufferStorage = NULL;
    }
    if (major * 10 + minor >= 45) {
        gl->glGetGraphicsResetStatus = (PFNGLGETGRAPHICSRESETSTATUSPROC)get("glGetGraphicsResetStatus");
        gl->glGetTextureParameteriv = (PFNGLGETTEXTUREPARAMETERIVPROC)get("glGetTextureParameteriv");
        gl->glGetTextureLevelParameteriv = (PFNGLGETTEXTURELEVELPARAMETERIVPROC)get("glGetTextureLevelParameteriv");
        gl->glGetTextureSubImage = (PFNGLGETTEXTURESUBIMAGEPROC)get("glGetTextureSubImage");
        gl->glIsTexture = (PFNGLISTEXTUREPROC)get("glIsTexture");
    }
    return ASSAY_OK;
}

static const char *gl_error_words(GLenum error)
{
    switch (error) {
    case GL_OUT_OF_MEMORY: return "out of memory";
    case GL_CONTEXT_LOST: return "the device was lost";
    case GL_INVALID_ENUM: return "invalid enumerator";
    case GL_INVALID_VALUE: return "invalid value";
    case GL_INVALID_OPERATION: return "invalid operation";
    default: return "unknown error";
    }
}

int gl_check(const struct gl_api *gl, const char *what, struct assay_error *e)
{
    if (gl->glGetGraphicsResetStatus && gl->glGetGraphicsResetStatus() != GL_NO_ERROR)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: %s: the device was lost", what);
    const GLenum error = gl->glGetError();
    /* A lost context may report errors without end: the rest of the queue is bounded. */
    for (int i = 0; i < 64 && gl->glGetError() != GL_NO_ERROR; i++) {}
    return error ? assay_fail(e, ASSAY_EDEVICE, "OpenGL: %s: %s", what, gl_error_words(error)) : ASSAY_OK;
}
