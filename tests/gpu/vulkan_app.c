/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/vulkan_app.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(VkResult r, const char *what)
{
    if (r == VK_SUCCESS)
        return;
    fprintf(stderr, "the application: %s: VkResult %d\n", what, (int)r);
    exit(1);
}

static bool open_device(struct vulkan_app *app, const char *const *extensions, unsigned n)
{
    const char *enabled[8];
    uint32_t count = 1, found = 0, use = 0;
    if (app->vkEnumeratePhysicalDevices(app->instance, &count, &app->physical) < 0 || !count)
        return false;
    app->vkGetPhysicalDeviceProperties(app->physical, &app->properties);
    app->vkGetPhysicalDeviceMemoryProperties(app->physical, &app->memory);
    VkQueueFamilyProperties family[8];
    count = 8;
    app->vkGetPhysicalDeviceQueueFamilyProperties(app->physical, &count, family);
    for (app->family = 0; app->family < count; app->family++)
        if (family[app->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            break;
    VkExtensionProperties *list = NULL;
    app->vkEnumerateDeviceExtensionProperties(app->physical, NULL, &found, NULL);
    if (found && !(list = calloc(found, sizeof *list)))
        exit(99);
    app->vkEnumerateDeviceExtensionProperties(app->physical, NULL, &found, list);
    for (unsigned i = 0; i < n && i < 8; i++)
        for (uint32_t k = 0; k < found; k++)
            if (!strcmp(list[k].extensionName, extensions[i]))
                enabled[use++] = extensions[i];
    free(list);
    app->other_family = VK_QUEUE_FAMILY_IGNORED;
    for (uint32_t i = 0; i < count && app->other_family == VK_QUEUE_FAMILY_IGNORED; i++)
        if (i != app->family && family[i].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT))
            app->other_family = i;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue[2];
    for (unsigned i = 0; i < 2; i++)
        queue[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
                                             .queueFamilyIndex = i ? app->other_family : app->family,
                                             .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = app->other_family == VK_QUEUE_FAMILY_IGNORED ? 1 : 2,
                                       .pQueueCreateInfos = queue, .enabledExtensionCount = use,
                                       .ppEnabledExtensionNames = enabled};
    return app->vkCreateDevice(app->physical, &device, NULL, &app->device) == VK_SUCCESS;
}

bool vulkan_app_open(struct vulkan_app *app, const char *const *extensions, unsigned n)
{
    memset(app, 0, sizeof *app);
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL); /* stays loaded: drivers leave threads behind */
    void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    if (!symbol)
        return false;
    memcpy(&app->get, &symbol, sizeof symbol);
    app->vkCreateInstance = (PFN_vkCreateInstance)app->get(NULL, "vkCreateInstance");
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    if (app->vkCreateInstance(&instance, NULL, &app->instance) != VK_SUCCESS)
        return false;
#define LOAD(name) app->name = (PFN_##name)app->get(app->instance, #name);
    APP_EACH_INSTANCE(LOAD)
#undef LOAD
    if (!open_device(app, extensions, n)) {
        app->vkDestroyInstance(app->instance, NULL);
        return false;
    }
#define LOAD(name) app->name = (PFN_##name)app->vkGetDeviceProcAddr(app->device, #name);
    APP_EACH_DEVICE(LOAD)
#undef LOAD
    app->vkGetDeviceQueue(app->device, app->family, 0, &app->queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = app->family};
    must(app->vkCreateCommandPool(app->device, &pool, NULL, &app->pool), "a command pool");
    if (app->other_family != VK_QUEUE_FAMILY_IGNORED) {
        pool.queueFamilyIndex = app->other_family;
        app->vkGetDeviceQueue(app->device, app->other_family, 0, &app->other_queue);
        must(app->vkCreateCommandPool(app->device, &pool, NULL, &app->other_pool), "a command pool");
    }
    return true;
}

void vulkan_app_close(struct vulkan_app *app)
{
    app->vkDestroyCommandPool(app->device, app->pool, NULL);
    app->vkDestroyCommandPool(app->device, app->other_pool, NULL);
    app->vkDestroyDevice(app->device, NULL);
    app->vkDestroyInstance(app->instance, NULL);
}

bool vulkan_app_can(const struct vulkan_app *app, VkFormat format, uint32_t width, uint32_t height)
{
    VkImageFormatProperties p;
    return app->vkGetPhysicalDeviceImageFormatProperties(
               app->physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
               VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, 0,
               &p) == VK_SUCCESS &&
           p.maxExtent.width >= width && p.maxExtent.height >= height;
}

