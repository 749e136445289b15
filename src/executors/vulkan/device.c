/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "executors/open.h"
#include "host/digest.h"

enum { NEEDED_VERSION = VK_API_VERSION_1_1, DEVICES = 64 };

/* ---- what a physical device is ---------------------------------------------------------------------------------- */

struct vk_facts {
    VkPhysicalDeviceProperties properties;
    char driver[128];
    bool subgroups; /* 32-bit integer sums in compute shaders */
    struct vk_families families;
};

static void vk_look_at(const struct vk_api *vk, VkPhysicalDevice physical, struct vk_facts *f)
{
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    memset(f, 0, sizeof *f);
    vk->vkGetPhysicalDeviceProperties2(physical, &p);
    f->properties = p.properties;
    vk_families_look(vk, physical, NULL, &f->families);
    if (p.properties.apiVersion < NEEDED_VERSION)
        return;
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
        .pNext = p.properties.apiVersion >= VK_API_VERSION_1_2 ? &driver : NULL};
    p.pNext = &subgroup;
    vk->vkGetPhysicalDeviceProperties2(physical, &p);
    const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    f->subgroups = subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT &&
                   (subgroup.supportedOperations & needed) == needed;
    if (subgroup.pNext)
        snprintf(f->driver, sizeof f->driver, "%.60s %.60s", driver.driverName, driver.driverInfo);
    else
        snprintf(f->driver, sizeof f->driver, "driver 0x%08x", p.properties.driverVersion);
}

static bool vk_usable(const struct vk_facts *f)
{
    return f->properties.apiVersion >= NEEDED_VERSION && f->families.compute != VK_NO_FAMILY;
}

/* Of the largest heap: all of it, or with a budget what is free. */
static uint64_t vk_heap_bytes(const VkPhysicalDeviceMemoryProperties *m,
                              const VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < m->memoryHeapCount; i++) {
        const uint64_t whole = budget ? budget->heapBudget[i] : m->memoryHeaps[i].size,
                       used = budget ? budget->heapUsage[i] : 0, room = whole > used ? whole - used : 0;
        if (m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT && room > best)
            best = room;
    }
    return best;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* One instance per process, kept until it ends: some drivers can't be loaded again and again, because their
 * thread-local storage is never given back. */
static struct {
    pthread_mutex_t lock;
    struct vk_api api;
    VkInstance instance;
} vk_process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int vk_create_instance(struct vk_api *vk, VkInstance *instance, struct assay_error *e)
{
    uint32_t version = 0;
    if (vk->vkEnumerateInstanceVersion(&version) || version < NEEDED_VERSION)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the loader knows version %u.%u; 1.1 is needed",
                          VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "assay",
                                           .pEngineName = "assay",
                                           .apiVersion = version < VK_API_VERSION_1_2 ? version : VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    TRY(vk_check(e, vk->vkCreateInstance(&info, NULL, instance), "creating an instance"));
    const int rc = vk_api_instance(vk, *instance, e);
    if (rc && vk->vkDestroyInstance)
        vk->vkDestroyInstance(*instance, NULL);
    return rc;
}

static int vk_open_instance(struct vk_device *d, struct assay_error *e)
{
    int rc = ASSAY_OK;
    pthread_mutex_lock(&vk_process.lock);
    if (!vk_process.instance) {
        VkInstance instance = VK_NULL_HANDLE;
        rc = vk_api_open(&vk_process.api, NULL, e);
        if (!rc && (rc = vk_create_instance(&vk_process.api, &instance, e)))
            vk_api_close(&vk_process.api);
        if (!rc)
            vk_process.instance = instance;
    }
    d->api = vk_process.api;
    d->instance = vk_process.instance;
    pthread_mutex_unlock(&vk_process.lock);
    d->ours = true;
    return rc;
}

/* The physical devices, DEVICES at most. */
static int vk_enumerate(const struct vk_device *d, VkPhysicalDevice out[DEVICES], uint32_t *n, struct assay_error *e)
{
    *n = DEVICES;
    const VkResult r = d->api.vkEnumeratePhysicalDevices(d->instance, n, out);
    TRY(r == VK_INCOMPLETE ? ASSAY_OK : vk_check(e, r, "listing devices"));
    return *n ? ASSAY_OK : assay_fail(e, ASSAY_EDEVICE, "Vulkan: no device; is a driver installed?");
}

/* Real GPUs before software, discrete ones first; among equals the driver's order. */
static int vk_preference(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER: return 1;
    default: return 0;
    }
}

