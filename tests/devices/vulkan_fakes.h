/* SPDX-License-Identifier: BSD-2-Clause */
/* An application's vkGetInstanceProcAddr whose functions fail when a test says so: the N-th
 * call of those that may fail. */
#ifndef ASSAY_TESTS_DEVICES_VULKAN_FAKES_H
#define ASSAY_TESTS_DEVICES_VULKAN_FAKES_H

#include <stdatomic.h>
#include <string.h>

#include "executors/vulkan/device.h"

static atomic_ulong calls; /* several threads build pipelines */
static unsigned long fail_at;
static VkResult injected;
static struct vk_api real;
static bool no_compute;

static bool fails(void)
{
    return atomic_fetch_add(&calls, 1) + 1 == fail_at;
}

/* The calls that may fail, with the parameters' types and names apart. */
#define FALLIBLE(X) \
    X(vkCreateBuffer, (VkDevice d, const VkBufferCreateInfo *i, const VkAllocationCallbacks *a, VkBuffer *o), \
      (d, i, a, o)) \
    X(vkAllocateMemory, (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a, \
      VkDeviceMemory *o), (d, i, a, o)) \
    X(vkBindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o), (d, b, m, o)) \
    X(vkMapMemory, (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags f, void **p), \
      (d, m, o, s, f, p)) \
    X(vkCreateShaderModule, (VkDevice d, const VkShaderModuleCreateInfo *i, const VkAllocationCallbacks *a, \
      VkShaderModule *o), (d, i, a, o)) \
    X(vkCreatePipelineCache, (VkDevice d, const VkPipelineCacheCreateInfo *i, const VkAllocationCallbacks *a, \
      VkPipelineCache *o), (d, i, a, o)) \
    X(vkCreateComputePipelines, (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i, \
      const VkAllocationCallbacks *a, VkPipeline *o), (d, c, n, i, a, o)) \
    X(vkCreatePipelineLayout, (VkDevice d, const VkPipelineLayoutCreateInfo *i, const VkAllocationCallbacks *a, \
      VkPipelineLayout *o), (d, i, a, o)) \
    X(vkCreateDescriptorSetLayout, (VkDevice d, const VkDescriptorSetLayoutCreateInfo *i, \
      const VkAllocationCallbacks *a, VkDescriptorSetLayout *o), (d, i, a, o)) \
    X(vkCreateDescriptorPool, (VkDevice d, const VkDescriptorPoolCreateInfo *i, const VkAllocationCallbacks *a, \
      VkDescriptorPool *o), (d, i, a, o)) \
    X(vkAllocateDescriptorSets, (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *o), (d, i, o)) \
    X(vkCreateCommandPool, (VkDevice d, const VkCommandPoolCreateInfo *i, const VkAllocationCallbacks *a, \
      VkCommandPool *o), (d, i, a, o)) \
    X(vkAllocateCommandBuffers, (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *o), (d, i, o)) \
    X(vkBeginCommandBuffer, (VkCommandBuffer c, const VkCommandBufferBeginInfo *i), (c, i)) \
    X(vkEndCommandBuffer, (VkCommandBuffer c), (c)) \
    X(vkCreateQueryPool, (VkDevice d, const VkQueryPoolCreateInfo *i, const VkAllocationCallbacks *a, VkQueryPool *o), \
      (d, i, a, o)) \
    X(vkCreateSemaphore, (VkDevice d, const VkSemaphoreCreateInfo *i, const VkAllocationCallbacks *a, VkSemaphore *o), \
      (d, i, a, o)) \
    X(vkCreateFence, (VkDevice d, const VkFenceCreateInfo *i, const VkAllocationCallbacks *a, VkFence *o), \
      (d, i, a, o)) \
    X(vkResetFences, (VkDevice d, uint32_t n, const VkFence *f), (d, n, f)) \
    X(vkWaitForFences, (VkDevice d, uint32_t n, const VkFence *f, VkBool32 all, uint64_t t), (d, n, f, all, t)) \
    X(vkGetMemoryFdKHR, (VkDevice d, const VkMemoryGetFdInfoKHR *i, int *fd), (d, i, fd)) \
    X(vkQueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo *i, VkFence f), (q, n, i, f))

/* A call that fails does nothing, but a wait must have waited: the validation layer would see buffers freed too
 * early. */
#define WRAP(name, parameters, arguments) \
    static VKAPI_ATTR VkResult VKAPI_CALL fake_##name parameters \
    { \
        const bool bad = fails(); \
        if (bad && strcmp(#name, "vkWaitForFences")) \
            return injected; \
        const VkResult r = real.name arguments; \
        return bad ? injected : r; \
    }
FALLIBLE(WRAP)

static VKAPI_ATTR void VKAPI_CALL fake_families(VkPhysicalDevice p, uint32_t *n, VkQueueFamilyProperties *out)
{
    real.vkGetPhysicalDeviceQueueFamilyProperties(p, n, out);
    for (uint32_t i = 0; out && no_compute && i < *n; i++)
        out[i].queueFlags = VK_QUEUE_TRANSFER_BIT;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_device_proc(VkDevice device, const char *name)
{
#define LOOK(f, parameters, arguments) \
    if (!strcmp(name, #f)) \
        return (PFN_vkVoidFunction)fake_##f;
    FALLIBLE(LOOK)
    return real.vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_instance_proc(VkInstance instance, const char *name)
{
    if (!strcmp(name, "vkGetDeviceProcAddr"))
        return (PFN_vkVoidFunction)fake_device_proc;
    if (!strcmp(name, "vkGetPhysicalDeviceQueueFamilyProperties"))
        return (PFN_vkVoidFunction)fake_families;
    return real.vkGetInstanceProcAddr(instance, name);
}

#endif
