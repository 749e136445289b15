/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenGL functions that we call, found at run time through eglGetProcAddress. */
#ifndef ASSAY_EXECUTORS_OPENGL_API_H
#define ASSAY_EXECUTORS_OPENGL_API_H

#define EGL_EGL_PROTOTYPES 0
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <stdbool.h>

#include "host/error.h"

#define GL_EACH(X) \
    X(PFNGLGETINTEGER64I_VPROC, glGetInteger64i_v) X(PFNGLBINDBUFFERBASEPROC, glBindBufferBase) \
    X(PFNGLPIXELSTOREIPROC, glPixelStorei) X(PFNGLGETFLOATVPROC, glGetFloatv) X(PFNGLGETSTRINGPROC, glGetString) \
    X(PFNGLGETSTRINGIPROC, glGetStringi) X(PFNGLGETINTEGERVPROC, glGetIntegerv) \
    X(PFNGLGETINTEGER64VPROC, glGetInteger64v) X(PFNGLGETINTEGERI_VPROC, glGetIntegeri_v) \
    X(PFNGLGETERRORPROC, glGetError) X(PFNGLFLUSHPROC, glFlush) X(PFNGLGENBUFFERSPROC, glGenBuffers) \
    X(PFNGLDELETEBUFFERSPROC, glDeleteBuffers) X(PFNGLBINDBUFFERPROC, glBindBuffer) \
    X(PFNGLBINDBUFFERRANGEPROC, glBindBufferRange) X(PFNGLBUFFERDATAPROC, glBufferData) \
    X(PFNGLBUFFERSUBDATAPROC, glBufferSubData) X(PFNGLGETBUFFERSUBDATAPROC, glGetBufferSubData) \
    X(PFNGLCOPYBUFFERSUBDATAPROC, glCopyBufferSubData) X(PFNGLCLEARBUFFERDATAPROC, glClearBufferData) \
    X(PFNGLCREATESHADERPROC, glCreateShader) X(PFNGLSHADERSOURCEPROC, glShaderSource) \
    X(PFNGLCOMPILESHADERPROC, glCompileShader) X(PFNGLDELETESHADERPROC, glDeleteShader) \
    X(PFNGLCREATEPROGRAMPROC, glCreateProgram) X(PFNGLATTACHSHADERPROC, glAttachShader) \
    X(PFNGLLINKPROGRAMPROC, glLinkProgram) X(PFNGLGETPROGRAMIVPROC, glGetProgramiv) \
    X(PFNGLGETSHADERIVPROC, glGetShaderiv) X(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog) \
    X(PFNGLGETPROGRAMBINARYPROC, glGetProgramBinary) X(PFNGLPROGRAMBINARYPROC, glProgramBinary) \
    X(PFNGLPROGRAMPARAMETERIPROC, glProgramParameteri) X(PFNGLGETPROGRAMINFOLOGPROC, glGetProgramInfoLog) \
    X(PFNGLDELETEPROGRAMPROC, glDeleteProgram) \
    X(PFNGLUSEPROGRAMPROC, glUseProgram) X(PFNGLDISPATCHCOMPUTEPROC, glDispatchCompute) \
    X(PFNGLMEMORYBARRIERPROC, glMemoryBarrier) X(PFNGLGENQUERIESPROC, glGenQueries) \
    X(PFNGLDELETEQUERIESPROC, glDeleteQueries) X(PFNGLQUERYCOUNTERPROC, glQueryCounter) \
    X(PFNGLGETQUERYOBJECTUI64VPROC, glGetQueryObjectui64v) X(PFNGLFINISHPROC, glFinish) \
    X(PFNGLFENCESYNCPROC, glFenceSync) X(PFNGLCLIENTWAITSYNCPROC, glClientWaitSync) \
    X(PFNGLDELETESYNCPROC, glDeleteSync)

struct gl_api {
#define GL_FIELD(type, name) type name;
    GL_EACH(GL_FIELD)
#undef GL_FIELD
    PFNGLGETGRAPHICSRESETSTATUSPROC glGetGraphicsResetStatus; /* NULL where a context can't be lost */
    /* NULL before OpenGL 4.4, without GL_ARB_buffer_storage */
    PFNGLBUFFERSTORAGEPROC glBufferStorage;
    PFNGLMAPBUFFERRANGEPROC glMapBufferRange;
    /* NULL before OpenGL 4.5. */
    PFNGLGETTEXTUREPARAMETERIVPROC glGetTextureParameteriv;
    PFNGLGETTEXTURELEVELPARAMETERIVPROC glGetTextureLevelParameteriv;
    PFNGLGETTEXTURESUBIMAGEPROC glGetTextureSubImage;
    PFNGLISTEXTUREPROC glIsTexture;
};

typedef void (*gl_proc)(void);
typedef gl_proc gl_get_proc(const char *name);

/* Fills the table of the context that is current: at least OpenGL 4.3. */
int gl_api_load(struct gl_api *gl, gl_get_proc *get, struct assay_error *e);

bool gl_has_extension(const struct gl_api *gl, const char *name);

/* The first error since the last call, as "OpenGL: <what>: <error in words>"; ASSAY_OK when there is none. */
int gl_check(const struct gl_api *gl, const char *what, struct assay_error *e);

#endif
