/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An OpenGL device is a context: one of our own without a window, with the thread that it lives on, because a context
 * belongs to one thread while a session calls its executor from several; or the one that an application has current.
 */
#ifndef ASSAY_EXECUTORS_OPENGL_CONTEXT_H
#define ASSAY_EXECUTORS_OPENGL_CONTEXT_H

#include <pthread.h>

#include "executors/gpu/device.h"
#include "executors/opengl/api.h"

struct gl_context {
    struct gpu_device base;
    struct gl_api gl;
    GLint uniform_align;
    bool software;

    bool applications; /* the application's context: it has no thread of ours, and its state is kept */
    gl_get_proc *get;  /* of the application's context */
    EGLDisplay display;
    EGLContext context;

    /* Of the plan (kernels.c). */
    GLuint *program;         /* [kernel], then shaders, [KERNEL_VARIANTS + kernel]; 0: the graph has no such kernel */
    GLuint constants;        /* a uniform block per pass, shared by all slots */
    GLintptr constants_step; /* bytes from a pass's block to the next one */

    struct egl *egl; /* of the thread (context.c) */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    gpu_work *work; /* NULL: idle */
    void *opaque;
    struct assay_error *error;
    int result;
    bool started, done, quit;
};

/* `want` is a number or a part of a name; NULL takes the first real GPU, or a software device when there is no
 * other. */
int gl_context_open(struct gpu_device **out, const char *want, struct assay_error *e);
/* A context without a thread, which nothing has been asked of. */
int gl_context_make(struct gl_context **out, struct assay_error *e);
void gl_context_close(struct gl_context *c);

/* Adopts the context that is current in the calling thread. Work runs in the calling thread and leaves every state of
 * the context as it was. */
int gl_context_adopt(struct gpu_device **out, gl_get_proc *get, struct assay_error *e);
int gl_context_run_adopted(struct gl_context *c, gpu_work *work, void *opaque, struct assay_error *e);

/* Loads the functions, and fills name, driver and limits from the current context. */
int gl_context_look(struct gl_context *c, gl_get_proc *get, struct assay_error *e);

/* Runs `work` on the context's thread and returns its result. Calls run in turn. */
int gl_context_run(struct gl_context *c, gpu_work *work, void *opaque, struct assay_error *e);

/* Of executor_ops. */
int gl_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque,
                   struct assay_error *e);

/* ---- of gpu_device_ops ------------------------------------------------------------------------------------------- */

extern const struct gpu_device_ops gl_device_ops;

/* kernels.c */
int gl_prepare(struct gpu_device *d, struct assay_error *e);
int gl_unprepare(void *context, struct assay_error *e); /* gpu_work */
void gl_dispatch(struct gpu_device *d, struct gpu_slot *s, graph_pass p);

/* images.c */
int gl_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
int gl_look(struct executor *x, uint32_t texture, struct image_facts *facts, struct assay_error *e);
int gl_ready(struct executor *x, struct assay_error *e);

/* shared.c */
int gl_pack(struct executor *x, const struct image *image, const struct image_memory *to, struct assay_error *e);
int gl_is_device(struct executor *x, const uint8_t device[16], const uint8_t driver[16], struct assay_error *e);

#endif
