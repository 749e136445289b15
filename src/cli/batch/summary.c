/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of `assay batch`: CSV with a row for each job, in the order of the list. */
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"
#include "results/sink.h"

/* The names of all figures, in the order in which they come first. */
struct names {
    const char **name;
    uint32_t names;
};

static bool has(const struct outcome *o)
{
    return o->reason != NULL;
}

static int collect(const struct batch *b, struct names *all, struct assay_error *e)
{
    for (uint32_t i = 0; i < b->jobs; i++) {
        const struct outcome *o = &b->job[i].outcome;
        const char **list = realloc(all->name, (all->names + o->figures + 1) * sizeof *list);
        if (!list)
            return assay_fail_memory(e, "the summary");
        all->name = list;
        for (uint32_t k = 0; k < o->figures; k++) {
            uint32_t n = 0;
            while (n < all->names && strcmp(list[n], o->figure[k].name))
                n++;
            list[n] = o->figure[k].name;
            all->names += n == all->names;
        }
    }
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

static void number(struct sink *s, uint64_t n, bool known)
{
    if (known)
        sink_format(s, ",%llu", (unsigned long long)n);
    else
        sink_text(s, ",");
}

static const char *figure(const struct outcome *o, const char *name)
{
    for (uint32_t i = 0; i < o->figures; i++)
        if (!strcmp(o->figure[i].name, name))
            return o->figure[i].text;
    return "";
}

static void row(struct sink *s, const struct batch_job *job, const struct names *all)
{
    const struct outcome *o = &job->outcome;
    const bool ended = job->progress == BATCH_ENDED && has(o), scored = ended && o->code <= 1;
    cell(s, true, job->reference);
    cell(s, false, job->distorted);
    cell(s, false, job->options);
    cell(s, false, batch_status(job));
    cell(s, false, ended ? o->reason : "");
    number(s, (uint64_t)o->code, ended);
    number(s, o->frames, scored);
    number(s, o->width, scored);
    number(s, o->height, scored);
    cell(s, false, scored ? o->bytes : "");
    cell(s, false, scored ? o->seconds : "");
    cell(s, false, scored ? o->kbps : "");
    cell(s, false, ended ? o->notices : "");
    for (uint32_t i = 0; i < all->names; i++)
        cell(s, false, scored ? figure(o, all->name[i]) : "");
    sink_text(s, "\n");
}

static const char *path_of(const struct batch *b)
{
    return b->options->summary ? b->options->summary : "-";
}

int batch_summary_check(const struct batch *b, struct assay_error *e)
{
    const char *path = path_of(b);
    struct sink s;
    if (!strcmp(path, "-"))
        return ASSAY_OK;
    if (!b->options->force)
        TRY(file_spare(path, FILE_CSV, e));
    TRY(sink_open(&s, path, e));
    sink_abandon(&s);
    return ASSAY_OK;
}

int batch_summary(const struct batch *b, struct assay_error *e)
{
    struct names all = {0};
    struct sink s;
    int rc = collect(b, &all, e);
    rc = rc ? rc : sink_open(&s, path_of(b), e);
    if (!rc) {
        sink_text(&s, "reference,distorted,options,status,reason,exit_code,frames,width_px,height_px,video_bytes,"
                      "duration_s,bitrate_kbps,notices");
        for (uint32_t i = 0; i < all.names; i++)
            cell(&s, false, all.name[i]);
        sink_text(&s, "\n");
        for (uint32_t i = 0; i < b->jobs; i++)
            row(&s, &b->job[i], &all);
        rc = sink_close(&s, e);
    }
    free(all.name);
    return rc;
}
