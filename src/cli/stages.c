/* SPDX-License-Identifier: BSD-2-Clause */
/* Intermediate planes as files: --dump-stage, and --heatmap of the maps that metrics name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "results/file.h"
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
    bool good = pass && pass < sizeof s->pass && colon < end && (!equals || equals[1]);
    s->frame = 0;
    for (const char *d = colon; good && d < end; d++) {
        good = *d >= '0' && *d <= '9' && s->frame <= UINT64_MAX / 32;
        s->frame = s->frame * 10 + (uint64_t)(*d - '0');
    }
    if (!good)
        return assay_fail(e, ASSAY_EUSAGE, "--dump-stage takes PASS:FRAME or PASS:FRAME=FILE, not '%s'", text);
    memcpy(s->pass, text, pass);
    s->pass[pass] = 0;
    s->file = equals ? equals + 1 : NULL;
    return ASSAY_OK;
}

/* The file name of plane `output` of a stage. If the pass writes several planes, the number is before the ending. */
static char *stage_file(const struct cli_stage *s, const char *pass, uint32_t output, uint32_t outputs)
{
    char number[16] = "", *path = NULL;
    const char *dot = s->file ? strrchr(s->file, '.') : NULL;
    if (outputs > 1)
        snprintf(number, sizeof number, "-%u", output);
    const int n = !s->file ? asprintf(&path, "%s-%llu%s.npy", pass, (unsigned long long)s->frame, number)
                : dot      ? asprintf(&path, "%.*s%s%s", (int)(dot - s->file), s->file, number, dot)
                           : asprintf(&path, "%s%s", s->file, number);
    return n < 0 ? NULL : path;
}

/* "a, b, c": the passes that write planes, cut off with "..." where the message ends. */
static void list_passes(assay_session *s, char *text, size_t size)
{
    size_t used = 0;
    assay_plane p;
    text[0] = 0;
    for (uint32_t i = 0; !assay_session_plane(s, i, &p); i++) {
        if (p.output || p.view)
            continue;
        if (used + strlen(p.pass) + 8 > size) {
            strcpy(text + used, ", ...");
            return;
        }
        used += (size_t)sprintf(text + used, "%s%s", used ? ", " : "", p.pass);
    }
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

/* Checks the file of one plane before the first frame. */
static int check_file(const struct cli *c, const struct cli_stage *stage, const assay_plane *p, uint32_t outputs,
                      struct assay_error *e)
{
    char *path = stage_file(stage, p->pass, p->output, outputs);
    if (!path)
        return assay_fail_memory(e, "a file's name");
    int rc = stage->file ? plane_file_check(stage->file, p->type, e) : ASSAY_OK;
    if (!rc && !c->force)
        rc = file_spare(path, FILE_PLANE, e);
    free(path);
    return rc;
}

int stages_check(const struct cli *c, assay_session *s, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->stages; i++) {
        uint32_t output = 0, index;
        assay_plane p;
        char known[400];
        while (find_plane(&c->stage[i], s, output, &index, &p))
            output++;
        for (uint32_t o = 0; find_plane(&c->stage[i], s, o, &index, &p); o++)
            TRY(check_file(c, &c->stage[i], &p, output, e));
        if (output)
            continue;
        list_passes(s, known, sizeof known);
        return assay_fail(e, ASSAY_EUSAGE, "--dump-stage: no pass called '%s' writes a plane; those that do: %s",
                          c->stage[i].pass, known[0] ? known : "none");
    }
    return ASSAY_OK;
}

int stages_read(assay_session *s, uint32_t index, const assay_plane *p, void **data, struct assay_error *e)
{
    const size_t row = (size_t)p->width * p->sample_size;
    *data = malloc(row * p->height);
    return *data ? session_failed(s, assay_session_read_plane(s, index, *data, row), e)
                 : assay_fail_memory(e, "an intermediate plane");
}

static int write_stage(const struct cli_stage *stage, assay_session *s, struct assay_error *e)
{
    uint32_t index, outputs = 0;
    assay_plane p;
    int rc = ASSAY_OK;
    while (find_plane(stage, s, outputs, &index, &p))
        outputs++;
    for (uint32_t o = 0; !rc && find_plane(stage, s, o, &index, &p); o++) {
        char *path = stage_file(stage, p.pass, o, outputs);
        void *data = NULL;
        rc = path ? stages_read(s, index, &p, &data, e) : assay_fail_memory(e, "a file's name");
        if (!rc)
            rc = plane_file_write(path, &p, data, e);
        free(data);
        free(path);
    }
    return rc;
}

int stages_write(const struct cli *c, assay_session *s, uint64_t frame, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->stages; i++)
        if (c->stage[i].frame == frame)
            TRY(write_stage(&c->stage[i], s, e));
    return ASSAY_OK;
}

int stages_missing(const struct cli *c, const struct scores *scored, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->stages; i++) {
        uint64_t row = 0;
        while (row < scored->rows && scored->frame[row] != c->stage[i].frame)
            row++;
        if (row == scored->rows)
            return assay_fail(e, ASSAY_EUSAGE, "--dump-stage: frame %llu was not scored",
                              (unsigned long long)c->stage[i].frame);
    }
    return ASSAY_OK;
}

/* ---- heatmaps ---- */

int heatmaps_folder(const char *folder, struct assay_error *e)
{
    TRY(png_file_available(e));
    if (mkdir(folder, 0777) && errno != EEXIST)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made: %s", folder, strerror(errno));
    if (!is_folder(folder))
        return assay_fail(e, ASSAY_EINTERNAL, "%s: is not a folder", folder);
    return ASSAY_OK;
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
        char *path;
        if (asprintf(&path, "%s/%s.%s.%s", c->heatmap, stem, p->map, values ? "npy" : "png") < 0)
            path = NULL;
        rc = !path ? assay_fail_memory(e, "a file's name")
                   : c->force ? ASSAY_OK : file_spare(path, values ? FILE_PLANE : FILE_PNG, e);
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