static int vk_choose(struct vk_device *d, const char *want, struct vk_facts *f, struct assay_error *e)
{
    VkPhysicalDevice physical[DEVICES];
    uint32_t n;
    TRY(vk_enumerate(d, physical, &n, e));
    struct device_names names = {""};
    int best = -1;
    for (uint32_t i = 0; i < n; i++) {
        struct vk_facts here;
        vk_look_at(&d->api, physical[i], &here);
        device_names_add(&names, i, here.properties.deviceName);
        const bool named = !want || device_name_matches(want, i, here.properties.deviceName);
        if (!named || (!vk_usable(&here) && !want))
            continue;
        const int p = want ? 0 : vk_preference(here.properties.deviceType);
        if (p > best) {
            best = p;
            *f = here;
            d->physical = physical[i];
        }
    }
    if (best < 0)
        return want ? assay_fail(e, ASSAY_EDEVICE, "Vulkan: no device '%s': %s", want, names.text)
                    : assay_fail(e, ASSAY_EDEVICE, "Vulkan: no device has version 1.1 and a queue that computes");
    if (f->properties.apiVersion < NEEDED_VERSION)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has version %u.%u; 1.1 is needed", f->properties.deviceName,
                          VK_API_VERSION_MAJOR(f->properties.apiVersion),
                          VK_API_VERSION_MINOR(f->properties.apiVersion));
    if (f->families.compute == VK_NO_FAMILY)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has no queue that computes", f->properties.deviceName);
    return ASSAY_OK;
}

static bool vk_has_extension(const struct vk_device *d, const char *name)
{
    uint32_t n = 0;
    if (d->api.vkEnumerateDeviceExtensionProperties(d->physical, NULL, &n, NULL) || !n)
        return false;
    VkExtensionProperties *list = calloc(n, sizeof *list);
    bool found = false;
    if (list && d->api.vkEnumerateDeviceExtensionProperties(d->physical, NULL, &n, list) >= 0)
        for (uint32_t i = 0; i < n && !found; i++)
            found = !strcmp(list[i].extensionName, name);
    free(list);
    return found;
}

static int vk_read_facts(struct vk_device *d, const struct vk_facts *f, struct assay_error *e)
{
    const VkPhysicalDeviceLimits *l = &f->properties.limits;
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    d->api.vkGetPhysicalDeviceMemoryProperties2(d->physical, &memory);
    d->memory = memory.memoryProperties;
    d->memory_budget = vk_has_extension(d, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    struct gpu_limits *limits = &d->base.limits;
    *limits = (struct gpu_limits){
        .binding_bytes = l->maxStorageBufferRange, .offset_align = (uint32_t)l->minStorageBufferOffsetAlignment,
        .shared_bytes = l->maxComputeSharedMemorySize, .full = f->subgroups,
        .threads = l->maxComputeWorkGroupInvocations < l->maxComputeWorkGroupSize[0] ? l->maxComputeWorkGroupInvocations
                                                                                    : l->maxComputeWorkGroupSize[0],
        .groups = {l->maxComputeWorkGroupCount[0], l->maxComputeWorkGroupCount[1]}, .binds_late = true};
    limits->plane_bytes = limits->binding_bytes < INT32_MAX ? limits->binding_bytes : INT32_MAX;
    snprintf(d->base.name, sizeof d->base.name, "%.127s", f->properties.deviceName);
    snprintf(d->base.driver, sizeof d->base.driver, "%s", f->driver);
    d->base.build = digest_of(f->properties.pipelineCacheUUID, VK_UUID_SIZE);
    TRY(gpu_shaders_open(limits, MODULE_VULKAN, e));
    TRY(gpu_limits_from_environment(limits, e));
    TRY(vk_queues_plan(&f->families, !d->ours || limits->minimal, &d->queues, e));
    const uint32_t bits = f->families.compute_clock_bits, copy_bits = f->families.copy_clock_bits;
    const bool apart = d->queues.copy_family == f->families.copy && f->families.copy != VK_NO_FAMILY;
    d->tick = bits ? l->timestampPeriod : 0.0f;
    /* One counter behind all queues, as far as the narrowest shows it. */
    const uint32_t narrow = apart && copy_bits && copy_bits < bits ? copy_bits : bits;
    d->clock_mask = narrow < 64 ? ((uint64_t)1 << narrow) - 1 : UINT64_MAX;
    d->copy_clock = !apart || copy_bits;
    d->base.ops = &vk_device_ops;
    d->base.depth = vk_queues_depth(&d->queues, 0, 0);
    d->base.replays[GPU_UPLOAD] = d->base.replays[GPU_PASSES] = d->base.in_order = true;
    /* Uploads follow each other where they all go to one queue. */
    d->base.keeps = d->queues.computes == 1 || (d->queues.copy_family != VK_NO_FAMILY && d->copy_clock);
    return ASSAY_OK;
}

static int vk_open(struct vk_device *d, const struct executor_config *config, struct assay_error *e)
{
    struct vk_facts f = {0};
    TRY(vk_open_instance(d, e));
    TRY(vk_choose(d, config->device, &f, e));
    vk_families_limit(&f.families, config->frames);
    TRY(vk_read_facts(d, &f, e));
    TRY(vk_opened_take(&d->opened, &d->api, d->physical, &f.families, &d->queues, e));
    d->device = d->opened->device;
    return ASSAY_OK;
}

static int vk_adopt(struct vk_device *d, const struct image_device *lent, struct assay_error *e)
{
    const PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)(PFN_vkVoidFunction)
                                              lent->vulkan.get_instance_proc_addr;
    struct vk_facts f;
    TRY(vk_api_open(&d->api, get, e)); /* no library: nothing to close */
    d->instance = lent->vulkan.instance;
    d->physical = lent->vulkan.physical;
    TRY(vk_api_instance(&d->api, d->instance, e));
    vk_look_at(&d->api, d->physical, &f);
    vk_families_look(&d->api, d->physical, &lent->vulkan.family, &f.families);
    if (!vk_usable(&f))
        return assay_fail(e, ASSAY_EDEVICE,
                          "Vulkan: the application's device lacks version 1.1, or its queue family %u compute",
                          lent->vulkan.family);
    TRY(vk_read_facts(d, &f, e));
    TRY(vk_api_device(&d->api, lent->vulkan.device, e));
    d->device = lent->vulkan.device;
    vk_queues_adopt(&d->queues, lent->vulkan.queue);
    return ASSAY_OK;
}

