/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device's own clock says of a frame, and how fast it copies. On the context's thread. */

#include "host/clock.h"

#include "executors/opengl/frame.h"

enum { MARKS = 3 };

void gl_slot_mark(struct gl_context *c, struct gl_slot *s, unsigned which)
{
    if (!s->timed)
        return;
    if (!s->mark[which])
        c->gl.glGenQueries(1, &s->mark[which]);
    c->gl.glQueryCounter(s->mark[which], GL_TIMESTAMP);
}

struct frame_times gl_slot_times(struct gl_context *c, const struct gl_slot *s)
{
    GLuint64 at[MARKS] = {0};
    for (unsigned i = 0; s->timed && i < MARKS; i++)
        c->gl.glGetQueryObjectui64v(s->mark[i], GL_QUERY_RESULT, &at[i]);
    return (struct frame_times){.upload = {at[0], at[1]}, .passes = {at[1], at[2]}};
}

int gl_copy_rate(struct gl_context *c, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                 struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    GLuint buffer[2] = {0};
    char *map = NULL;
    int rc = gl_buffer_create(c, bytes, &buffer[0], kind == COPY_UPLOAD ? &map : NULL, e);
    if (!rc)
        rc = gl_buffer_create(c, bytes, &buffer[1], NULL, e);
    gl->glBindBuffer(GL_COPY_READ_BUFFER, buffer[0]);
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, buffer[1]);
    uint64_t start = 0;
    for (unsigned i = 0; !rc && i <= times; i++) {
        gl->glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, (GLsizeiptr)bytes);
        if (i == 0) { /* the first one touches the memory */
            gl->glFinish();
            start = clock_ns();
        }
    }
    gl->glFinish();
    *seconds = clock_seconds_since(start);
    gl->glDeleteBuffers(2, buffer);
    return rc ? rc : gl_check(gl, "measuring a copy", e);
}
