/* SPDX-License-Identifier: BSD-2-Clause */
/* Intermediate planes as files: --dump-stage, --heatmap of the maps that metrics name, and what options of metrics ask
 * for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "host/text.h"
#include "report/heatmap.h"
#include "report/plane_file.h"
#include "report/png_file.h"

int stage_parse(void *cli, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli *c = cli;
    (void)unused;
    if (c->stages == CLI_STAGES)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d stages", CLI_STAGES);
    struct cli_stage *s = &c->stage[c->stages++];
    const char *equals = strchr(text, '='), *end = equals ? equals : text + strlen(text), *colon = end;
    while (colon > text && colon[-1] != ':')
        colon--;
    const size_t pass = colon > text ? (size_t)(colon - 1 - text) : 0;
    if (!pass || pass >= sizeof s->pass || (equals && !equals[1]) ||
        !parse_whole(colon, (size_t)(end - colon), UINT64_MAX / 32 * 10 + 9, &s->frame))
        return assay_fail(e, ASSAY_EUSAGE, "--dump-stage takes PASS:FRAME or PASS:FRAME=FILE, not '%s'", text);
    memcpy(s->pass, text, pass);
    s->pass[pass] = 0;
    s->file = equals ? equals + 1 : NULL;
    return ASSAY_OK;
}

/* The file name of plane `output` of a stage. If the pass writes several planes, the number is before the ending. */
static char *stage_file(const struct cli_stage *s, const char *pass, uint32_t output, uint32_t outputs)
{
    char number[16] = "";
    const char *dot = s->file ? strrchr(s->file, '.') : NULL;
    if (outputs > 1)
        snprintf(number, sizeof number, "-%u", output);
    return !s->file ? text_new("%s-%llu%s.npy", pass, (unsigned long long)s->frame, number)
         : dot      ? text_new("%.*s%s%s", (int)(dot - s->file), s->file, number, dot)
                    : text_new("%s%s", s->file, number);
}

/* Finds plane `output` (from 0) of the pass that a stage names by name or number. */
static bool find_plane(const struct cli_stage *stage, assay_session *s, uint32_t output, uint32_t *index,
                       assay_plane *p)
{
    char number[16];
    for (*index = 0; !assay_session_plane(s, *index, p); ++*index) {
        snprintf(number, sizeof number, "%u", p->pass_number);
        if (p->output == output && !p->view && (!strcmp(stage->pass, p->pass) || !strcmp(stage->pass, number)))
            return true;
    }
    return false;
}

int stages_read(assay_session *s, uint32_t index, const assay_plane *p, void **data, struct assay_error *e)
{
    const size_t row = (size_t)p->width * p->sample_size;
    *data = malloc(row * p->height);
    return *data ? session_failed(s, assay_session_read_plane(s, index, *data, row), e)
                 : assay_fail_memory(e, "an intermediate plane");
}

static int write_file(assay_session *s, uint32_t index, const char *path, const assay_plane *p, struct assay_error *e)
{
    void *data;
    int rc = stages_read(s, index, p, &data, e);
    rc = rc ? rc : plane_file_write(path, p, data, e);
    free(data);
    return rc;
}

/* Checks the files of a stage, or writes them. *planes: how many the stage has. */
static int take_stage(const struct cli *c, const struct cli_stage *stage, assay_session *s, bool write,
                      uint32_t *planes, struct assay_error *e)
{
    uint32_t index;
    assay_plane p;
    int rc = ASSAY_OK;
    *planes = 0;
    while (find_plane(stage, s, *planes, &index, &p))
        ++*planes;
    for (uint32_t o = 0; !rc && find_plane(stage, s, o, &index, &p); o++) {
        char *path = stage_file(stage, p.pass, o, *planes);
        rc = !path ? assay_fail_memory(e, "a file's name")
             : write ? write_file(s, index, path, &p, e)
             : stage->file ? plane_file_check(stage->file, p.type, e) : ASSAY_OK;
        if (!rc && !write)
            rc = results_spare(c, path, FILE_PLANE, e);
        free(path);
    }
    return rc;
}

int stages_check(const struct cli *c, assay_session *s, struct assay_error *e)
{
    assay_plane p;
    for (uint32_t i = 0, planes; i < c->stages; i++) {
        char known[400] = "";
        TRY(take_stage(c, &c->stage[i], s, false, &planes, e));
        for (uint32_t k = 0; !planes && !assay_session_plane(s, k, &p); k++)
            if (!p.output && !p.view && !text_list(known, sizeof known, p.pass))
                break;
        if (!planes)
            return assay_fail(e, ASSAY_EUSAGE, "--dump-stage: no pass called '%s' writes a plane; those that do: %s",
                              c->stage[i].pass, known[0] ? known : "none");
    }
    return ASSAY_OK;
}

