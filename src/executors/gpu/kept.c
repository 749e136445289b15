/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/kept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cpu/pool.h"
#include "host/cache.h"
#include "host/cpu.h"
#include "host/digest.h"

enum { KEPT_HEAD = 640, KEPT_NAME = 32, KEPT_MOST = 64 << 20, KEPT_THREADS = 16 };

struct kept_kernel kept_shader(const struct gpu_device *d, graph_pass pass)
{
    const struct shader *s = d->plan->pass[pass].kernel.shader;
    return (struct kept_kernel){d, assay_kernel_info[d->graph->pass[pass].kernel].name, s->code, s->bytes};
}

int kept_failed(const struct kept_kernel *k, const char *log, struct assay_error *e)
{
    char line[201];
    snprintf(line, sizeof line, "%s", log + strspn(log, "\n "));
    line[strcspn(line, "\n")] = 0;
    return assay_fail(e, ASSAY_EDEVICE, "%s: building kernel %s: %s", k->device->ops->api, k->name,
                      *line ? line : "no reason given");
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A kernel has one file for each device, whichever driver and build of ours wrote it: what is old is replaced. */
static void kept_name(const struct kept_kernel *k, char name[KEPT_NAME])
{
    uint64_t digest = digest_of(k->device->ops->api, strlen(k->device->ops->api));
    digest = digest_more(digest, k->device->name, strlen(k->device->name) + 1);
    snprintf(name, KEPT_NAME, "kernel-%016" PRIx64, digest_more(digest, k->name, strlen(k->name)));
}

static size_t kept_head(const struct kept_kernel *k, const void *made, size_t bytes, char head[KEPT_HEAD])
{
    const struct gpu_device *d = k->device;
    const int n = snprintf(head, KEPT_HEAD, "assay kernel 1\n%s\n%s\n%s, %016" PRIx64 "\n%.80s, %zu, %016" PRIx64 "\n"
                           "%zu, %016" PRIx64 "\n", d->ops->api, d->name, d->driver, d->build, k->name, k->bytes,
                           digest_of(k->code, k->bytes), bytes, digest_of(made, bytes));
    return n > 0 && n < KEPT_HEAD ? (size_t)n : 0;
}

void *kept_load(const struct kept_kernel *k, size_t *bytes)
{
    char name[KEPT_NAME], why[CACHE_WHY], head[KEPT_HEAD];
    size_t all;
    kept_name(k, name);
    char *data = cache_read(name, KEPT_MOST, &all, why), *end = data;
    for (unsigned line = 0; end && line < 6; line++)
        end = (end = memchr(end, '\n', all - (size_t)(end - data))) ? end + 1 : NULL;
    *bytes = end ? all - (size_t)(end - data) : 0;
    const size_t n = *bytes ? kept_head(k, end, *bytes, head) : 0;
    if (n && n == all - *bytes && !memcmp(data, head, n))
        return memmove(data, end, *bytes);
    free(data);
    *bytes = 0;
    return NULL;
}

void kept_save(const struct kept_kernel *k, const void *made, size_t bytes)
{
    char name[KEPT_NAME], head[KEPT_HEAD];
    const size_t n = kept_head(k, made, bytes, head);
    char *data = n && bytes && bytes <= KEPT_MOST - KEPT_HEAD ? malloc(n + bytes) : NULL;
    if (!data)
        return;
    memcpy(data, head, n);
    memcpy(data + n, made, bytes);
    kept_name(k, name);
    cache_write(name, data, n + bytes);
    free(data);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

struct kept_building {
    struct gpu_device *device;
    kept_build *build;
    graph_pass pass[KERNEL_VARIANTS]; /* the first of each kernel */
    struct assay_error error[KERNEL_VARIANTS];
};

/* A tile of the pool's job is a kernel. */
static void kept_build_one(const struct kernel_args *args)
{
    struct kept_building *b = args->plane[0].data;
    b->build(b->device, b->pass[args->tile_x], &b->error[args->tile_x]);
}

int kept_build_all(struct gpu_device *d, bool threads, kept_build *build, struct assay_error *e)
{
    bool seen[KERNEL_VARIANTS] = {false};
    unsigned n = 0, failed = 0, most = threads ? cpu_allowed_count() : 1;
    struct cpu_pool *pool = NULL;
    struct kept_building *b = calloc(1, sizeof *b);
    if (!b)
        return assay_fail_memory(e, "the kernels of a device");
    b->device = d;
    b->build = build;
    for (graph_pass p = 0; p < d->graph->passes; p++)
        if (!seen[d->graph->pass[p].kernel]) {
            seen[d->graph->pass[p].kernel] = true;
            b->pass[n++] = p;
        }
    most = most < KEPT_THREADS ? most : KEPT_THREADS;
    int rc = cpu_pool_new(&pool, most < n ? most : n ? n : 1, e);
    if (!rc)
        cpu_pool_run(pool, &(struct cpu_job){.run = kept_build_one, .tiles_x = n, .tiles = n, .tile_w = 1, .tile_h = 1,
                                             .end_row = 1, .args = {.plane[0].data = b, .grid_w = (int32_t)n,
                                                                    .grid_h = 1}}, 1);
    cpu_pool_free(&pool);
    while (failed < n && !b->error[failed].code)
        failed++;
    if (!rc && failed < n)
        rc = assay_fail(e, b->error[failed].code, "%s", b->error[failed].text);
    free(b);
    return rc;
}
