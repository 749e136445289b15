/* SPDX-License-Identifier: BSD-2-Clause */
/* assay image REFERENCE DISTORTED: are the pictures the same, and if not, how far are they apart? */
#include <stdlib.h>
#include <string.h>

#include "cli/image/image.h"
#include "host/text.h"

/* Whether a failure concerns this pair alone: the pair can't be read or does not match. Other failures end the run. */
static bool of_the_pair(int code, const struct image_pair *p)
{
    return code == ASSAY_EINPUT || code == ASSAY_EMISMATCH || (code == ASSAY_EUSAGE && p->colour_unknown);
}

/* Keeps why a pair was not compared. The first failure is printed at the end. */
static int fail_pair(struct image_pair *p, const struct assay_error *why, struct progress *progress,
                     struct assay_error *e)
{
    p->code = why->code;
    p->figures = p->first_other = p->first_alpha = 0;
    if (!(p->error = strdup(why->text)))
        return assay_fail_memory(e, "a message");
    progress_erase(progress);
    if (e->code)
        text_say("%s", why->text);
    else
        *e = *why;
    return ASSAY_OK;
}

static int compare_all(struct images *r, const struct cli *c, struct pictures *x, struct progress *progress,
                       struct assay_error *e)
{
    struct image_rows rows = {.shaped = NULL};
    while (r->done < r->pairs) {
        struct image_pair *p = &r->pair[r->done];
        struct assay_error why = {0};
        const int rc = signals_why() ? ASSAY_EINPUT : image_compare(x, c, progress, &why);
        const bool stopped = rc && signals_why();
        if (stopped || (rc && (!r->folders || !of_the_pair(rc, p)))) {
            progress_erase(progress);
            if (e->code) /* the failure that ends the run replaces a pair's failure */
                text_say("%s", e->text);
            *e = why;
            return stopped ? signals_stopped(e) : rc;
        }
        TRY(rc ? fail_pair(p, &why, progress, e) : ASSAY_OK);
        r->done++;
        progress_erase(progress);
        if (r->folders && !c->quiet && results_stream(c) == stdout)
            images_print_row(&rows, r, p, stdout);
        progress_update(progress, r->done);
    }
    return ASSAY_OK;
}

/* Fails where a file is in one folder only or a folder was not looked into, unless that is allowed. */
static int check_left(const struct images *r, struct assay_error *e)
{
    const uint32_t alone = r->alone[0] + r->alone[1];
    const unsigned side = r->alone[0] ? 0 : 1;
    uint32_t folders = 0;
    const char *first = NULL;
    if (alone)
        return assay_fail(e, ASSAY_EMISMATCH,
                          "%u file%s in one folder only, the first is %s/%s (--allow-unpaired leaves them out)", alone,
                          alone == 1 ? " is" : "s are", r->path[side], r->only[side][0]);
    for (uint32_t i = 0; i < r->lefts; i++) {
        first = !first && r->left[i].folder ? r->left[i].path : first;
        folders += r->left[i].folder;
    }
    if (!folders)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EMISMATCH,
                      "%u folder%s not looked into, the first is %s (--recursive compares what is in them, "
                      "--allow-unpaired leaves them out)", folders, folders == 1 ? " was" : "s were", first);
}

static int write_report(const struct images *r, const struct cli *c, const struct cli_output *to,
                        struct assay_error *e)
{
    if (to->kind != REPORT_HTML)
        return (to->kind == REPORT_CSV ? images_csv : images_json)(r, to->path, e);
    struct image_pair **order = images_order(r, e);
    int rc = order ? image_pictures(r, c, order, e) : e->code;
    rc = rc ? rc : images_html(r, order, to->path, e);
    free(order);
    return rc;
}

/* Writes the reports and the end of the table, also after a run that broke off. Returns the worst result. */
static int conclude(struct images *r, const struct cli *c, struct assay_error *e)
{
    FILE *people = results_stream(c);
    struct assay_error late = {0};
    bool failed = false, floats = false;
    r->reason = r->done < r->pairs ? e->text : NULL;
    for (uint32_t i = 0; !late.code && i < c->outputs; i++)
        write_report(r, c, &c->output[i], &late);
    if (!c->quiet && people == stdout)
        (r->folders ? images_print_end : images_print)(r, people);
    image_print_gates(r, people);
    for (uint32_t i = 0; i < r->done; i++) {
        failed = failed || r->pair[i].failed;
        floats = floats || r->pair[i].floats;
    }
    TRY(e->code);
    TRY(image_gates_known(r, e));
    TRY(floats ? ASSAY_OK : pictures_refuse_tolerance(r, e));
    TRY(c->q.allow[ALLOW_UNPAIRED] ? ASSAY_OK : check_left(r, e));
    return late.code ? assay_fail(e, late.code, "%s", late.text) : failed;
}

static int run(struct images *r, const struct cli *c, struct assay_error *e)
{
    struct progress progress = {0};
    struct pictures *x = NULL;
    TRY(results_spared(c, e));
    TRY(c->heatmap ? heatmaps_folder(c->heatmap, e) : ASSAY_OK);
    TRY(image_list(r, c, e));
    if (c->progress || (r->folders && !c->quiet && !c->no_progress))
        progress_start(&progress, stderr, c->progress, r->pairs, "pairs");
    int broken = pictures_open(&x, r, &c->q, e);
    broken = broken ? broken : compare_all(r, c, x, &progress, e);
    pictures_close(&x);
    progress_erase(&progress);
    return broken && !r->done ? broken : conclude(r, c, e);
}

int cli_image(const struct cli *c, struct assay_error *e)
{
    struct images *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "the run");
    r->gate = c->gate;
    r->gates = c->gates;
    r->tolerance = c->q.tolerances ? c->q.tolerance : NULL;
    r->precision = c->precision;
    r->shown = c->thumbnails;
    for (unsigned side = 0; side < 2; side++) {
        r->path[side] = c->q.path[side];
        if (c->q.crop[side].width)
            crop_text(r->crop[side], sizeof r->crop[side], &c->q.crop[side]);
    }
    signals_catch();
    const int rc = run(r, c, e);
    images_free(r);
    free(r);
    return rc;
}