static VkDeviceMemory allocate(struct vulkan_app *app, const VkMemoryRequirements *needs, VkMemoryPropertyFlags flags)
{
    VkDeviceMemory memory;
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size};
    while (!(needs->memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (app->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
        if (++info.memoryTypeIndex == app->memory.memoryTypeCount)
            must(VK_ERROR_FEATURE_NOT_PRESENT, "memory of that kind");
    must(app->vkAllocateMemory(app->device, &info, NULL, &memory), "memory");
    return memory;
}

static VkCommandBuffer begin_in(struct vulkan_app *app, VkCommandPool pool)
{
    const VkCommandBufferAllocateInfo allocate_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                       .commandPool = pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkCommandBuffer commands;
    must(app->vkAllocateCommandBuffers(app->device, &allocate_info, &commands), "a command buffer");
    must(app->vkBeginCommandBuffer(commands, &begin), "commands");
    return commands;
}

VkCommandBuffer vulkan_app_begin(struct vulkan_app *app)
{
    return begin_in(app, app->pool);
}

/* Waits unless a semaphore tells others. */
void vulkan_app_submit(struct vulkan_app *app, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                                 .pCommandBuffers = &commands, .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                                 .pWaitSemaphores = &wait, .pWaitDstStageMask = &stage,
                                 .signalSemaphoreCount = signal != VK_NULL_HANDLE, .pSignalSemaphores = &signal};
    must(app->vkEndCommandBuffer(commands), "commands");
    must(app->vkQueueSubmit(app->queue, 1, &submit, VK_NULL_HANDLE), "a submission");
    if (signal == VK_NULL_HANDLE) {
        must(app->vkQueueWaitIdle(app->queue), "waiting");
        app->vkFreeCommandBuffers(app->device, app->pool, 1, &commands);
    }
}

static void barrier(struct vulkan_app *app, VkCommandBuffer c, VkImage image, uint32_t layers, VkImageLayout from,
                    VkImageLayout to)
{
    const VkImageMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .image = image, .oldLayout = from, .newLayout = to,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers}};
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    app->vkCmdPipelineBarrier(c, all, all, 0, 0, NULL, 0, NULL, 1, &b);
}

void vulkan_app_own(struct vulkan_app *app, const struct vulkan_app_image *image, uint32_t layer, uint32_t from,
                    uint32_t to, uint32_t on)
{
    const bool other = on == app->other_family;
    const VkQueue queue = other ? app->other_queue : app->queue;
    const VkCommandPool pool = other ? app->other_pool : app->pool;
    const VkImageMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .image = image->image, .oldLayout = image->layout,
        .newLayout = image->layout, .srcAccessMask = on == from ? VK_ACCESS_MEMORY_WRITE_BIT : 0,
        .dstAccessMask = on == to ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0,
        .srcQueueFamilyIndex = from, .dstQueueFamilyIndex = to,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1}};
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkCommandBuffer c = begin_in(app, pool);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                                 .pCommandBuffers = &c};
    app->vkCmdPipelineBarrier(c, all, all, 0, 0, NULL, 0, NULL, 1, &b);
    must(app->vkEndCommandBuffer(c), "commands");
    must(app->vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "a submission");
    must(app->vkQueueWaitIdle(queue), "waiting");
    app->vkFreeCommandBuffers(app->device, pool, 1, &c);
}

void vulkan_app_image(struct vulkan_app *app, const struct host_image *from, uint32_t layers, uint32_t layer,
                      VkImageLayout layout, struct vulkan_app_image *out)
{
    const VkDeviceSize bytes = (VkDeviceSize)from->width * from->height * texel_bytes(from->format);
    const VkBufferCreateInfo staging = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes,
                                        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
        .format = (VkFormat)from->format->vulkan, .extent = {from->width, from->height, 1}, .mipLevels = 1,
        .arrayLayers = layers, .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT};
    VkMemoryRequirements needs;
    VkBuffer buffer;
    void *map;
    *out = (struct vulkan_app_image){.format = info.format, .width = from->width, .height = from->height,
                                     .layers = layers, .layout = layout, .family = app->family};
    must(app->vkCreateBuffer(app->device, &staging, NULL, &buffer), "a buffer");
    app->vkGetBufferMemoryRequirements(app->device, buffer, &needs);
    VkDeviceMemory memory = allocate(app, &needs,
                                     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(app->vkBindBufferMemory(app->device, buffer, memory, 0), "a buffer's memory");
    must(app->vkMapMemory(app->device, memory, 0, VK_WHOLE_SIZE, 0, &map), "mapping memory");
    memcpy(map, from->texels, bytes);
    app->vkUnmapMemory(app->device, memory);

    must(app->vkCreateImage(app->device, &info, NULL, &out->image), "an image");
    app->vkGetImageMemoryRequirements(app->device, out->image, &needs);
    out->memory = allocate(app, &needs, 0);
    must(app->vkBindImageMemory(app->device, out->image, out->memory, 0), "an image's memory");
    VkCommandBuffer c = vulkan_app_begin(app);
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1},
                                    .imageExtent = info.extent};
    barrier(app, c, out->image, layers, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    app->vkCmdCopyBufferToImage(c, buffer, out->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    barrier(app, c, out->image, layers, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
    vulkan_app_submit(app, c, VK_NULL_HANDLE, VK_NULL_HANDLE);
    app->vkDestroyBuffer(app->device, buffer, NULL);
    app->vkFreeMemory(app->device, memory, NULL);
}

void vulkan_app_image_free(struct vulkan_app *app, struct vulkan_app_image *image)
{
    app->vkDestroyImage(app->device, image->image, NULL);
    app->vkFreeMemory(app->device, image->memory, NULL);
}

assay_gpu_image vulkan_app_lend(const struct vulkan_app_image *i, uint32_t layer)
{
    return (assay_gpu_image){.kind = ASSAY_GPU_VULKAN,
                             .vulkan = {.image = (uint64_t)(uintptr_t)i->image, .format = i->format, .width = i->width,
                                        .height = i->height, .samples = 1, .layer = layer, .layout = i->layout,
                                        .queue_family = i->family}};
}

assay_gpu_handles vulkan_app_handles(const struct vulkan_app *app)
{
    return (assay_gpu_handles){.kind = ASSAY_GPU_VULKAN,
                               .vulkan = {.get_instance_proc_addr = (assay_function)app->get, .instance = app->instance,
                                          .physical_device = app->physical, .device = app->device, .queue = app->queue,
                                          .queue_family = app->family}};
}
