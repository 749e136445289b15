/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of an application's context, and the functions of OpenGL under watch: what they set, and errors on
 * demand. */
#ifndef ASSAY_TESTS_GPU_OPENGL_STATE_H
#define ASSAY_TESTS_GPU_OPENGL_STATE_H

#include "gpu/opengl_app.h"

enum { STATE_TARGETS = 11, STATE_STORES = 10, STATE_OTHERS = 12, STATE_INDICES = 6 };

struct opengl_snapshot {
    GLint target[STATE_TARGETS], store[STATE_STORES], other[STATE_OTHERS];
    GLint64 indexed[2][STATE_INDICES][3];
};
void opengl_state_snap(struct opengl_app *app, struct opengl_snapshot *s);

/* The application's own state: nothing is at its default; and its end. */
struct opengl_state_objects {
    GLuint buffer[8], array, program;
};
void opengl_state_disturb(struct opengl_app *app, struct opengl_state_objects *o);
void opengl_state_reset(struct opengl_app *app, const struct opengl_state_objects *o);

/* get_proc_address whose functions are watched: one that is not known to be harmless or watched counts as unknown. */
gl_get_proc *opengl_watched(struct opengl_app *app);
bool opengl_watched_unknown(void);
unsigned long opengl_compiled(void); /* shaders, so far */

/* What was set since `forget`: the number of targets and names; 0 when a snapshot does not hold one of them. */
void opengl_watched_forget(void);
unsigned opengl_watched_in_snapshot(void);

/* The N-th check for errors from now on reports this one (0: none does); whether that check came. */
void opengl_fail_at(unsigned long check, GLenum error);
bool opengl_failed(void);

#endif
