/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An OpenGL context without a window, and the thread that it lives on: a context belongs to one thread, while a session
 * calls its executor from two. Work is handed to that thread and waited for.
 */
#ifndef ASSAY_EXECUTORS_OPENGL_CONTEXT_H
#define ASSAY_EXECUTORS_OPENGL_CONTEXT_H

#include <pthread.h>

#include "executors/gpu/plan.h"
#include "executors/opengl/api.h"

struct gl_context;

/* What runs on the context's thread; the result is an error code. */
typedef int gl_work(struct gl_context *c, void *opaque, struct assay_error *e);

struct gl_context {
    struct gl_api gl;
    struct gpu_limits limits;
    GLint uniform_align;
    char name[128], driver[128];
    bool software;

    bool applications; /* the context that the application has current: no thread, and its state is kept */
    gl_get_proc *get;  /* of such a context */
    EGLDisplay display;
    EGLContext context;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    gl_work *work; /* NULL: idle */
    void *opaque;
    struct assay_error *error;
    int result;
    bool started, done, quit;
};

/* `want` is a number or a part of a name; NULL takes the first real GPU, or a software device when there is no other. */
int gl_context_open(struct gl_context **out, const char *want, struct assay_error *e);
void gl_context_close(struct gl_context **out);

/* The context that is current in the calling thread, which stays the application's: work runs in the calling thread, and every
 * state that it changes is as before when it has run. */
int gl_context_adopt(struct gl_context **out, gl_get_proc *get, struct assay_error *e);
int gl_context_run_adopted(struct gl_context *c, gl_work *work, void *opaque, struct assay_error *e);

/* Fills name, driver and limits from the current context. */
void gl_context_look(struct gl_context *c);

/* Runs `work` on the context's thread, after what others asked for, and waits for it. */
int gl_context_run(struct gl_context *c, gl_work *work, void *opaque, struct assay_error *e);

/* Of executor_ops. */
int gl_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);

#endif
