/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/api.h"

#include <string.h>

#include "host/late.h"

static const char loader[] = LATE_SYSTEM("libvulkan.so.1", "vulkan-1.dll");

static const char *vk_result_words(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED: return "initialisation failed";
    case VK_ERROR_DEVICE_LOST: return "the device was lost";
    case VK_ERROR_MEMORY_MAP_FAILED: return "memory can't be mapped";
    case VK_ERROR_LAYER_NOT_PRESENT: return "a layer that the environment asks for is not installed";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "an extension is missing";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "a feature is missing";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "no driver that this loader can use";
    case VK_ERROR_TOO_MANY_OBJECTS: return "too many objects";
    case VK_ERROR_FRAGMENTED_POOL: return "fragmented pool";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "out of pool memory";
    case VK_TIMEOUT: return "timeout";
    default: return NULL;
    }
}

int vk_check(struct assay_error *e, VkResult result, const char *what)
{
    const char *words = vk_result_words(result);
    if (result == VK_SUCCESS)
        return ASSAY_OK;
    return words ? assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s: %s", what, words)
                 : assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s: error %d", what, (int)result);
}

static int vk_missing(struct assay_error *e, const char *name)
{
    return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the driver has no function %s; Vulkan 1.1 is needed", name);
}

int vk_api_open(struct vk_api *vk, PFN_vkGetInstanceProcAddr get, struct assay_error *e)
{
    memset(vk, 0, sizeof *vk);
    vk->vkGetInstanceProcAddr = get;
    if (!get) {
        vk->library = dlopen(loader, RTLD_NOW | RTLD_LOCAL);
        if (!vk->library)
            return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the loader %s is not installed", loader);
        if (!late_find(vk->library, "vkGetInstanceProcAddr", &vk->vkGetInstanceProcAddr)) {
            vk_api_close(vk);
            return assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has no vkGetInstanceProcAddr", loader);
        }
    }
#define LOAD(name) vk->name = (PFN_##name)vk->vkGetInstanceProcAddr(VK_NULL_HANDLE, #name);
    VK_EACH_GLOBAL(LOAD)
#undef LOAD
    if (!vk->vkCreateInstance || !vk->vkEnumerateInstanceVersion) {
        vk_api_close(vk);
        return vk_missing(e, "vkEnumerateInstanceVersion");
    }
    return ASSAY_OK;
}

int vk_api_instance(struct vk_api *vk, VkInstance instance, struct assay_error *e)
{
#define LOAD(name) \
    if (!(vk->name = (PFN_##name)vk->vkGetInstanceProcAddr(instance, #name))) \
        return vk_missing(e, #name);
    VK_EACH_INSTANCE(LOAD)
#undef LOAD
    return ASSAY_OK;
}

int vk_api_device(struct vk_api *vk, VkDevice device, struct assay_error *e)
{
#define LOAD(name) \
    if (!(vk->name = (PFN_##name)vk->vkGetDeviceProcAddr(device, #name))) \
        return vk_missing(e, #name);
    VK_EACH_DEVICE(LOAD)
#undef LOAD
    vk->vkGetMemoryFdKHR = (PFN_vkGetMemoryFdKHR)vk->vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR");
    return ASSAY_OK;
}

void vk_api_close(struct vk_api *vk)
{
    if (vk->library)
        dlclose(vk->library);
    memset(vk, 0, sizeof *vk);
}
