/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Vulkan executor on a device that an application hands in, whose N-th fallible call fails, N = 1, 2, ... until a
 * run of two frames succeeds: each failure is one clear line with the device's error code, and everything is given back
 * (the validation layer, where installed, complains about what is not). Exit 77 when there is no Vulkan device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "devices/vulkan_fakes.h"

enum { W = 37, H = 23, FRAMES = 2 };

static struct graph *make_graph(struct assay_error *e)
{
    struct graph *g = graph_new(e);
    static const unsigned char rows[W * H] = {1};
    graph_plane ref, dis, table, half;
    graph_pass pass;
    if (!g || graph_input(g, SIDE_REF, 0, SAMPLE_U8, W, H, &ref, e) ||
        graph_input(g, SIDE_DIS, 0, SAMPLE_U8, W, H, &dis, e) || graph_table(g, rows, W, SAMPLE_U8, W, H, &table, e))
        exit(1);
    struct graph_pass_request sse = {.family = KERNEL_SSE, .in = {ref, dis}};
    int rc = graph_add(g, &sse, &pass, NULL, e);
    for (unsigned i = 0; i < 3 && !rc; i++) {
        struct graph_pass_request halve = {.family = KERNEL_HALVE, .in = {i == 0 ? ref : i == 1 ? dis : table},
                                           .param = {{.f = 1.0f}}};
        halve.out[0].width = halve.grid_w = (W + 1) / 2;
        halve.out[0].height = halve.grid_h = (H + 1) / 2;
        rc = graph_add(g, &halve, &pass, &half, e);
    }
    if (rc || graph_seal(g, e)) {
        fprintf(stderr, "%s\n", e->text);
        exit(1);
    }
    return g;
}

/* Two timed frames, one from the executor's memory and one from ours, and both kinds of measured copies. */
static int run(const struct image_device *handles, const struct graph *g, int64_t totals[FRAMES][2],
               struct assay_error *e)
{
    static unsigned char own[2][W * H];
    struct executor *x = NULL;
    unsigned char *memory = NULL;
    int rc = executor_adopt(&x, handles, e);
    if (!rc)
        rc = x->ops->prepare(x, g, FRAMES, e);
    if (!rc && !(memory = x->ops->host_alloc(x, 0, 2 * 64 * H)))
        rc = assay_fail(e, ASSAY_EDEVICE, "no host memory");
    if (!rc)
        x->timed = true;
    unsigned submitted = 0;
    for (; !rc && submitted < FRAMES; submitted++) {
        struct frame_inputs in = {0};
        for (unsigned side = 0; side < 2; side++) {
            const ptrdiff_t stride = submitted ? W : 64;
            in.plane[side][0] = (struct kernel_plane){.data = submitted ? own[side] : memory + side * 64 * H,
                                                      .stride = stride, .width = W, .height = H};
            for (int y = 0; y < H; y++)
                memset((char *)in.plane[side][0].data + y * stride, (int)(side * 9 + submitted), W);
        }
        rc = x->ops->submit(x, submitted, &in, e);
    }
    for (unsigned f = 0; f < submitted; f++) {
        struct frame_results results;
        struct assay_error late = {0};
        const int waited = x->ops->wait(x, f, &results, rc ? &late : e);
        if (!waited)
            memcpy(totals[f], results.totals, sizeof totals[f]);
        rc = rc ? rc : waited;
    }
    for (unsigned kind = COPY_UPLOAD; !rc && kind <= COPY_DEVICE; kind++) {
        double seconds;
        rc = x->ops->copy_rate(x, (enum executor_copy)kind, 1000, 2, &seconds, e);
    }
    if (x) {
        x->ops->host_free(x, 0, memory);
        x->ops->close(&x);
    }
    return rc;
}

/* ---- pipelines that are kept ------------------------------------------------------------------------------------- */

static PFN_vkCreatePipelineCache create_cache;
static atomic_uint fresh, kept; /* pipeline caches that were made empty, and of what an earlier run left */

static VKAPI_ATTR VkResult VKAPI_CALL count_cache(VkDevice d, const VkPipelineCacheCreateInfo *i,
                                                  const VkAllocationCallbacks *a, VkPipelineCache *o)
{
    atomic_fetch_add(i->initialDataSize ? &kept : &fresh, 1);
    return create_cache(d, i, a, o);
}

