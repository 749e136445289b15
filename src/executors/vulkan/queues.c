/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/queues.h"

#include <stdlib.h>

enum {
    /* The passes of one frame fill the gaps that barriers leave in those of others: the more of them there are, the
     * more queues have gaps to fill. */
    COMPUTES = 8, USUAL = 4, MANY_PASSES = 12,
    /* Frames with many large planes between their passes only push each other out of the device's caches. */
    FEW = 2, MANY_BYTES = 64 << 20,
    /* Frames in flight for up to USUAL queues, and for more. */
    DEPTH = 6, DEPTH_MANY = 12,
    /* A queue takes NVIDIA's driver 25 ms. Eight in place of USUAL save 12 microseconds of a frame of 16 passes. */
    FEW_FRAMES = 1000
};

void vk_families_look(const struct vk_api *vk, VkPhysicalDevice physical, const uint32_t *only, struct vk_families *out)
{
    /* Reading video is another engine's work, though its family copies as well. */
    const VkQueueFlags harmless = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
    VkQueueFamilyProperties family[32];
    uint32_t n = sizeof family / sizeof family[0];
    *out = (struct vk_families){.compute = VK_NO_FAMILY, .copy = VK_NO_FAMILY};
    vk->vkGetPhysicalDeviceQueueFamilyProperties(physical, &n, family);
    for (uint32_t i = 0; i < n; i++) {
        const VkQueueFlags flags = family[i].queueFlags;
        if (!family[i].queueCount || (only && i != *only))
            continue;
        /* One that also draws is as good; one that only computes leaves a desktop's queue alone. */
        if (flags & VK_QUEUE_COMPUTE_BIT && (out->compute == VK_NO_FAMILY || !(flags & VK_QUEUE_GRAPHICS_BIT))) {
            out->compute = i;
            out->compute_queues = family[i].queueCount;
            out->compute_clock_bits = family[i].timestampValidBits;
        }
        if (flags & VK_QUEUE_TRANSFER_BIT && !(flags & ~harmless) && out->copy == VK_NO_FAMILY) {
            out->copy = i;
            out->copy_clock_bits = family[i].timestampValidBits;
        }
    }
}

void vk_families_limit(struct vk_families *have, uint32_t frames)
{
    if (frames && frames < FEW_FRAMES && have->compute_queues > USUAL)
        have->compute_queues = USUAL;
}

/* Compute queues of a device that we open. */
static uint32_t vk_queues_there(const struct vk_families *have)
{
    return have->compute_queues < VK_COMPUTE_MOST ? have->compute_queues : VK_COMPUTE_MOST;
}

/* "C" or "C+1": C queues that compute, and one that copies. */
static int vk_from_environment(const char *text, const struct vk_families *have, struct vk_queues *out,
                               struct assay_error *e)
{
    const bool copies = *text && text[1];
    if (*text < '1' || *text > '0' + VK_COMPUTE_MOST || (copies && (text[1] != '+' || text[2] != '1' || text[3])))
        return assay_fail(e, ASSAY_EUSAGE, "ASSAY_VULKAN_QUEUES is 1 to %d, or that with +1, not '%s'", VK_COMPUTE_MOST,
                          text);
    out->computes = (uint32_t)(*text - '0');
    out->asked = true;
    out->copy_family = !copies ? VK_NO_FAMILY : have->copy != VK_NO_FAMILY ? have->copy : have->compute;
    return ASSAY_OK;
}

int vk_queues_plan(const struct vk_families *have, bool one, struct vk_queues *out, struct assay_error *e)
{
    const char *text = getenv("ASSAY_VULKAN_QUEUES");
    *out = (struct vk_queues){.computes = 1, .family = have->compute, .copy_family = VK_NO_FAMILY};
    if (text && *text)
        return vk_from_environment(text, have, out, e);
    if (!one) {
        out->computes = have->compute_queues < COMPUTES ? have->compute_queues : COMPUTES;
        out->copy_family = have->copy;
    }
    return ASSAY_OK;
}

uint32_t vk_queues_used(const struct vk_queues *queues, uint32_t passes, uint64_t bytes)
{
    const uint32_t most = bytes > MANY_BYTES ? FEW : passes > MANY_PASSES ? COMPUTES : USUAL;
    return queues->asked || queues->computes < most ? queues->computes : most;
}

uint32_t vk_queues_depth(const struct vk_queues *queues, uint32_t passes, uint64_t bytes)
{
    return vk_queues_used(queues, passes, bytes) > USUAL ? DEPTH_MANY : DEPTH;
}

int vk_queues_device(const struct vk_api *vk, VkPhysicalDevice physical, const struct vk_families *have,
                     VkDevice *device, struct assay_error *e)
{
    float priority[VK_COMPUTE_MOST];
    for (unsigned i = 0; i < VK_COMPUTE_MOST; i++)
        priority[i] = 1.0f;
    const bool copies = have->copy != VK_NO_FAMILY;
    const VkDeviceQueueCreateInfo queue[2] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = have->compute,
         .queueCount = vk_queues_there(have), .pQueuePriorities = priority},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = have->copy, .queueCount = 1,
         .pQueuePriorities = priority}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = copies ? 2 : 1, .pQueueCreateInfos = queue};
    return vk_check(e, vk->vkCreateDevice(physical, &info, NULL, device), "opening the device");
}

void vk_queues_take(const struct vk_api *vk, VkDevice device, const struct vk_families *have, uint32_t first,
                    struct vk_queues *queues)
{
    const uint32_t there = vk_queues_there(have);
    for (uint32_t i = 0; i < queues->computes; i++)
        vk->vkGetDeviceQueue(device, queues->family, i < there ? (first + i) % there : first % there,
                             &queues->compute[i]);
    if (queues->copy_family != VK_NO_FAMILY && queues->copy_family != queues->family)
        vk->vkGetDeviceQueue(device, queues->copy_family, 0, &queues->copy);
    else if (queues->copy_family != VK_NO_FAMILY)
        queues->copy = queues->compute[0];
}

void vk_queues_adopt(struct vk_queues *queues, VkQueue queue)
{
    for (uint32_t i = 0; i < queues->computes; i++)
        queues->compute[i] = queue;
    if (queues->copy_family != VK_NO_FAMILY)
        queues->copy = queue;
}
