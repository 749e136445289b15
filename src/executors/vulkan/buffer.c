/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/device.h"

enum { SHARED_PAGE = 4096 };

/* The rank of a memory type: 0 is the best, -1 is unusable. */
static int vk_memory_rank(enum gpu_memory kind, VkMemoryPropertyFlags flags)
{
    enum {
        HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
        COHERENT = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
        CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
        LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    };
    const unsigned f = (unsigned)flags;
    if (kind == GPU_MEMORY_DEVICE || kind == GPU_MEMORY_INPUTS || kind == GPU_MEMORY_SHARED)
        return f & LOCAL ? (f & HOST ? 1 : 0) : 2;
    if (!(f & HOST))
        return -1;
    /* Decoders read what they wrote, and the processor reads results: cached memory comes first. */
    return (f & CACHED ? 0 : 2) + (f & COHERENT ? 0 : 1) + (f & LOCAL ? 4 : 0);
}

static int vk_memory_type(const struct vk_device *d, enum gpu_memory kind, uint32_t allowed)
{
    int best = -1, best_rank = 0;
    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = d->memory.memoryTypes[i].propertyFlags;
        const int r = vk_memory_rank(kind, flags);
        if (!(allowed >> i & 1) || r < 0 ||
            flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT))
            continue;
        if (best < 0 || r < best_rank) {
            best = (int)i;
            best_rank = r;
        }
    }
    return best;
}

static VkBufferUsageFlags vk_usage(enum gpu_memory kind)
{
    switch (kind) {
    case GPU_MEMORY_UPLOAD: return VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    case GPU_MEMORY_READBACK: return VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    case GPU_MEMORY_SHARED: return VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    default:
        return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    }
}

static int vk_allocate(struct vk_device *d, enum gpu_memory kind, struct gpu_buffer *b, struct assay_error *e)
{
    const struct vk_api *vk = &d->api;
    const VkBuffer buffer = VK_HANDLE(VkBuffer, b->handle);
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkMemoryRequirements needs;
    vk->vkGetBufferMemoryRequirements(d->device, buffer, &needs);
    const int type = vk_memory_type(d, kind, needs.memoryTypeBits);
    if (type < 0)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has no memory for a buffer of that kind", d->base.name);
    const VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                     .buffer = buffer};
    const VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                 .pNext = &dedicated,
                                                 .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size,
                                       .memoryTypeIndex = (uint32_t)type,
                                       .pNext = kind == GPU_MEMORY_SHARED ? &exported : NULL};
    TRY(vk_check(e, vk->vkAllocateMemory(d->device, &info, NULL, &memory), "allocating memory"));
    b->memory = (uint64_t)(uintptr_t)memory;
    TRY(vk_check(e, vk->vkBindBufferMemory(d->device, buffer, memory, 0), "binding memory"));
    b->allocated = needs.size;
    b->coherent = d->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (kind == GPU_MEMORY_UPLOAD || kind == GPU_MEMORY_READBACK)
        TRY(vk_check(e, vk->vkMapMemory(d->device, memory, 0, VK_WHOLE_SIZE, 0, &b->map), "mapping memory"));
    return ASSAY_OK;
}

int vk_buffer_create(struct gpu_device *base, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                     struct assay_error *e)
{
    struct vk_device *d = (struct vk_device *)base;
    const VkExternalMemoryBufferCreateInfo shared = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                     .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    /* Two queue families share a buffer concurrently, without transfers of ownership: a buffer has no layout and no
     * compressed form, so the semaphore between the queues is enough. */
    const uint32_t families[2] = {d->queues.family, d->queues.copy_family};
    const bool copied = kind == GPU_MEMORY_INPUTS || kind == GPU_MEMORY_UPLOAD;
    const bool both = copied && d->queues.copy && families[0] != families[1];
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = (bytes + 3) / 4 * 4,
                                     .usage = vk_usage(kind), .pNext = kind == GPU_MEMORY_SHARED ? &shared : NULL,
                                     .sharingMode = both ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                                     .queueFamilyIndexCount = both ? 2 : 0,
                                     .pQueueFamilyIndices = both ? families : NULL};
    VkBuffer buffer = VK_NULL_HANDLE;
    int rc = vk_check(e, d->api.vkCreateBuffer(d->device, &info, NULL, &buffer), "creating a buffer");
    *out = (struct gpu_buffer){.handle = (uint64_t)(uintptr_t)buffer, .bytes = info.size};
    rc = rc ? rc : vk_allocate(d, kind, out, e);
    if (rc)
        vk_buffer_destroy(base, out);
    return rc;
}

int vk_buffer_share(struct gpu_device *base, uint64_t bytes, struct gpu_buffer *out, int *fd, struct assay_error *e)
{
    struct vk_device *d = (struct vk_device *)base;
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, .usage = vk_usage(GPU_MEMORY_SHARED),
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalBufferProperties can = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    *out = (struct gpu_buffer){0};
    if (!d->api.vkGetMemoryFdKHR)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the device was opened without VK_KHR_external_memory_fd");
    d->api.vkGetPhysicalDeviceExternalBufferProperties(d->physical, &info, &can);
    if (!(can.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT))
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the driver shares no buffers as file descriptors");
    /* Room behind the last byte: Mesa's llvmpipe takes no memory that ends with the buffer. */
    TRY(vk_buffer_create(base, GPU_MEMORY_SHARED, bytes / SHARED_PAGE * SHARED_PAGE + 2 * SHARED_PAGE, out, e));
    const VkMemoryGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                      .memory = VK_HANDLE(VkDeviceMemory, out->memory),
                                      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const int rc = vk_check(e, d->api.vkGetMemoryFdKHR(d->device, &get, fd), "sharing memory");
    if (rc)
        vk_buffer_destroy(base, out);
    return rc;
}

void vk_buffer_destroy(struct gpu_device *base, struct gpu_buffer *b)
{
    const struct vk_device *d = (const struct vk_device *)base;
    d->api.vkDestroyBuffer(d->device, VK_HANDLE(VkBuffer, b->handle), NULL);
    d->api.vkFreeMemory(d->device, VK_HANDLE(VkDeviceMemory, b->memory), NULL); /* unmaps */
    *b = (struct gpu_buffer){0};
}

static VkMappedMemoryRange vk_whole(const struct gpu_buffer *b)
{
    return (VkMappedMemoryRange){.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                 .memory = VK_HANDLE(VkDeviceMemory, b->memory), .size = VK_WHOLE_SIZE};
}

int vk_buffer_flush(struct gpu_device *base, struct gpu_buffer *b, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const VkMappedMemoryRange range = vk_whole(b);
    return b->coherent ? ASSAY_OK : vk_check(e, d->api.vkFlushMappedMemoryRanges(d->device, 1, &range),
                                             "writing a frame's planes");
}

int vk_buffer_invalidate(struct gpu_device *base, struct gpu_buffer *b, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const VkMappedMemoryRange range = vk_whole(b);
    return b->coherent ? ASSAY_OK : vk_check(e, d->api.vkInvalidateMappedMemoryRanges(d->device, 1, &range),
                                             "reading results");
}
