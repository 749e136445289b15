/* SPDX-License-Identifier: BSD-2-Clause */
/* Textures of the application, packed into memory of another API (GL_EXT_memory_object_fd) or of the host. */
#include <string.h>
#include <unistd.h>

#include "executors/opengl/context.h"
#include "executors/opengl/opengl.h"

#define EXTENSION "GL_EXT_memory_object_fd"

/* GL_EXT_memory_object and GL_EXT_memory_object_fd, which the core header lacks. */
enum {
    DEDICATED_MEMORY_OBJECT = 0x9581, HANDLE_TYPE_OPAQUE_FD = 0x9586, NUM_DEVICE_UUIDS = 0x9596, DEVICE_UUID, DRIVER_UUID,
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

static int load(const struct gl_context *c, struct sharing *s, struct assay_error *e)
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

struct call {
    const struct gl_texture *texture;
    uint32_t stride;
    uint64_t bytes;
    const struct gl_memory *shared;
    bool imported; /* the context owns shared->fd */
    void *memory;
    const uint8_t *device, *driver;
};

static void pack(const struct gl_api *gl, const struct call *call)
{
    const struct gl_texture *t = call->texture;
    gl->glPixelStorei(GL_PACK_ROW_LENGTH, (GLint)(call->stride / t->texel_bytes));
    gl->glGetTextureSubImage(t->texture, 0, t->x, t->y, t->layer, t->width, t->height, 1, t->format, t->type,
                             (GLsizei)call->bytes, call->memory);
    gl->glFinish();
}

/* An import that fails leaves the descriptor where it was. */
static int import(const struct gl_context *c, const struct sharing *s, struct call *call, GLuint memory, struct assay_error *e)
{
    const GLint dedicated = GL_TRUE;
    s->glMemoryObjectParameterivEXT(memory, DEDICATED_MEMORY_OBJECT, &dedicated);
    int rc = gl_check(&c->gl, "sharing memory", e);
    if (rc)
        return rc;
    s->glImportMemoryFdEXT(memory, call->shared->allocated, HANDLE_TYPE_OPAQUE_FD, call->shared->fd);
    rc = gl_check(&c->gl, "sharing memory", e);
    call->imported = !rc;
    return rc;
}

static int pack_shared(struct gl_context *c, struct call *call, struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    struct sharing s;
    GLuint memory = 0, buffer = 0;
    int rc = load(c, &s, e);
    if (rc)
        return rc;
    s.glCreateMemoryObjectsEXT(1, &memory);
    rc = import(c, &s, call, memory, e);
    gl->glGenBuffers(1, &buffer);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    if (!rc) {
        s.glNamedBufferStorageMemEXT(buffer, (GLsizeiptr)call->bytes, memory, 0);
        rc = gl_check(gl, "sharing memory", e);
    }
    if (!rc)
        pack(gl, call);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->glDeleteBuffers(1, &buffer);
    s.glDeleteMemoryObjectsEXT(1, &memory);
    return rc ? rc : gl_check(gl, "reading a texture", e);
}

static int do_pack(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    if (call->shared)
        return pack_shared(c, call, e);
    c->gl.glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    pack(&c->gl, call);
    return gl_check(&c->gl, "reading a texture", e);
}

int gl_executor_pack(struct executor *x, const struct gl_texture *texture, uint32_t stride, uint64_t bytes,
                     const struct gl_memory *shared, void *memory, struct assay_error *e)
{
    struct call call = {.texture = texture, .stride = stride, .bytes = bytes, .shared = shared, .memory = memory};
    const int rc = gl_context_run(gl_executor_context(x), do_pack, &call, e);
    if (shared && !call.imported)
        close(shared->fd);
    return rc;
}

static int do_identify(struct gl_context *c, void *opaque, struct assay_error *e)
{
    const struct call *call = opaque;
    struct sharing s;
    uint8_t uuid[16] = {0};
    GLint devices = 0;
    const int rc = load(c, &s, e);
    if (rc)
        return rc;
    s.glGetUnsignedBytevEXT(DRIVER_UUID, uuid);
    if (memcmp(uuid, call->driver, sizeof uuid))
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL (%s) and Vulkan run on different drivers", c->driver);
    c->gl.glGetIntegerv(NUM_DEVICE_UUIDS, &devices);
    for (GLint i = 0; i < devices; i++) {
        s.glGetUnsignedBytei_vEXT(DEVICE_UUID, (GLuint)i, uuid);
        if (!memcmp(uuid, call->device, sizeof uuid))
            return gl_check(&c->gl, "asking for the device", e);
    }
    return assay_fail(e, ASSAY_EDEVICE, "OpenGL (%s) and Vulkan run on different devices", c->name);
}

int gl_executor_is_device(struct executor *x, const uint8_t device[16], const uint8_t driver[16], struct assay_error *e)
{
    struct call call = {.device = device, .driver = driver};
    return gl_context_run(gl_executor_context(x), do_identify, &call, e);
}
