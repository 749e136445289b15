/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that options of metrics ask for (assay_plane_file): planes as samples of 16 bits, frame after frame. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "results/file.h"

enum { CODE_BYTES = 2, LARGEST_CODE = 65535 };

static int open_one(struct plane_codes *c, const assay_plane_file *of, bool force, assay_session *s,
                    struct assay_error *e)
{
    struct plane_codes_file *f = &c->file[c->files];
    assay_plane p;
    TRY(session_failed(s, assay_session_plane(s, of->plane, &p), e));
    if (asprintf(&f->path, "%s/%s", of->folder, of->name) < 0) {
        f->path = NULL;
        return assay_fail_memory(e, "a file's name");
    }
    c->files++;
    f->of = *of;
    f->samples = (size_t)p.width * p.height;
    const int why = file_folders(f->path);
    if (why)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made: %s", of->folder, strerror(why));
    TRY(force ? ASSAY_OK : file_spare(f->path, FILE_RAW, e));
    f->stream = fopen(f->path, "wbe");
    if (!f->stream)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be opened for writing: %s", f->path, strerror(errno));
    c->most = f->samples > c->most ? f->samples : c->most;
    return ASSAY_OK;
}

bool plane_codes_wanted(const struct cli *c)
{
    bool wanted = false;
    for (uint32_t i = 0; i < c->q.metrics; i++)
        wanted |= strstr(c->q.metric[i], "heatmaps_path=") != NULL;
    return wanted;
}

int plane_codes_open(struct plane_codes *c, bool force, assay_session *s, struct assay_error *e)
{
    assay_plane_file of;
    uint32_t n = 0;
    while (!assay_session_plane_file(s, n, &of))
        n++;
    if (!n)
        return ASSAY_OK;
    c->file = calloc(n, sizeof *c->file);
    if (!c->file)
        return assay_fail_memory(e, "the files of planes");
    for (uint32_t i = 0; i < n; i++) {
        TRY(session_failed(s, assay_session_plane_file(s, i, &of), e));
        TRY(open_one(c, &of, force, s, e));
    }
    c->plane = malloc(c->most * sizeof *c->plane);
    c->code = malloc(c->most * CODE_BYTES);
    return c->plane && c->code ? ASSAY_OK : assay_fail_memory(e, "the files of planes");
}

static int write_one(struct plane_codes *c, struct plane_codes_file *f, assay_session *s, uint64_t frame,
                     struct assay_error *e)
{
    assay_plane p;
    const uint64_t frame_bytes = (uint64_t)f->samples * CODE_BYTES;
    TRY(session_failed(s, assay_session_plane(s, f->of.plane, &p), e));
    TRY(session_failed(s, assay_session_read_plane(s, f->of.plane, c->plane, (size_t)p.width * sizeof *c->plane), e));
    for (size_t i = 0; i < f->samples; i++) {
        const double v = f->of.scale * (double)c->plane[i];
        const uint32_t code = v < LARGEST_CODE ? (uint32_t)v : LARGEST_CODE;
        c->code[CODE_BYTES * i] = (uint8_t)(code & 255);
        c->code[CODE_BYTES * i + 1] = (uint8_t)(code >> 8);
    }
    /* Frames that are left out leave holes, which read as 0. */
    if ((f->at == frame || !fseeko(f->stream, (off_t)(frame * frame_bytes), SEEK_SET)) &&
        fwrite(c->code, CODE_BYTES, f->samples, f->stream) == f->samples) {
        f->at = frame + 1;
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be written: %s", f->path, strerror(errno));
}

int plane_codes_write(struct plane_codes *c, assay_session *s, uint64_t frame, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->files; i++)
        TRY(write_one(c, &c->file[i], s, frame, e));
    return ASSAY_OK;
}

int plane_codes_close(struct plane_codes *c, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (uint32_t i = 0; i < c->files; i++) {
        struct plane_codes_file *f = &c->file[i];
        if (f->stream && fclose(f->stream) && !rc)
            rc = assay_fail(e, ASSAY_EINTERNAL, "%s: can't be written: %s", f->path, strerror(errno));
        free(f->path);
    }
    free(c->file);
    free(c->plane);
    free(c->code);
    *c = (struct plane_codes){0};
    return rc;
}
