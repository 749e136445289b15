/* SPDX-License-Identifier: BSD-2-Clause */
/* Textures of the application, packed into memory of another API (GL_EXT_memory_object_fd) or of the host. */
#include <string.h>
#include <unistd.h>

#include "executors/opengl/context.h"

#define EXTENSION "GL_EXT_memory_object_fd"

/* GL_EXT_memory_object and GL_EXT_memory_object_fd, which the core header lacks. */
enum {
    DEDICATED_MEMORY_OBJECT = 0x9581, HANDLE_TYPE_OPAQUE_FD = 0x9586, NUM_DEVICE_UUIDS = 0x9596, DEVICE_UUID,
    DRIVER_UUID,
};
typedef void (APIENTRYP get_bytes)(GLenum name, GLubyte *data);
typedef void (APIENTRYP get_bytes_at)(GLenum name, GLuint index, GLubyte *data);
typedef void (APIENTRYP create_memory)(GLsizei n, GLuint *memory);
typedef void (APIENTRYP delete_memory)(GLsizei n, const GLuint *memory);
typedef void (APIENTRYP memory_parameter)(GLuint memory, GLenum name, const GLint *value);
typedef void (APIENTRYP buffer_storage)(GLuint buffer, GLsizeiptr size, GLuint memory, GLuint64 offset);
typedef void (APIENTRYP import_fd)(GLuint memory, GLuint64 size, GLenum type, GLint fd);

#define SHARING_EACH(X) \
    X(get_bytes, glGetUnsignedBytevEXT) X(get_bytes_at, glGetUnsignedBytei_vEXT) \
    X(create_memory, glCreateMemoryObjectsEXT) X(delete_memory, glDeleteMemoryObjectsEXT) \
    X(memory_parameter, glMemoryObjectParameterivEXT) X(buffer_storage, glNamedBufferStorageMemEXT) \
    X(import_fd, glImportMemoryFdEXT)

struct sharing {
#define SHARING_FIELD(type, name) type name;
    SHARING_EACH(SHARING_FIELD)
#undef SHARING_FIELD
};

static int gl_load_sharing(const struct gl_context *c, struct sharing *s, struct assay_error *e)
{
    if (!gl_has_extension(&c->gl, EXTENSION))
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: the driver has no %s", EXTENSION);
#define LOAD(type, name) \
    if (!(s->name = (type)c->get(#name))) \
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: the driver has %s, but no function %s", EXTENSION, #name);
    SHARING_EACH(LOAD)
#undef LOAD
    return ASSAY_OK;
}

struct share_call {
    struct gl_context *c;
    const struct image *image;
    const struct image_memory *to;
    bool imported; /* the context owns to->fd */
    const uint8_t *device, *driver;
};

static void gl_pack_texels(const struct gl_api *gl, const struct share_call *call, void *memory)
{
    const struct image *i = call->image;
    gl->glPixelStorei(GL_PACK_ROW_LENGTH, (GLint)(call->to->stride / i->texel_bytes));
    gl->glGetTextureSubImage(i->opengl.texture, 0, (GLint)i->x, (GLint)i->y, (GLint)i->opengl.layer, (GLsizei)i->width,
                             (GLsizei)i->height, 1, i->opengl.format, i->opengl.type, (GLsizei)call->to->bytes, memory);
    gl->glFinish();
}

/* An import that fails leaves the descriptor where it was. */
static int gl_import(const struct gl_context *c, const struct sharing *s, struct share_call *call, GLuint memory,
                     struct assay_error *e)
{
    const GLint dedicated = GL_TRUE;
    s->glMemoryObjectParameterivEXT(memory, DEDICATED_MEMORY_OBJECT, &dedicated);
    TRY(gl_check(&c->gl, "sharing memory", e));
    s->glImportMemoryFdEXT(memory, call->to->allocated, HANDLE_TYPE_OPAQUE_FD, call->to->fd);
    const int rc = gl_check(&c->gl, "sharing memory", e);
    call->imported = !rc;
    return rc;
}

static int gl_pack_shared(struct gl_context *c, struct share_call *call, struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    struct sharing s;
    GLuint memory = 0, buffer = 0;
    TRY(gl_load_sharing(c, &s, e));
    s.glCreateMemoryObjectsEXT(1, &memory);
    int rc = gl_import(c, &s, call, memory, e);
    gl->glGenBuffers(1, &buffer);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    if (!rc) {
        s.glNamedBufferStorageMemEXT(buffer, (GLsizeiptr)call->to->bytes, memory, 0);
        rc = gl_check(gl, "sharing memory", e);
    }
    if (!rc)
        gl_pack_texels(gl, call, NULL);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->glDeleteBuffers(1, &buffer);
    s.glDeleteMemoryObjectsEXT(1, &memory);
    return rc ? rc : gl_check(gl, "reading a texture", e);
}

static int gl_pack_work(void *opaque, struct assay_error *e)
{
    struct share_call *call = opaque;
    const struct gl_api *gl = &call->c->gl;
    if (call->to->fd >= 0)
        return gl_pack_shared(call->c, call, e);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl_pack_texels(gl, call, call->to->host);
    return gl_check(gl, "reading a texture", e);
}

int gl_pack(struct executor *x, const struct image *image, const struct image_memory *to, struct assay_error *e)
{
    struct gl_context *c = (struct gl_context *)gpu_executor_device(x);
    struct share_call call = {.c = c, .image = image, .to = to};
    const int rc = gl_context_run(c, gl_pack_work, &call, e);
    if (to->fd >= 0 && !call.imported)
        close(to->fd);
    return rc;
}

static int gl_identify_work(void *opaque, struct assay_error *e)
{
    const struct share_call *call = opaque;
    const struct gl_context *c = call->c;
    struct sharing s;
    uint8_t uuid[16] = {0};
    GLint devices = 0;
    TRY(gl_load_sharing(c, &s, e));
    s.glGetUnsignedBytevEXT(DRIVER_UUID, uuid);
    if (memcmp(uuid, call->driver, sizeof uuid))
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL (%s) and Vulkan run on different drivers", c->base.driver);
    c->gl.glGetIntegerv(NUM_DEVICE_UUIDS, &devices);
    for (GLint i = 0; i < devices; i++) {
        s.glGetUnsignedBytei_vEXT(DEVICE_UUID, (GLuint)i, uuid);
        if (!memcmp(uuid, call->device, sizeof uuid))
            return gl_check(&c->gl, "asking for the device", e);
    }
    return assay_fail(e, ASSAY_EDEVICE, "OpenGL (%s) and Vulkan run on different devices", c->base.name);
}

int gl_is_device(struct executor *x, const uint8_t device[16], const uint8_t driver[16], struct assay_error *e)
{
    struct gl_context *c = (struct gl_context *)gpu_executor_device(x);
    struct share_call call = {.c = c, .device = device, .driver = driver};
    return gl_context_run(c, gl_identify_work, &call, e);
}
