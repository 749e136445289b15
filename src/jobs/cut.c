/* SPDX-License-Identifier: BSD-2-Clause */
/* How long jobs take, and how they are cut and grouped into tasks of about one length. */
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs.h"

/*
 * Nanoseconds of one processor for a pixel of a pair: one thread, AVX2 (an AMD EPYC), 16 frames of 1080p 4:2:0 with
 * 8 bits from Y4M, reading included; `decoding` is of both sides, noisy H.264. A wrong rate changes no score.
 */
static const struct {
    const char *metric;
    double ns;
} rates[] = {{"psnr", 3}, {"psnr_hvs", 5}, {"ssim", 5}, {"float_ssim", 4}, {"float_ms_ssim", 13}, {"vmaf", 16},
             {"ssimulacra2", 43}, {"ciede2000", 22}, {"cambi", 5}, {"xpsnr", 3}, {"flip", 58}, {"butteraugli", 153},
             {"cvvdp", 198}, {"vif", 10}, {"adm", 4}, {"motion", 2}, {"float_vif", 14}, {"float_adm", 5},
             {"float_motion", 2}, {"speed_temporal", 3}, {"speed_chroma", 1}, {"diff", 3}};
static const double any_metric = 15, usual_metrics = 27, decoding = 20;

static double rate_of(const char *metric)
{
    const size_t n = strcspn(metric, "=:");
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (strlen(rates[i].metric) == n && !strncmp(rates[i].metric, metric, n))
            return rates[i].ns;
    return any_metric;
}

double jobs_seconds(uint64_t pairs, uint64_t pixels, const char *const *metric, uint32_t metrics)
{
    double ns = decoding + (metrics ? 0 : usual_metrics);
    for (uint32_t i = 0; i < metrics; i++)
        ns += rate_of(metric[i]);
    return (double)pairs * (double)pixels * ns * 1e-9 / JOBS_PROCESSORS;
}

static int by_key(const void *a, const void *b)
{
    const struct jobs_job *const *p = a, *const *q = b;
    return ((*p)->key > (*q)->key) - ((*p)->key < (*q)->key);
}

static int by_key_and_place(const void *a, const void *b)
{
    const struct jobs_job *const *p = a, *const *q = b;
    const int order = by_key(a, b);
    return order ? order : (*p > *q) - (*p < *q);
}

struct jobs_job **jobs_sorted(const struct jobs *j)
{
    struct jobs_job **sorted = calloc(j->jobs + 1, sizeof *sorted);
    for (uint32_t i = 0; sorted && i < j->jobs; i++)
        sorted[i] = &j->job[i];
    if (sorted)
        qsort(sorted, j->jobs, sizeof *sorted, by_key_and_place);
    return sorted;
}

/* The one of sorted jobs that has a job's key, or NULL. */
static const struct jobs_job *find(struct jobs_job *const *sorted, uint32_t n, const struct jobs_job *job)
{
    struct jobs_job *const *found = bsearch(&job, sorted, n, sizeof *sorted, by_key);
    return found ? *found : NULL;
}

static int add_unit(struct jobs *j, uint32_t job, uint64_t first, uint64_t frames, struct assay_error *e)
{
    TRY(assay_grow(&j->unit, j->units, sizeof *j->unit, "a plan", e));
    j->unit[j->units++] = (struct jobs_unit){.key = jobs_unit_key(j->job[job].key, first, frames), .job = job,
                                             .first = first, .frames = frames};
    return ASSAY_OK;
}

/* Equal parts of a whole number of pairs; the last one ends where the inputs do, of which nobody is sure before. */
static int cut_job(struct jobs *j, uint32_t i, double seconds, struct assay_error *e)
{
    const struct jobs_job *job = &j->job[i];
    double parts = seconds > 0 && job->pairs ? job->seconds / seconds : 1;
    parts = parts < 1.5 ? 1 : parts > (double)job->pairs ? (double)job->pairs : parts;
    const uint64_t n = (uint64_t)(parts + 0.5), size = n > 1 ? (job->pairs + n - 1) / n : 0;
    for (uint64_t k = 0, first = 0; k < n && (!k || first < job->pairs); k++, first += size)
        TRY(add_unit(j, i, first, k + 1 < n && first + size < job->pairs ? size : 0, e));
    return ASSAY_OK;
}

/* Units in their order, as many in a task as take `seconds` together. A unit of unknown length counts as a whole task:
 * a plan that is too fine costs little, and one that is too coarse keeps machines waiting. */
static void group(struct jobs *j, double seconds)
{
    double used = 0;
    uint32_t in_task = 0;
    j->tasks = 0;
    for (uint32_t i = 0; i < j->units; i++) {
        const struct jobs_job *job = &j->job[j->unit[i].job];
        const double takes = job->seconds > 0 ? job->seconds / job->units : seconds;
        if (!in_task || !(seconds > 0) || used + takes > seconds) {
            j->tasks++;
            used = 0;
        }
        in_task++;
        used += takes;
        j->unit[i].task = j->tasks - 1;
    }
}

static bool is_begun(const struct jobs *j, const struct jobs_job *job)
{
    for (uint32_t k = 0; k < job->units; k++)
        if (j->unit[job->unit + k].state == UNIT_DONE)
            return true;
    return false;
}

int jobs_cut(struct jobs *j, const struct jobs *before, double seconds, struct assay_error *e)
{
    struct jobs_job **sorted = jobs_sorted(before);
    int rc = sorted ? ASSAY_OK : assay_fail_memory(e, "a plan");
    j->units = 0;
    for (uint32_t i = 0; !rc && i < j->jobs; i++) {
        struct jobs_job *job = &j->job[i];
        const struct jobs_job *was = find(sorted, before->jobs, job);
        was = was && is_begun(before, was) ? was : NULL;
        job->unit = j->units;
        for (uint32_t k = 0; was && !rc && k < was->units; k++)
            rc = add_unit(j, i, before->unit[was->unit + k].first, before->unit[was->unit + k].frames, e);
        if (!was && !rc)
            rc = cut_job(j, i, seconds, e);
        job->units = j->units - job->unit;
    }
    free(sorted);
    if (!rc)
        group(j, seconds);
    return rc;
}
