/* SPDX-License-Identifier: BSD-2-Clause */
/* Intermediate planes as files: --dump-stage, and --heatmap of the maps that metrics name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "engine/session.h"
#include "report/heatmap.h"
#include "report/plane_file.h"
#include "report/png_file.h"

int stage_parse(struct cli *c, const char *text, struct assay_error *e)
{
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
    c->config.keep_planes = 1;
    return ASSAY_OK;
}

/* The file of plane `output` of a stage; with several planes their numbers stand before the ending. */
static char *stage_file(const struct cli_stage *s, const char *pass, unsigned output, unsigned outputs)
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

static assay_plane describe(const struct graph_plane_info *p)
{
    return (assay_plane){.type = graph_type_name(p->type), .width = p->width, .height = p->height,
                         .sample_size = sample_size(p->type)};
}

/* "a, b, c": the passes that write planes, cut off with "..." where the message ends. */
static void list_passes(const struct graph *g, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        char name[GRAPH_NAME];
        if (!assay_kernel_info[g->pass[p].kernel].planes_out)
            continue;
        graph_name(g, p, name);
        if (used + strlen(name) + 8 > size) {
            strcpy(text + used, ", ...");
            return;
        }
        used += (size_t)sprintf(text + used, "%s%s", used ? ", " : "", name);
    }
}

static int find_pass(const struct cli_stage *s, const struct graph *g, graph_pass *pass, struct assay_error *e)
{
    char known[400];
    if (graph_find(g, s->pass, pass) && assay_kernel_info[g->pass[*pass].kernel].planes_out)
        return ASSAY_OK;
    list_passes(g, known, sizeof known);
    return assay_fail(e, ASSAY_EUSAGE, "--dump-stage: no pass called '%s' writes a plane; those that do: %s", s->pass,
                      known[0] ? known : "none");
}

int stages_check(const struct cli *c, const assay_session *s, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (uint32_t i = 0; !rc && i < c->stages; i++) {
        graph_pass pass = 0;
        rc = find_pass(&c->stage[i], s->graph, &pass, e);
        if (rc || !c->stage[i].file)
            continue;
        const struct graph_pass_info *info = &s->graph->pass[pass];
        const struct kernel_info *k = &assay_kernel_info[info->kernel];
        for (unsigned o = 0; !rc && o < k->planes_out; o++)
            rc = plane_file_check(c->stage[i].file, graph_type_name(k->plane[k->planes_in + o]), e);
    }
    return rc;
}

/* A plane of the frame that was submitted last, without gaps between its rows; the caller frees it. */
static int read_plane(assay_session *s, graph_plane plane, void **data, struct assay_error *e)
{
    const struct graph_plane_info *p = &s->graph->plane[plane];
    const size_t row = (size_t)p->width * sample_size(p->type);
    *data = malloc(row * p->height);
    if (!*data)
        return assay_fail_memory(e, "an intermediate plane");
    const int rc = session_read_plane(s, plane, *data, row);
    if (rc) {
        free(*data);
        *data = NULL;
        return assay_fail(e, rc, "%s", assay_session_error(s));
    }
    return ASSAY_OK;
}

static int write_stage(const struct cli_stage *stage, assay_session *s, struct assay_error *e)
{
    graph_pass pass = 0;
    char name[GRAPH_NAME];
    int rc = find_pass(stage, s->graph, &pass, e);
    if (rc)
        return rc;
    graph_name(s->graph, pass, name);
    const struct graph_pass_info *info = &s->graph->pass[pass];
    const struct kernel_info *k = &assay_kernel_info[info->kernel];
    for (unsigned o = 0; !rc && o < k->planes_out; o++) {
        const graph_plane plane = info->plane[k->planes_in + o];
        const assay_plane form = describe(&s->graph->plane[plane]);
        void *data = NULL;
        char *path = stage_file(stage, name, o, k->planes_out);
        rc = path ? read_plane(s, plane, &data, e) : assay_fail_memory(e, "a file's name");
        if (!rc)
            rc = plane_file_write(path, &form, data, e);
        free(data);
        free(path);
    }
    return rc;
}

int stages_write(const struct cli *c, assay_session *s, uint64_t frame, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (uint32_t i = 0; !rc && i < c->stages; i++)
        if (c->stage[i].frame == frame)
            rc = write_stage(&c->stage[i], s, e);
    return rc;
}

int stages_missing(const struct cli *c, const struct scores *scored, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->stages; i++) {
        uint64_t row = 0;
        while (row < scored->rows && scored->frame[row] != c->stage[i].frame)
            row++;
        if (row == scored->rows)
            return assay_fail(e, ASSAY_EUSAGE, "--dump-stage: frame %llu was not scored", (unsigned long long)c->stage[i].frame);
    }
    return ASSAY_OK;
}

/* ---- heatmaps ---- */

int heatmaps_folder(const char *folder, struct assay_error *e)
{
    struct stat st;
    const int rc = png_file_available(e);
    if (rc)
        return rc;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made: %s", folder, strerror(errno));
    if (stat(folder, &st) || !S_ISDIR(st.st_mode))
        return assay_fail(e, ASSAY_EINTERNAL, "%s: is not a folder", folder);
    return ASSAY_OK;
}

int heatmaps_check(const struct cli *c, const assay_session *s, struct assay_error *e)
{
    uint32_t maps = 0;
    if (!c->heatmap)
        return ASSAY_OK;
    for (uint32_t m = 0; m < s->metrics; m++)
        maps += s->metric[m]->n_maps;
    if (!maps)
        return assay_fail(e, ASSAY_EUSAGE, "--heatmap: no metric of this run has a map to draw (diff and ssimulacra2=map=true have)");
    return heatmaps_folder(c->heatmap, e);
}

int heatmaps_write(const struct cli *c, assay_session *s, const char *stem, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (uint32_t m = 0; m < s->metrics; m++)
        for (uint32_t i = 0; !rc && i < s->metric[m]->n_maps; i++) {
            const struct metric_map *map = &s->metric[m]->maps[i];
            const struct graph_plane_info *p = &s->graph->plane[map->plane];
            void *data = NULL;
            char *path = NULL;
            rc = read_plane(s, map->plane, &data, e);
            if (!rc && asprintf(&path, "%s/%s.%s.png", c->heatmap, stem, map->name) < 0) {
                path = NULL;
                rc = assay_fail_memory(e, "a file's name");
            }
            const struct heatmap picture = {.plane = data, .type = graph_type_name(p->type), .width = p->width,
                                            .height = p->height, .what = map->name};
            if (!rc)
                rc = heatmap_write(path, &picture, e);
            free(path);
            free(data);
        }
    return rc;
}
