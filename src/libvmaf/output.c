/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports: libvmaf's four forms, with nothing of assay's in them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/libvmaf.h"
#include "host/text.h"
#include "libvmaf/context.h"
#include "libvmaf/dictionary.h"
#include "libvmaf/log.h"
#include "report/reporter.h"

enum { DECIMALS = 6 };

/* The pools of each column over all pictures that were read. */
static int pool_columns(VmafContext *v, const struct scores *s, double *pooled)
{
    const struct store_range range = {0, v->pictures - 1, v->cfg.n_subsample};
    for (uint32_t k = 0; k < s->keys; k++) {
        char name[400];
        libvmaf_kept_name(name, sizeof name, s->key[k]);
        for (unsigned i = 0; i < REPORT_COMMON_POOLS; i++) {
            double *value = &pooled[k * REPORT_COMMON_POOLS + i];
            enum pool pool;
            double percent;
            const bool known = pool_parse(report_common_pools[i], &pool, &percent) && v->pictures;
            const int rc = known ? store_pool(&v->store, name, pool, range, value) : -EINVAL;
            if (rc == -ENOMEM)
                return rc;
            *value = rc ? scores_no_value() : *value;
        }
    }
    return 0;
}

static int write_rows(struct reporter **r, const struct stored *x, struct assay_error *e)
{
    for (uint64_t i = 0; i < x->scores.rows; i++)
        TRY(reporter_frame(*r, &x->scores, i, e));
    return reporter_finish(r, x, e);
}

static int write_report(VmafContext *v, const struct scores *s, const double *pooled, const char *path,
                        const struct report_form *form, struct assay_error *e)
{
    struct reporter *r = NULL;
    struct report_aggregate *aggregate = calloc(v->aggregates + 1, sizeof *aggregate);
    const struct stored x = {.scores = *s, .run = {
        .version = assay_version(), .libvmaf = libvmaf_version(), .bare = true, .pooled = pooled,
        .width = v->format.width, .height = v->format.height, .aggregates = v->aggregates, .aggregate = aggregate,
        .fps = v->pictures / ((double)(v->ended - v->began) * 1e-9)}};
    for (uint32_t i = 0; aggregate && i < v->aggregates; i++)
        aggregate[i] = (struct report_aggregate){assay_session_aggregate_key(v->session, i), v->aggregate[i]};
    int rc = aggregate ? reporter_open_form(&r, form, path, DECIMALS, &x, e) : assay_fail_memory(e, "a report");
    rc = rc ? rc : write_rows(&r, &x, e);
    reporter_abandon(&r);
    free(aggregate);
    return rc;
}

static int write_output(VmafContext *v, const char *path, const struct report_form *form)
{
    struct assay_error e = {0};
    struct scores s = {0};
    const char **key = NULL;
    char *file = NULL; /* "-" is a file, too */
    int rc = text_grow(&file, "%s%s", strcmp(path, "-") ? "" : "./", path);
    rc = rc ? rc : store_rows(&v->store, v->cfg.n_subsample, &s, &key);
    double *pooled = rc ? NULL : calloc(s.keys + 1, REPORT_COMMON_POOLS * sizeof *pooled);
    rc = rc ? rc : pooled ? pool_columns(v, &s, pooled) : -ENOMEM;
    if (!rc && write_report(v, &s, pooled, file, form, &e))
        rc = log_refuse("%s", e.text);
    scores_free(&s);
    free(pooled);
    free(key);
    free(file);
    return rc;
}

int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt)
{
    static const struct report_form *const forms[] = {
        [VMAF_OUTPUT_FORMAT_XML] = &report_form_xml, [VMAF_OUTPUT_FORMAT_JSON] = &report_form_json,
        [VMAF_OUTPUT_FORMAT_CSV] = &report_form_csv, [VMAF_OUTPUT_FORMAT_SUB] = &report_form_sub};
    if (!vmaf || !output_path)
        return -EINVAL;
    if (fmt <= VMAF_OUTPUT_FORMAT_NONE || fmt > VMAF_OUTPUT_FORMAT_SUB)
        return log_refuse("there is no form of a report with number %d", (int)fmt);
    char folder[PATH_MAX]; /* which libvmaf does not make, and reports of the command do */
    text_folder(folder, sizeof folder, output_path);
    if (access(folder, F_OK))
        return log_refuse("%s: can't be opened for writing: %s", output_path, strerror(errno));
    pthread_mutex_lock(&vmaf->lock);
    context_settle(vmaf);
    const int rc = write_output(vmaf, output_path, forms[fmt]);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}
