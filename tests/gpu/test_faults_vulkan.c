/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison of two images whose N-th Vulkan call fails, N = 1, 2, ... until it succeeds: each failure is one clear
 * line, and the same assay_gpu compares again right after it. The same of a session that scores them, whose N-th
 * allocation fails, too. Exit 77 without a device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/vulkan_fakes.h"
#include "gpu/checks.h"
#include "gpu/memory_fault.h"
#include "gpu/score_oracle.h"
#include "gpu/vulkan_app.h"

enum { W = 19, H = 7 };

static int fail(const char *what, const char *text)
{
    fprintf(stderr, "call %lu: %s: '%s'\n", fail_at, what, text);
    return 1;
}

static int test(const assay_gpu_handles *handles, const assay_gpu_image lent[2], const assay_image_figures *expected)
{
    static const VkResult results[] = {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST};
    unsigned long failed = 0;
    for (unsigned r = 0; r < 2; r++) {
        injected = results[r];
        for (fail_at = 1;; fail_at++) {
            assay_image_figures figures;
            assay_gpu *gpu;
            char error[512] = "";
            calls = 0;
            if (assay_gpu_open(&gpu, handles, error, sizeof error))
                return fail("opening makes no call that may fail", error);
            const int rc = assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &figures);
            const bool reached = calls >= fail_at;
            const char *text = assay_gpu_error(gpu);
            if (reached && (rc != ASSAY_EDEVICE || !*text || strchr(text, '\n')))
                return fail("no clear line", text);
            if (!reached && rc)
                return fail("failed by itself", text);
            failed += reached;
            calls = fail_at; /* none fails from here on */
            if (assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &figures) ||
                !figures_same(expected, &figures, "after a failure"))
                return fail("the comparison after it", assay_gpu_error(gpu));
            assay_gpu_close(&gpu);
            if (!reached)
                break;
        }
    }
    no_compute = true;
    char error[512] = "";
    assay_gpu *gpu;
    if (assay_gpu_open(&gpu, handles, error, sizeof error) != ASSAY_EDEVICE || gpu || !*error)
        return fail("a device without compute was taken", error);
    printf("%lu comparisons with a failing call\n", failed);
    return failed < 30;
}

/* A session of three frames, on one gpu for all of them. */
static int run_session(assay_session *s, assay_gpu *gpu, const assay_gpu_image lent[2])
{
    int rc = assay_session_start_gpu(s, gpu, &lent[0], &lent[1], NULL);
    for (unsigned n = 0; !rc && n < 3; n++)
        rc = assay_session_submit_gpu(s, n, &lent[0], &lent[1]);
    return rc ? rc : assay_session_flush(s);
}

static int test_session(const assay_gpu_handles *handles, const assay_gpu_image lent[2], const struct score_case *c)
{
    static const VkResult results[] = {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST};
    unsigned long failed = 0;
    assay_gpu *gpu;
    calls = 1;
    fail_at = 0;
    if (assay_gpu_open(&gpu, handles, NULL, 0))
        return fail("opening", "");
    /* The self-test at first use, which can do without some memory, comes before. */
    assay_session *first = score_session(c);
    if (run_session(first, gpu, lent))
        return fail("the first session", assay_session_error(first));
    assay_session_close(&first);
    for (unsigned r = 0; r < 2; r++) {
        injected = results[r];
        for (fail_at = 1;; fail_at++) {
            assay_session *s = score_session(c);
            calls = 0;
            const int rc = run_session(s, gpu, lent);
            const bool reached = calls >= fail_at;
            const char *text = assay_session_error(s);
            if (reached && (rc != ASSAY_EDEVICE || !*text || strchr(text, '\n')))
                return fail("no clear line of a session", text);
            if (!reached && (rc || !score_same(s, c, 3, "vulkan", "a session without a failure")))
                return fail("a session failed by itself", text);
            failed += reached;
            calls = fail_at; /* none fails from here on */
            assay_session_close(&s);
            if (!reached)
                break;
        }
    }
    assay_gpu_close(&gpu);
    printf("%lu sessions with a failing call\n", failed);
    return failed < 30;
}

