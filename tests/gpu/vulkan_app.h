/* SPDX-License-Identifier: BSD-2-Clause */
/* An application with a Vulkan device of its own, as far as the tests need one. Anything that goes wrong ends the
 * program. */
#ifndef ASSAY_TESTS_GPU_VULKAN_APP_H
#define ASSAY_TESTS_GPU_VULKAN_APP_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "gpu/texel_oracle.h"

#define APP_EACH_INSTANCE(X) \
    X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties) X(vkGetPhysicalDeviceMemoryProperties) \
    X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkGetPhysicalDeviceImageFormatProperties) X(vkCreateDevice) \
    X(vkGetDeviceProcAddr) X(vkDestroyInstance) X(vkEnumerateDeviceExtensionProperties)
#define APP_EACH_DEVICE(X) \
    X(vkDestroyDevice) X(vkGetDeviceQueue) X(vkDeviceWaitIdle) X(vkQueueWaitIdle) X(vkQueueSubmit) \
    X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkBindBufferMemory) \
    X(vkCreateImage) X(vkDestroyImage) X(vkGetImageMemoryRequirements) X(vkBindImageMemory) \
    X(vkAllocateMemory) X(vkFreeMemory) X(vkMapMemory) X(vkUnmapMemory) \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkFreeCommandBuffers) \
    X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkCmdPipelineBarrier) X(vkCmdCopyBufferToImage) \
    X(vkCreateSemaphore) X(vkDestroySemaphore)

struct vulkan_app {
    PFN_vkGetInstanceProcAddr get;
    PFN_vkCreateInstance vkCreateInstance;
#define APP_FIELD(name) PFN_##name name;
    APP_EACH_INSTANCE(APP_FIELD)
    APP_EACH_DEVICE(APP_FIELD)
#undef APP_FIELD
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue, other_queue; /* of a second family, where there is one */
    uint32_t family, other_family; /* VK_QUEUE_FAMILY_IGNORED: none */
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceProperties properties;
    VkCommandPool pool, other_pool;
};

struct vulkan_app_image {
    VkImage image;
    VkDeviceMemory memory;
    VkFormat format;
    uint32_t width, height, layers;
    VkImageLayout layout;
    uint32_t family; /* that owns it */
};

/* False when there is no device: nothing is left open then. The device has those of the named extensions that there
 * are. */
bool vulkan_app_open(struct vulkan_app *app, const char *const *extensions, unsigned n);
void vulkan_app_close(struct vulkan_app *app);

/* Whether the device can have images of a format with TRANSFER usage of that size. */
bool vulkan_app_can(const struct vulkan_app *app, VkFormat format, uint32_t width, uint32_t height);

/* An image with its texels in layer `layer` of `layers`, left in `layout`. */
void vulkan_app_image(struct vulkan_app *app, const struct host_image *from, uint32_t layers, uint32_t layer,
                      VkImageLayout layout, struct vulkan_app_image *out);
void vulkan_app_image_free(struct vulkan_app *app, struct vulkan_app_image *image);

/* The image as assay takes it. */
assay_gpu_image vulkan_app_lend(const struct vulkan_app_image *image, uint32_t layer);
assay_gpu_handles vulkan_app_handles(const struct vulkan_app *app);

/* Hands a layer of an image from one queue family to the other, between two submissions: on the queue of `on`, one of
 * the two. The image stays in its layout. Waits. */
void vulkan_app_own(struct vulkan_app *app, const struct vulkan_app_image *image, uint32_t layer, uint32_t from,
                    uint32_t to, uint32_t on);

VkCommandBuffer vulkan_app_begin(struct vulkan_app *app);
void vulkan_app_submit(struct vulkan_app *app, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal);

#endif
