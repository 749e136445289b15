/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenGL executor: 4.3 or later, compute shaders, no window. */
#ifndef ASSAY_EXECUTORS_OPENGL_OPENGL_H
#define ASSAY_EXECUTORS_OPENGL_OPENGL_H

#include "executors/opengl/api.h"
#include "executors/executor.h"

extern const struct executor_ops executor_opengl;
extern const struct image_ops gl_image_ops; /* lent.c */

/* The executor in the context that is current in the calling thread; it is used from that thread, and the context is current
 * whenever it is. */
int gl_executor_adopt(struct executor **out, gl_get_proc *get, struct assay_error *e);

/* Whether work can be done in the context now: an error that nobody has asked for yet would be lost. */
int gl_executor_ready(struct executor *x, struct assay_error *e);

/* What a texture of the application is, in level 0. */
struct gl_texture_facts {
    GLenum target, internal_format;
    uint32_t width, height, layers, samples;
};
int gl_executor_texture(struct executor *x, GLuint texture, struct gl_texture_facts *facts, struct assay_error *e);

/* A rectangle of level 0 of a layer of a texture, and the transfer that takes its texels as they are. */
struct gl_texture {
    GLuint texture;
    GLint x, y, layer;
    GLsizei width, height;
    GLenum format, type;
    uint32_t texel_bytes;
};

/* Submits a frame whose two inputs, plane 0 of either side, are the bits of two textures; so were those of earlier frames that the
 * graph asks for, which lie in the slots `held` (frame_inputs.held; NULL when it asks for none). */
int gl_executor_submit_textures(struct executor *x, uint32_t slot, const uint32_t *held, const struct gl_texture texture[2],
                                struct assay_error *e);

/* Memory of another API on the same device. */
struct gl_memory {
    int fd;             /* taken, also by a failure */
    uint64_t allocated; /* bytes of the whole allocation */
};

/* Writes a texture's rectangle, rows `stride` bytes apart, to `bytes` bytes: of shared memory, or (shared NULL) of the host's.
 * Has finished when it returns. Fails when the context can't use such memory. */
int gl_executor_pack(struct executor *x, const struct gl_texture *texture, uint32_t stride, uint64_t bytes,
                     const struct gl_memory *shared, void *memory, struct assay_error *e);

/* Whether the context runs on the device and driver with these UUIDs; if not, the error says what differs. */
int gl_executor_is_device(struct executor *x, const uint8_t device[16], const uint8_t driver[16], struct assay_error *e);

struct gl_context *gl_executor_context(struct executor *x);

#endif