/* An allocation may be one that the session can do without: then the scores are right. */
static int test_memory(const assay_gpu_handles *handles, const assay_gpu_image lent[2], const struct score_case *c)
{
    unsigned long failed = 0, refused = 0;
    bool reached = true;
    assay_gpu *gpu;
    calls = 1;
    fail_at = 0;
    if (assay_gpu_open(&gpu, handles, NULL, 0))
        return fail("opening", "");
    for (unsigned long n = 1; reached; n++) {
        assay_session *s = score_session(c);
        memory_fail_at(n);
        const int rc = run_session(s, gpu, lent);
        reached = memory_failed();
        memory_fail_at(0);
        const char *text = assay_session_error(s);
        const bool unclear = rc && (!reached || rc != ASSAY_EINTERNAL || !strstr(text, "memory") || strchr(text, '\n'));
        if (unclear || (!rc && !score_same(s, c, 3, "vulkan", "a session with or without an allocation"))) {
            fprintf(stderr, "allocation %lu: %d, '%s'\n", n, rc, text);
            return 1;
        }
        failed += reached;
        refused += rc != 0;
        assay_session_close(&s);
    }
    assay_gpu_close(&gpu);
    printf("%lu sessions with a failing allocation, %lu refused\n", failed, refused);
    return refused < 20;
}

int main(void)
{
    struct vulkan_app app;
    struct host_image host[2], scored[2];
    struct vulkan_app_image image[2], scored_image[2];
    struct gpu_device *watched;
    struct assay_error e = {0};
    const uint32_t none[2] = {0, 0};
    const struct texel_format *f = texel_format_vulkan(VK_FORMAT_R16G16B16A16_SFLOAT);
    assay_image_figures expected;
    if (!vulkan_app_open(&app, NULL, 0))
        checks_skip("no Vulkan device");
    const struct image_device own = {.api = IMAGE_VULKAN,
                                     .vulkan = {.get_instance_proc_addr = (image_function)app.get,
                                                .instance = app.instance, .physical = app.physical,
                                   .device = app.device, .queue = app.queue, .family = app.family}};
    if (vk_device_open(&watched, NULL, &own, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    real = ((struct vk_device *)watched)->api;
    texels_make(host, f, f, W, H, TEXELS_RANDOM, 3);
    texels_expect(host, none, none, W, H, 1, &expected);
    texels_make(scored, f, f, W, H, TEXELS_RANDOM, 3);
    texels_make_parts(scored, 3);
    for (unsigned side = 0; side < 2; side++) {
        vulkan_app_image(&app, &host[side], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image[side]);
        vulkan_app_image(&app, &scored[side], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &scored_image[side]);
    }
    const assay_gpu_image scored_lent[2] = {vulkan_app_lend(&scored_image[0], 0), vulkan_app_lend(&scored_image[1], 0)};
    const assay_gpu_image lent[2] = {vulkan_app_lend(&image[0], 0), vulkan_app_lend(&image[1], 0)};
    assay_gpu_handles handles = vulkan_app_handles(&app);
    handles.vulkan.get_instance_proc_addr = (assay_function)fake_instance_proc;
    const struct score_case c = {.image = scored, .w = W, .h = H, .metrics = "psnr"};
    int rc = test_session(&handles, scored_lent, &c);
    if (!rc)
        rc = test_memory(&handles, scored_lent, &c);
    if (!rc)
        rc = test(&handles, lent, &expected);
    for (unsigned side = 0; side < 2; side++) {
        vulkan_app_image_free(&app, &image[side]);
        vulkan_app_image_free(&app, &scored_image[side]);
    }
    texels_free(host);
    texels_free(scored);
    vk_device_close(&watched);
    vulkan_app_close(&app);
    return rc;
}
