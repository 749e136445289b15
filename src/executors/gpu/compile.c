/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/compile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/cache.h"
#include "host/cpu.h"
#include "host/digest.h"
#include "host/thread.h"

enum { COMPILE_HEAD = 640, COMPILE_NAME = 32, COMPILE_MOST = 64 << 20, COMPILE_THREADS = 16 };

struct compile_kernel compile_shader(const struct gpu_device *d, graph_pass pass)
{
    const struct shader *s = d->plan->pass[pass].kernel.shader;
    return (struct compile_kernel){d, assay_kernel_info[d->graph->pass[pass].kernel].name, s->code, s->bytes};
}

int compile_failed(const struct compile_kernel *k, const char *log, struct assay_error *e)
{
    char line[201];
    snprintf(line, sizeof line, "%s", log + strspn(log, "\n "));
    line[strcspn(line, "\n")] = 0;
    return assay_fail(e, ASSAY_EDEVICE, "%s: building kernel %s: %s", k->device->ops->api, k->name,
                      *line ? line : "no reason given");
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A kernel has one file for each device, whichever driver and build of ours wrote it: what is old is replaced. */
static void compile_name(const struct compile_kernel *k, char name[COMPILE_NAME])
{
    uint64_t digest = digest_of(k->device->ops->api, strlen(k->device->ops->api));
    digest = digest_more(digest, k->device->name, strlen(k->device->name) + 1);
    snprintf(name, COMPILE_NAME, "kernel-%016" PRIx64, digest_more(digest, k->name, strlen(k->name)));
}

static size_t compile_head(const struct compile_kernel *k, const void *made, size_t bytes, char head[COMPILE_HEAD])
{
    const struct gpu_device *d = k->device;
    const int n = snprintf(head, COMPILE_HEAD, "assay kernel 1\n%s\n%s\n%s, %016" PRIx64 "\n%.80s, %zu, %016" PRIx64
                           "\n%zu, %016" PRIx64 "\n", d->ops->api, d->name, d->driver, d->build, k->name, k->bytes,
                           digest_of(k->code, k->bytes), bytes, digest_of(made, bytes));
    return n > 0 && n < COMPILE_HEAD ? (size_t)n : 0;
}

void *compile_load(const struct compile_kernel *k, size_t *bytes)
{
    char name[COMPILE_NAME], why[CACHE_WHY], head[COMPILE_HEAD];
    size_t all;
    compile_name(k, name);
    char *data = cache_read(name, COMPILE_MOST, &all, why), *end = data;
    for (unsigned line = 0; end && line < 6; line++)
        end = (end = memchr(end, '\n', all - (size_t)(end - data))) ? end + 1 : NULL;
    *bytes = end ? all - (size_t)(end - data) : 0;
    const size_t n = *bytes ? compile_head(k, end, *bytes, head) : 0;
    if (n && n == all - *bytes && !memcmp(data, head, n))
        return memmove(data, end, *bytes);
    free(data);
    *bytes = 0;
    return NULL;
}

void compile_save(const struct compile_kernel *k, const void *made, size_t bytes)
{
    char name[COMPILE_NAME], head[COMPILE_HEAD];
    const size_t n = compile_head(k, made, bytes, head);
    char *data = n && bytes && bytes <= COMPILE_MOST - COMPILE_HEAD ? malloc(n + bytes) : NULL;
    if (!data)
        return;
    memcpy(data, head, n);
    memcpy(data + n, made, bytes);
    compile_name(k, name);
    cache_write(name, data, n + bytes);
    free(data);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

struct compile_job {
    struct gpu_device *device;
    compile_one *build;
    graph_pass pass[KERNEL_VARIANTS]; /* the first of each kernel */
};

static void compile_next(void *opaque, unsigned i, struct assay_error *e)
{
    const struct compile_job *b = opaque;
    b->build(b->device, b->pass[i], e);
}

int compile_all(struct gpu_device *d, bool threads, compile_one *build, struct assay_error *e)
{
    bool seen[KERNEL_VARIANTS] = {false};
    const unsigned allowed = threads ? cpu_allowed_count() : 0;
    struct compile_job b = {.device = d, .build = build};
    unsigned n = 0;
    for (graph_pass p = 0; p < d->graph->passes; p++)
        if (!seen[d->graph->pass[p].kernel]) {
            seen[d->graph->pass[p].kernel] = true;
            b.pass[n++] = p;
        }
    return thread_each(allowed < COMPILE_THREADS ? allowed : COMPILE_THREADS, n, compile_next, &b, e);
}