/* The two kernels are compiled in the first run alone; in a folder that others can write to, in each. */
static bool test_kept(const struct image_device *handles, const struct graph *g)
{
    static const struct { mode_t mode; unsigned fresh, kept; } run_of[] = {{0700, 2, 0}, {0700, 0, 2}, {0777, 2, 0},
        {0700, 0, 2}};
    char folder[] = "/tmp/assay-kept-XXXXXX", files[64], command[80];
    bool ok = mkdtemp(folder) && !setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(files, sizeof files, "%s/assay", folder);
    ok = ok && !mkdir(files, 0700);
    for (unsigned i = 0; ok && i < sizeof run_of / sizeof run_of[0]; i++) {
        int64_t totals[FRAMES][2];
        struct assay_error e = {0};
        atomic_store(&fresh, 0);
        atomic_store(&kept, 0);
        ok = !chmod(files, run_of[i].mode) && !run(handles, g, totals, &e) && totals[0][0] == 81 * W * H &&
             fresh == run_of[i].fresh && kept == run_of[i].kept;
        if (!ok)
            fprintf(stderr, "run %u: %u pipelines compiled, %u kept; %s\n", i, fresh, kept, e.text);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    ok = ok && !system(command);
    unsetenv("XDG_CACHE_HOME");
    return ok;
}

static bool good_line(const struct assay_error *e, int rc)
{
    return rc == ASSAY_EDEVICE && e->code == rc && *e->text && !strchr(e->text, '\n');
}

static int test(const struct image_device *handles)
{
    static const VkResult results[] = {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST};
    struct assay_error e = {0};
    struct graph *g = make_graph(&e);
    unsigned long failed = 0;
    if (!test_kept(handles, g))
        return 1;
    for (unsigned r = 0; r < 2; r++) {
        injected = results[r];
        for (fail_at = 1;; fail_at++) {
            int64_t totals[FRAMES][2] = {{0}};
            e = (struct assay_error){0};
            calls = 0;
            const int rc = run(handles, g, totals, &e);
            if (!rc && calls >= fail_at) {
                fprintf(stderr, "call %lu failed and nobody noticed\n", fail_at);
                return 1;
            }
            if (!rc) {
                for (unsigned f = 0; f < FRAMES; f++)
                    if (totals[f][0] != 81 * W * H || totals[f][1]) {
                        fprintf(stderr, "frame %u: wrong totals\n", f);
                        return 1;
                    }
                break;
            }
            if (!good_line(&e, rc)) {
                fprintf(stderr, "call %lu: code %d, '%s'\n", fail_at, rc, e.text);
                return 1;
            }
            failed++;
        }
    }
    no_compute = true;
    fail_at = 0;
    struct executor *x;
    e = (struct assay_error){0};
    if (!good_line(&e, executor_adopt(&x, handles, &e)) || x) {
        fprintf(stderr, "a device without compute was taken: %s\n", e.text);
        return 1;
    }
    graph_free(&g);
    printf("%lu runs with a failing call\n", failed);
    return failed < 40; /* buffers, pipelines, sets, commands of two slots: more than that must have been tried */
}

int main(void)
{
    struct assay_error e = {0};
    struct gpu_device *opened;
    if (vk_device_open(&opened, &(struct executor_config){.threads = 0}, NULL, &e)) {
        const char *ci = getenv("CI");
        fprintf(stderr, "%s\n", e.text);
        return ci && !strcmp(ci, "true") ? 1 : 77;
    }
    const struct vk_device *d = (const struct vk_device *)opened;
    real = d->api;
    create_cache = real.vkCreatePipelineCache;
    real.vkCreatePipelineCache = count_cache;
    setenv("HOME", "", 1); /* nothing is kept but where a test says so: each run makes the same calls */
    unsetenv("XDG_CACHE_HOME");
    const struct image_device handles = {.api = IMAGE_VULKAN, .vulkan = {
        .get_instance_proc_addr = (image_function)fake_instance_proc, .instance = d->instance, .physical = d->physical,
        .device = d->device, .queue = d->queues.compute[0], .family = d->queues.family}};
    const int rc = test(&handles);
    vk_device_close(&opened);
    return rc;
}
