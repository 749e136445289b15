/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/device.h"

enum { SHARED_PAGE = 4096 };

/* How well a memory type serves: the first list whose flags it has, 0 being the best; -1 when it does not serve. */
static int rank(enum vk_memory_kind kind, VkMemoryPropertyFlags flags)
{
    enum {
        HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
        COHERENT = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
        CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
        LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    };
    const unsigned f = (unsigned)flags;
    if (kind == VK_MEMORY_DEVICE || kind == VK_MEMORY_INPUTS || kind == VK_MEMORY_SHARED)
        return f & LOCAL ? (f & HOST ? 1 : 0) : 2;
    if (!(f & HOST))
        return -1;
    /* Decoders read what they wrote, and the processor reads results: cached memory comes first. */
    return (f & CACHED ? 0 : 2) + (f & COHERENT ? 0 : 1) + (f & LOCAL ? 4 : 0);
}

static int pick_type(const struct vk_device *d, enum vk_memory_kind kind, uint32_t allowed)
{
    int best = -1, best_rank = 0;
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = d->memory.memoryTypes[i].propertyFlags;
        const int r = rank(kind, flags);
        if (!(allowed >> i & 1) || r < 0 || flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT))
            continue;
        if (best < 0 || r < best_rank) {
            best = (int)i;
            best_rank = r;
        }
    }
    return best;
}

static VkBufferUsageFlags usage(enum vk_memory_kind kind)
{
    switch (kind) {
    case VK_MEMORY_UPLOAD: return VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    case VK_MEMORY_READBACK: return VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    case VK_MEMORY_SHARED: return VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    default: return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    }
}

static int allocate(struct vk_device *d, enum vk_memory_kind kind, struct vk_buffer *b, struct assay_error *e)
{
    const struct vk_api *vk = &d->api;
    VkMemoryRequirements needs;
    vk->vkGetBufferMemoryRequirements(d->device, b->buffer, &needs);
    const int type = pick_type(d, kind, needs.memoryTypeBits);
    if (type < 0)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has no memory for a buffer of that kind", d->name);
    const VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                     .buffer = b->buffer};
    const VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .pNext = &dedicated,
                                                 .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size,
                                       .memoryTypeIndex = (uint32_t)type,
                                       .pNext = kind == VK_MEMORY_SHARED ? &exported : NULL};
    VkResult r = vk->vkAllocateMemory(d->device, &info, NULL, &b->memory);
    if (r)
        return vk_fail(e, r, "allocating memory");
    if ((r = vk->vkBindBufferMemory(d->device, b->buffer, b->memory, 0)))
        return vk_fail(e, r, "binding memory");
    b->allocated = needs.size;
    b->coherent = d->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const bool mapped = kind == VK_MEMORY_UPLOAD || kind == VK_MEMORY_READBACK;
    if (mapped && (r = vk->vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->map)))
        return vk_fail(e, r, "mapping memory");
    return ASSAY_OK;
}

int vk_buffer_create(struct vk_device *d, enum vk_memory_kind kind, VkDeviceSize bytes, struct vk_buffer *out,
                     struct assay_error *e)
{
    *out = (struct vk_buffer){.bytes = (bytes + 3) / 4 * 4};
    const VkExternalMemoryBufferCreateInfo shared = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                     .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    /* Of two families a buffer is shared and not handed over: it has no compressed form or layout that a hand-over would undo, so
     * the semaphore between the queues is all that is needed. */
    const uint32_t families[2] = {d->queues.family, d->queues.copy_family};
    const bool copied = kind == VK_MEMORY_INPUTS || kind == VK_MEMORY_UPLOAD;
    const bool both = copied && d->queues.copy && families[0] != families[1];
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = out->bytes,
                                     .usage = usage(kind), .pNext = kind == VK_MEMORY_SHARED ? &shared : NULL,
                                     .sharingMode = both ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                                     .queueFamilyIndexCount = both ? 2 : 0, .pQueueFamilyIndices = both ? families : NULL};
    const VkResult r = d->api.vkCreateBuffer(d->device, &info, NULL, &out->buffer);
    const int rc = r ? vk_fail(e, r, "creating a buffer") : allocate(d, kind, out, e);
    if (rc)
        vk_buffer_destroy(d, out);
    return rc;
}

int vk_buffer_share(struct vk_device *d, VkDeviceSize bytes, struct vk_buffer *out, int *fd, struct assay_error *e)
{
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, .usage = usage(VK_MEMORY_SHARED),
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalBufferProperties can = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    *out = (struct vk_buffer){0};
    if (!d->api.vkGetMemoryFdKHR)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the device was opened without VK_KHR_external_memory_fd");
    d->api.vkGetPhysicalDeviceExternalBufferProperties(d->physical, &info, &can);
    if (!(can.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT))
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the driver shares no buffers as file descriptors");
    /* Room behind the last byte: Mesa's llvmpipe takes no memory that ends with the buffer. */
    const int rc = vk_buffer_create(d, VK_MEMORY_SHARED, bytes / SHARED_PAGE * SHARED_PAGE + 2 * SHARED_PAGE, out, e);
    if (rc)
        return rc;
    const VkMemoryGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = out->memory,
                                      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkResult r = d->api.vkGetMemoryFdKHR(d->device, &get, fd);
    if (r)
        vk_buffer_destroy(d, out);
    return r ? vk_fail(e, r, "sharing memory") : ASSAY_OK;
}

void vk_buffer_destroy(struct vk_device *d, struct vk_buffer *b)
{
    d->api.vkDestroyBuffer(d->device, b->buffer, NULL);
    d->api.vkFreeMemory(d->device, b->memory, NULL); /* unmaps */
    *b = (struct vk_buffer){0};
}

VkResult vk_buffer_flush(const struct vk_device *d, const struct vk_buffer *b)
{
    const VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = b->memory,
                                       .size = VK_WHOLE_SIZE};
    return b->coherent ? VK_SUCCESS : d->api.vkFlushMappedMemoryRanges(d->device, 1, &range);
}

VkResult vk_buffer_invalidate(const struct vk_device *d, const struct vk_buffer *b)
{
    const VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = b->memory,
                                       .size = VK_WHOLE_SIZE};
    return b->coherent ? VK_SUCCESS : d->api.vkInvalidateMappedMemoryRanges(d->device, 1, &range);
}
