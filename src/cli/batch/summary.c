/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of `assay batch`: CSV with a row for each job, in the order of the list. */
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "results/sink.h"

/* The names of all figures, in the order in which they come first. */
struct names {
    uint32_t *name; /* numbers of batch.name_of */
    uint32_t names;
};

static int collect(const struct batch *b, struct names *all, struct assay_error *e)
{
    bool *seen = calloc(b->figures.names + 1, sizeof *seen);
    all->name = calloc(b->figures.names + 1, sizeof *all->name);
    if (!seen || !all->name) {
        free(seen);
        return assay_fail_memory(e, "the summary");
    }
    for (uint32_t i = 0; i < b->plan.jobs; i++) {
        const struct jobs_result *r = &b->job[i].result;
        for (uint32_t k = 0; k < r->figures; k++)
            if (!seen[r->figure[k].name]) {
                seen[r->figure[k].name] = true;
                all->name[all->names++] = r->figure[k].name;
            }
    }
    free(seen);
    return ASSAY_OK;
}

/* A cell, and the comma in front of it unless it is the first one. Line ends become "; ". */
static void cell(struct sink *s, bool first, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    sink_text(s, first ? "" : ",");
    sink_text(s, quoted ? "\"" : "");
    for (; *text; text++) {
        if (*text == '\n')
            sink_text(s, "; ");
        else if (*text == '"')
            sink_text(s, "\"\"");
        else
            sink_bytes(s, text, 1);
    }
    sink_text(s, quoted ? "\"" : "");
}

/* The figures of a job, which stand in the order of the columns but for gaps, mostly. */
static void figures(struct sink *s, const struct jobs_result *r, const struct names *all)
{
    for (uint32_t i = 0, at = 0; i < all->names; i++) {
        char text[NUMBER_TEXT_SIZE] = "";
        for (uint32_t k = 0; k < r->figures && !*text; k++) {
            const struct jobs_figure *f = &r->figure[(at + k) % r->figures];
            if (f->name == all->name[i]) {
                format_shortest(text, f->value);
                at = at + k + 1;
            }
        }
        cell(s, false, text);
    }
}

static void row(struct sink *s, const struct batch *b, uint32_t number, const struct names *all)
{
    const struct jobs_result *r = &b->job[number].result;
    const struct jobs_job *job = &b->plan.job[number];
    const bool ended = b->job[number].has, scored = ended && r->code <= 1;
    cell(s, true, job->reference);
    cell(s, false, job->distorted);
    cell(s, false, job->listed);
    cell(s, false, batch_status(b, number));
    cell(s, false, ended && r->reason ? r->reason : "");
    const uint64_t number_of[] = {(uint64_t)r->code, r->frames, r->width, r->height};
    for (unsigned k = 0; k < 4; k++) {
        sink_text(s, ",");
        if (k ? scored : ended)
            sink_format(s, "%llu", (unsigned long long)number_of[k]);
    }
    cell(s, false, scored ? r->bytes : "");
    cell(s, false, scored ? r->seconds : "");
    cell(s, false, scored ? r->kbps : "");
    cell(s, false, ended && r->notices ? r->notices : "");
    figures(s, r, all);
    sink_text(s, "\n");
}

int batch_summary_check(const struct batch *b, struct assay_error *e)
{
    const char *const path = b->options->summary;
    struct sink s;
    if (!strcmp(path, "-"))
        return ASSAY_OK;
    if (!b->options->force)
        TRY(file_spare(path, FILE_CSV, e));
    TRY(sink_open(&s, path, e));
    sink_abandon(&s);
    return ASSAY_OK;
}

int batch_summary(struct batch *b, struct assay_error *e)
{
    struct names all = {0};
    struct sink s;
    int rc = collect(b, &all, e);
    rc = rc ? rc : sink_open(&s, b->options->summary, e);
    if (!rc) {
        sink_text(&s, "reference,distorted,options,status,reason,exit_code,frames,width_px,height_px,video_bytes,"
                      "duration_s,bitrate_kbps,notices");
        for (uint32_t i = 0; i < all.names; i++)
            cell(&s, false, b->figures.name[all.name[i]]);
        sink_text(&s, "\n");
        for (uint32_t i = 0; i < b->plan.jobs; i++)
            row(&s, b, i, &all);
        rc = sink_close(&s, e);
    }
    free(all.name);
    return rc;
}
