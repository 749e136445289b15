/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames in flight on OpenGL. Everything here runs on the context's thread. */
#ifndef ASSAY_EXECUTORS_OPENGL_FRAME_H
#define ASSAY_EXECUTORS_OPENGL_FRAME_H

#include "executors/opengl/context.h"

/* Where an input plane comes from: a mapped buffer, or (buffer 0) memory that the driver copies at once. */
struct gl_source {
    GLuint buffer;
    GLintptr offset;
    const void *memory;
    GLsizeiptr bytes;
    uint32_t stride;
};

struct gl_slot {
    GLuint inputs, results, readback, constants;
    GLuint *storage;      /* intermediate planes */
    uint32_t *strides;    /* by plane: what `constants` holds */
    bool constants_filled;
    GLsync fence;         /* NULL: not in flight */
    GLuint mark[3];       /* before and after the upload, at the end; made for the first frame that is timed */
    bool timed;
    uint32_t dispatches;  /* of the frame */
    char *packed;         /* rows of planes that lie elsewhere; made when the first one comes */
    char *readback_map;   /* NULL: read with glGetBufferSubData */
    int64_t *totals;
    uint32_t *extrema;
    void *results_copy;
};

struct gl_frames {
    const struct graph *graph;
    const struct gpu_plan *plan;
    GLuint *program; /* by kernel; 0 where the graph does not use it */
    struct gl_slot *slot;
    uint32_t slots;
    bool timed;              /* frames from now on are */
    GLintptr constants_step; /* between the constants of two passes */
};

int gl_frames_init(struct gl_context *c, struct gl_frames *f, uint32_t slots, struct assay_error *e);
void gl_frames_free(struct gl_context *c, struct gl_frames *f);
int gl_frames_submit(struct gl_context *c, struct gl_frames *f, uint32_t slot, const struct gl_source *sources,
                     struct assay_error *e);

/* The same for inputs that `bring` writes to the slot's buffer, at sources[i].stride for input plane i. */
typedef void gl_bring_fn(struct gl_context *c, const struct gl_frames *f, const struct gl_slot *s, const void *opaque);
int gl_frames_submit_on_device(struct gl_context *c, struct gl_frames *f, uint32_t slot, const struct gl_source *sources,
                               gl_bring_fn *bring, const void *opaque, struct assay_error *e);
int gl_frames_wait(struct gl_context *c, struct gl_frames *f, uint32_t slot, struct assay_error *e);

/* ---- measuring (measure.c) ---- */

/* Queries for the moment when the commands before it are done; nothing when the slot isn't timed. */
void gl_slot_mark(struct gl_context *c, struct gl_slot *s, unsigned which);
/* The times of the frame that was waited for; all 0 when it wasn't timed. */
struct frame_times gl_slot_times(struct gl_context *c, const struct gl_slot *s);
/* The executor's copy_rate. */
int gl_copy_rate(struct gl_context *c, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                 struct assay_error *e);

/* A buffer of `bytes`, and its memory for the host when `map` is not NULL. */
int gl_buffer_create(struct gl_context *c, uint64_t bytes, GLuint *buffer, char **map, struct assay_error *e);

#endif