int stages_write(const struct cli *c, assay_session *s, uint64_t frame, struct assay_error *e)
{
    for (uint32_t i = 0, planes; i < c->stages; i++)
        if (c->stage[i].frame == frame)
            TRY(take_stage(c, &c->stage[i], s, true, &planes, e));
    return ASSAY_OK;
}

int stages_missing(const struct cli *c, const struct scores *scored, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->stages; i++) {
        const uint64_t row = scores_find(scored, c->stage[i].frame);
        if (row == scored->rows || scored->frame[row] != c->stage[i].frame)
            return assay_fail(e, ASSAY_EUSAGE, "--dump-stage: frame %llu was not scored",
                              (unsigned long long)c->stage[i].frame);
    }
    return ASSAY_OK;
}

/* ---- heatmaps ---------------------------------------------------------------------------------------------------- */

int heatmaps_folder(const char *folder, struct assay_error *e)
{
    TRY(png_file_available(e));
    if (mkdir(folder, 0777) && errno != EEXIST)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made: %s", folder, strerror(errno));
    return is_folder(folder) ? ASSAY_OK : assay_fail(e, ASSAY_EINTERNAL, "%s: is not a folder", folder);
}

int heatmaps_check(const struct cli *c, assay_session *s, struct assay_error *e)
{
    assay_plane p;
    if (!c->heatmap)
        return ASSAY_OK;
    for (uint32_t i = 0; !assay_session_plane(s, i, &p); i++)
        if (p.map)
            return heatmaps_folder(c->heatmap, e);
    return assay_fail(e, ASSAY_EUSAGE,
                      "--heatmap: no metric of this run has a map to draw (vmaf, float_ssim and diff have, for example)");
}

/* Draws a map, and with --heatmap-values writes its numbers beside the picture. */
static int write_heatmap(const struct cli *c, assay_session *s, uint32_t index, const assay_plane *p, const char *stem,
                         struct assay_error *e)
{
    void *data = NULL;
    int rc = stages_read(s, index, p, &data, e);
    const struct heatmap picture = {.plane = data, .type = p->type, .width = p->width, .height = p->height,
                                    .what = p->map, .full = p->map_full, .colours = p->map_colours};
    for (int values = 0; !rc && values <= c->heatmap_values; values++) {
        char *path = text_new("%s/%s.%s.%s", c->heatmap, stem, p->map, values ? "npy" : "png");
        rc = !path ? assay_fail_memory(e, "a file's name")
                   : results_spare(c, path, values ? FILE_PLANE : FILE_PNG, e);
        if (!rc)
            rc = values ? plane_file_write(path, p, data, e) : heatmap_write(path, &picture, e);
        free(path);
    }
    free(data);
    return rc;
}

int heatmaps_write(const struct cli *c, assay_session *s, uint32_t encode, const char *stem, struct assay_error *e)
{
    assay_plane p;
    for (uint32_t i = 0; !assay_session_plane(s, i, &p); i++)
        if (p.map && p.encode == encode)
            TRY(write_heatmap(c, s, i, &p, stem, e));
    return ASSAY_OK;
}

/* ---- files that options of metrics ask for ----------------------------------------------------------------------- */

/* These (assay_plane_file) have planes as samples of 16 bits, frame after frame. */
enum { CODE_BYTES = 2, LARGEST_CODE = 65535 };

static int begin_file(struct plane_codes *c, const assay_plane_file *of, const struct cli *cli, assay_session *s,
                      struct assay_error *e)
{
    struct plane_codes_file *f = &c->file[c->files];
    assay_plane p;
    *f = (struct plane_codes_file){.of = *of};
    TRY(session_failed(s, assay_session_plane(s, of->plane, &p), e));
    if (!(f->path = text_new("%s/%s", of->folder, of->name)))
        return assay_fail_memory(e, "a file's name");
    c->files++;
    f->samples = (size_t)p.width * p.height;
    const int why = file_folders(f->path);
    if (why)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made: %s", of->folder, strerror(why));
    TRY(results_spare(cli, f->path, FILE_RAW, e));
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

int plane_codes_open(struct plane_codes *c, const struct cli *cli, assay_session *s, struct assay_error *e)
{
    assay_plane_file of;
    for (uint32_t i = 0; !assay_session_plane_file(s, i, &of); i++) {
        TRY(assay_grow(&c->file, i, sizeof *c->file, "the files of planes", e));
        TRY(begin_file(c, &of, cli, s, e));
    }
    if (!c->files)
        return ASSAY_OK;
    c->plane = malloc(c->most * sizeof *c->plane);
    c->code = malloc(c->most * CODE_BYTES);
    return c->plane && c->code ? ASSAY_OK : assay_fail_memory(e, "the files of planes");
}

static int write_codes(struct plane_codes *c, struct plane_codes_file *f, assay_session *s, uint64_t frame,
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
        TRY(write_codes(c, &c->file[i], s, frame, e));
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
