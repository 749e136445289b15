/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan functions that we call, found at run time: nothing links to the loader. */
#ifndef ASSAY_EXECUTORS_VULKAN_API_H
#define ASSAY_EXECUTORS_VULKAN_API_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "host/error.h"

#define VK_EACH_GLOBAL(X) X(vkCreateInstance) X(vkEnumerateInstanceVersion)
#define VK_EACH_INSTANCE(X) \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties2) \
    X(vkGetPhysicalDeviceMemoryProperties2) X(vkGetPhysicalDeviceQueueFamilyProperties) \
    X(vkEnumerateDeviceExtensionProperties) X(vkGetPhysicalDeviceExternalBufferProperties) \
    X(vkCreateDevice) X(vkGetDeviceProcAddr)
#define VK_EACH_DEVICE(X) \
    X(vkDestroyDevice) X(vkGetDeviceQueue) \
    X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkBindBufferMemory) \
    X(vkAllocateMemory) X(vkFreeMemory) X(vkMapMemory) X(vkFlushMappedMemoryRanges) X(vkInvalidateMappedMemoryRanges) \
    X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateComputePipelines) X(vkDestroyPipeline) \
    X(vkCreatePipelineCache) X(vkDestroyPipelineCache) X(vkGetPipelineCacheData) \
    X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) \
    X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout) \
    X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) X(vkUpdateDescriptorSets) \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer) \
    X(vkEndCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) X(vkCmdDispatch) \
    X(vkCmdPipelineBarrier) X(vkCmdFillBuffer) X(vkCmdCopyBuffer) X(vkCmdCopyImageToBuffer) \
    X(vkCreateQueryPool) X(vkDestroyQueryPool) X(vkCmdResetQueryPool) X(vkCmdWriteTimestamp) \
    X(vkCmdCopyQueryPoolResults) X(vkCreateSemaphore) X(vkDestroySemaphore) \
    X(vkCreateFence) X(vkDestroyFence) X(vkResetFences) X(vkWaitForFences) X(vkQueueSubmit) X(vkQueueWaitIdle)

struct vk_api {
    void *library; /* NULL when the application brought its own loader */
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define VK_FIELD(name) PFN_##name name;
    VK_EACH_GLOBAL(VK_FIELD)
    VK_EACH_INSTANCE(VK_FIELD)
    VK_EACH_DEVICE(VK_FIELD)
#undef VK_FIELD
    PFN_vkGetMemoryFdKHR vkGetMemoryFdKHR; /* NULL where VK_KHR_external_memory_fd is not enabled */
};

/* The loader of this machine, or (get not NULL) the one behind an application's vkGetInstanceProcAddr. */
int vk_api_open(struct vk_api *vk, PFN_vkGetInstanceProcAddr get, struct assay_error *e);
int vk_api_instance(struct vk_api *vk, VkInstance instance, struct assay_error *e);
int vk_api_device(struct vk_api *vk, VkDevice device, struct assay_error *e);
void vk_api_close(struct vk_api *vk);

/* The end of a Vulkan call. A failure is ASSAY_EDEVICE, "Vulkan: <what>: <result in words>". */
int vk_check(struct assay_error *e, VkResult result, const char *what);

#endif