int vk_device_open(struct gpu_device **out, const struct executor_config *config, const struct image_device *lent,
                   struct assay_error *e)
{
    struct vk_device *d = calloc(1, sizeof *d);
    *out = (struct gpu_device *)d;
    if (!d)
        return assay_fail_memory(e, "the Vulkan device");
    const int rc = lent ? vk_adopt(d, lent, e) : vk_open(d, config, e);
    if (rc)
        vk_device_close(out);
    return rc;
}

void vk_device_close(struct gpu_device **out)
{
    struct vk_device *d = (struct vk_device *)*out;
    *out = NULL;
    if (d->device)
        vk_unprepare(d);
    vk_opened_leave(&d->opened, &d->api);
    free(d);
}

int vk_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque,
                   struct assay_error *e)
{
    struct vk_device *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the list of Vulkan devices");
    VkPhysicalDevice physical[DEVICES];
    uint32_t n = 0;
    int rc = gpu_shaders_open(&d->base.limits, MODULE_VULKAN, e);
    rc = rc ? rc : vk_open_instance(d, e);
    rc = rc ? rc : vk_enumerate(d, physical, &n, e);
    for (uint32_t i = 0; !rc && i < n; i++) {
        struct vk_facts f;
        vk_look_at(&d->api, physical[i], &f);
        VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
        d->api.vkGetPhysicalDeviceMemoryProperties2(physical[i], &memory);
        const struct executor_device device = {
            .number = i, .name = f.properties.deviceName, .driver = f.driver, .usable = vk_usable(&f),
            .software = f.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
            .memory = vk_heap_bytes(&memory.memoryProperties, NULL)};
        show(opaque, &device);
    }
    free(d);
    return rc;
}

int vk_free_bytes(struct gpu_device *base, uint64_t *bytes, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                .pNext = &budget};
    (void)e;
    if (d->memory_budget)
        d->api.vkGetPhysicalDeviceMemoryProperties2(d->physical, &memory);
    *bytes = vk_heap_bytes(&d->memory, d->memory_budget ? &budget : NULL);
    return ASSAY_OK;
}

void vk_uuids(struct gpu_device *base, uint8_t device[VK_UUID_SIZE], uint8_t driver[VK_UUID_SIZE])
{
    const struct vk_device *d = (const struct vk_device *)base;
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    d->api.vkGetPhysicalDeviceProperties2(d->physical, &p);
    memcpy(device, id.deviceUUID, VK_UUID_SIZE);
    memcpy(driver, id.driverUUID, VK_UUID_SIZE);
}
