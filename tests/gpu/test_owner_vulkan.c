/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images that another queue family owns: each is acquired from it before it is read and released to it afterwards, in
 * its own layout, by comparisons and by sessions. What is recorded is looked at on every device, in front of a driver
 * that need not have a second family; where there is one, images do go there and back between the calls. Exit 77
 * without a device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/checks.h"
#include "gpu/score_oracle.h"
#include "gpu/vulkan_app.h"
#include "images/gpu.h"

enum { W = 45, H = 31, MOST = 64, FRAMES = 2 };

static struct vulkan_app app;
static struct { VkImageMemoryBarrier barrier[MOST]; unsigned n; } seen;
static bool hide; /* the driver has no such family: it sees barriers without one */

static VKAPI_ATTR void VKAPI_CALL watched_barrier(VkCommandBuffer c, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                                  VkDependencyFlags flags, uint32_t n, const VkMemoryBarrier *memory,
                                                  uint32_t m, const VkBufferMemoryBarrier *buffers, uint32_t k,
                                                  const VkImageMemoryBarrier *barriers)
{
    VkImageMemoryBarrier own[4];
    for (uint32_t i = 0; i < k && i < 4; i++) {
        own[i] = barriers[i];
        if (seen.n < MOST)
            seen.barrier[seen.n++] = barriers[i];
        if (hide)
            own[i].srcQueueFamilyIndex = own[i].dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    }
    check(k < 4, "few images at once");
    app.vkCmdPipelineBarrier(c, from, to, flags, n, memory, m, buffers, k, own);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL watched_device_proc(VkDevice device, const char *name)
{
    return strcmp(name, "vkCmdPipelineBarrier") ? app.vkGetDeviceProcAddr(device, name)
                                                : (PFN_vkVoidFunction)watched_barrier;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL watched_instance_proc(VkInstance instance, const char *name)
{
    return strcmp(name, "vkGetDeviceProcAddr") ? app.get(instance, name) : (PFN_vkVoidFunction)watched_device_proc;
}

/* Of two sides, which may be one image. */
static unsigned images(const struct vulkan_app_image image[2])
{
    return image[0].image == image[1].image ? 1 : 2;
}

/* Every image's barriers, in order: taken from `other`, given back to it, and so on, as often as it was lent. */
static void check_barriers(const struct vulkan_app_image image[2], uint32_t other, unsigned times)
{
    for (unsigned side = 0; side < images(image); side++) {
        unsigned n = 0;
        for (unsigned i = 0; i < seen.n; i++) {
            const VkImageMemoryBarrier *b = &seen.barrier[i];
            if (b->image != image[side].image)
                continue;
            const bool back = n++ % 2;
            check(b->srcQueueFamilyIndex == (back ? app.family : other) &&
                      b->dstQueueFamilyIndex == (back ? other : app.family),
                  back ? "given back to its family" : "taken from its family");
            check(b->oldLayout == (back ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : image[side].layout) &&
                      b->newLayout == (back ? image[side].layout : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
                  "through its own layout");
        }
        check(n == 2 * times, "once each for every pair");
    }
}

/* In a round on a device with both families: what the owner does before and after. */
static void give(const struct vulkan_app_image image[2], uint32_t from, uint32_t to)
{
    for (unsigned side = 0; side < images(image) && !hide; side++)
        vulkan_app_own(&app, &image[side], 0, from, to, from);
}

static void take(const struct vulkan_app_image image[2], uint32_t from, uint32_t to)
{
    for (unsigned side = 0; side < images(image) && !hide; side++)
        vulkan_app_own(&app, &image[side], 0, from, to, to);
}

static void test(assay_gpu *gpu, const struct score_case *c, const struct vulkan_app_image image[2], uint32_t other)
{
    const uint32_t none[2] = {0, 0};
    assay_image_figures expected, got;
    assay_gpu_image lent[2] = {vulkan_app_lend(&image[0], 0), vulkan_app_lend(&image[1], 0)};
    lent[0].vulkan.queue_family = lent[1].vulkan.queue_family = other;
    texels_expect(c->image, none, none, W, H, 1, &expected);
    give(image, app.family, other);
    take(image, app.family, other);

    seen.n = 0;
    give(image, other, app.family);
    check(!assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &got) && figures_same(&expected, &got, "owned by others"),
          "a comparison");
    take(image, app.family, other);
    check_barriers(image, other, 1);

    seen.n = 0;
    assay_session *s = score_session(c);
    int rc = assay_session_start_gpu(s, gpu, &lent[0], &lent[1], NULL);
    for (unsigned n = 0; !rc && n < FRAMES; n++) {
        give(image, other, app.family);
        rc = assay_session_submit_gpu(s, n, &lent[0], &lent[1]);
        if (!hide)
            app.vkDeviceWaitIdle(app.device);
        take(image, app.family, other);
    }
    check(score_flushed(s, rc, c, FRAMES, "vulkan", "owned by others"), "a session");
    assay_session_close(&s);
    check_barriers(image, other, FRAMES);
}

/* Two images that all metrics read, two of which one is read by none, and an image against itself. */
static void test_all(assay_gpu *gpu, const struct host_image host[2], const struct vulkan_app_image image[2],
                     uint32_t other)
{
    const struct host_image twice[2] = {host[0], host[0]};
    const struct vulkan_app_image one[2] = {image[0], image[0]};
    test(gpu, &(struct score_case){.image = host, .w = W, .h = H, .metrics = "psnr diff"}, image, other);
    test(gpu, &(struct score_case){.image = host, .w = W, .h = H, .metrics = "motion"}, image, other);
    test(gpu, &(struct score_case){.image = twice, .w = W, .h = H, .metrics = "psnr diff"}, one, other);
    test(gpu, &(struct score_case){.image = twice, .w = W, .h = H, .metrics = "motion"}, one, other);
}

int main(void)
{
    const struct texel_format *f = texel_format_vulkan(VK_FORMAT_R8G8B8A8_UNORM);
    struct host_image host[2];
    struct vulkan_app_image image[2];
    if (!vulkan_app_open(&app, NULL, 0))
        checks_skip("no Vulkan device");
    assay_gpu_handles handles = vulkan_app_handles(&app);
    handles.vulkan.get_instance_proc_addr = (assay_function)watched_instance_proc;
    assay_gpu *gpu = checks_open(handles);
    texels_make(host, f, f, W, H, TEXELS_NEAR, 3);
    vulkan_app_image(&app, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image[0]);
    vulkan_app_image(&app, &host[1], 1, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &image[1]);
    hide = true;
    test_all(gpu, host, image, app.family + 1);
    printf("%s: %s second queue family\n", assay_gpu_device(gpu),
           app.other_family == VK_QUEUE_FAMILY_IGNORED ? "no" : "a");
    if (app.other_family != VK_QUEUE_FAMILY_IGNORED) {
        hide = false;
        test_all(gpu, host, image, app.other_family);
    }
    for (unsigned side = 0; side < 2; side++)
        vulkan_app_image_free(&app, &image[side]);
    texels_free(host);
    assay_gpu_close(&gpu);
    vulkan_app_close(&app);
    return checked();
}
