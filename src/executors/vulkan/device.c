/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "executors/open.h"

enum { NEEDED_VERSION = VK_API_VERSION_1_1 };

/* ---- what a physical device is ---------------------------------------------------------------------------------- */

struct facts {
    VkPhysicalDeviceProperties properties;
    char driver[128];
    bool subgroups; /* 32-bit integer sums in compute shaders */
    struct vk_families families;
};

static void look_at(const struct vk_api *vk, VkPhysicalDevice physical, struct facts *f)
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

static bool usable(const struct facts *f)
{
    return f->properties.apiVersion >= NEEDED_VERSION && f->families.compute != VK_NO_FAMILY;
}

static uint64_t heap_bytes(const VkPhysicalDeviceMemoryProperties *m)
{
    uint64_t best = 0;
    for (uint32_t i = 0; i < m->memoryHeapCount; i++)
        if (m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT && m->memoryHeaps[i].size > best)
            best = m->memoryHeaps[i].size;
    return best;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

/* One instance per process, kept until it ends: some drivers can't be loaded again and again, because their thread-local
 * storage is never given back. */
static struct {
    pthread_mutex_t lock;
    struct vk_api api;
    VkInstance instance;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int create_instance(struct vk_api *vk, VkInstance *instance, struct assay_error *e)
{
    uint32_t version = 0;
    if (vk->vkEnumerateInstanceVersion(&version) || version < NEEDED_VERSION)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the loader knows version %u.%u; 1.1 is needed",
                          VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "assay",
                                           .pEngineName = "assay",
                                           .apiVersion = version < VK_API_VERSION_1_2 ? version : VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    const VkResult r = vk->vkCreateInstance(&info, NULL, instance);
    if (r)
        return vk_fail(e, r, "creating an instance");
    const int rc = vk_api_instance(vk, *instance, e);
    if (rc && vk->vkDestroyInstance)
        vk->vkDestroyInstance(*instance, NULL);
    return rc;
}

static int open_instance(struct vk_device *d, struct assay_error *e)
{
    int rc = ASSAY_OK;
    pthread_mutex_lock(&process.lock);
    if (!process.instance) {
        VkInstance instance = VK_NULL_HANDLE;
        rc = vk_api_open(&process.api, NULL, e);
        if (!rc && (rc = create_instance(&process.api, &instance, e)))
            vk_api_close(&process.api);
        if (!rc)
            process.instance = instance;
    }
    d->api = process.api;
    d->instance = process.instance;
    pthread_mutex_unlock(&process.lock);
    d->ours = true;
    return rc;
}

/* All physical devices; *out is to be freed. */
static int enumerate(const struct vk_device *d, VkPhysicalDevice **out, uint32_t *n, struct assay_error *e)
{
    *n = 0;
    *out = NULL;
    VkResult r = d->api.vkEnumeratePhysicalDevices(d->instance, n, NULL);
    if (r)
        return vk_fail(e, r, "listing devices");
    if (!*n)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: no device; is a driver installed?");
    *out = calloc(*n, sizeof **out);
    if (!*out)
        return assay_fail_memory(e, "the list of Vulkan devices");
    r = d->api.vkEnumeratePhysicalDevices(d->instance, n, *out);
    if (r && r != VK_INCOMPLETE) {
        free(*out);
        *out = NULL;
        return vk_fail(e, r, "listing devices");
    }
    return ASSAY_OK;
}

static int no_such_device(const struct vk_device *d, const VkPhysicalDevice *physical, uint32_t n, const char *want,
                          struct assay_error *e)
{
    struct device_names names = {""};
    for (uint32_t i = 0; i < n; i++) {
        struct facts f;
        look_at(&d->api, physical[i], &f);
        device_names_add(&names, i, f.properties.deviceName);
    }
    return assay_fail(e, ASSAY_EDEVICE, "Vulkan: no device '%s': %s", want, names.text);
}

/* Real GPUs before software, discrete ones first; among equals the driver's order. */
static int preference(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER: return 1;
    default: return 0;
    }
}

static int choose(struct vk_device *d, const char *want, struct facts *f, struct assay_error *e)
{
    VkPhysicalDevice *physical;
    uint32_t n;
    int rc = enumerate(d, &physical, &n, e);
    if (rc)
        return rc;
    int best = -1;
    for (uint32_t i = 0; i < n; i++) {
        struct facts here;
        look_at(&d->api, physical[i], &here);
        const bool named = !want || device_name_matches(want, i, here.properties.deviceName);
        if (!named || (!usable(&here) && !want))
            continue;
        const int p = want ? 0 : preference(here.properties.deviceType);
        if (p > best) {
            best = p;
            *f = here;
            d->physical = physical[i];
        }
    }
    if (best < 0)
        rc = want ? no_such_device(d, physical, n, want, e)
                  : assay_fail(e, ASSAY_EDEVICE, "Vulkan: no device has version 1.1 and a queue that computes");
    else if (f->properties.apiVersion < NEEDED_VERSION)
        rc = assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has version %u.%u; 1.1 is needed", f->properties.deviceName,
                        VK_API_VERSION_MAJOR(f->properties.apiVersion), VK_API_VERSION_MINOR(f->properties.apiVersion));
    else if (f->families.compute == VK_NO_FAMILY)
        rc = assay_fail(e, ASSAY_EDEVICE, "Vulkan: %s has no queue that computes", f->properties.deviceName);
    free(physical);
    return rc;
}

static bool has_extension(const struct vk_device *d, const char *name)
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

static int read_facts(struct vk_device *d, const struct facts *f, struct assay_error *e)
{
    const VkPhysicalDeviceLimits *l = &f->properties.limits;
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    d->api.vkGetPhysicalDeviceMemoryProperties2(d->physical, &memory);
    d->memory = memory.memoryProperties;
    d->memory_budget = has_extension(d, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    d->limits = (struct gpu_limits){
        .binding_bytes = l->maxStorageBufferRange, .offset_align = (uint32_t)l->minStorageBufferOffsetAlignment,
        .shared_bytes = l->maxComputeSharedMemorySize, .subgroups = f->subgroups,
        .threads = l->maxComputeWorkGroupInvocations < l->maxComputeWorkGroupSize[0] ? l->maxComputeWorkGroupInvocations
                                                                                    : l->maxComputeWorkGroupSize[0],
        .groups = {l->maxComputeWorkGroupCount[0], l->maxComputeWorkGroupCount[1]}};
    snprintf(d->name, sizeof d->name, "%.127s", f->properties.deviceName);
    snprintf(d->driver, sizeof d->driver, "%s", f->driver);
    int rc = gpu_shaders_open(&d->limits, MODULE_VULKAN, e);
    if (!rc)
        rc = gpu_limits_from_environment(&d->limits, e);
    if (!rc)
        rc = vk_queues_plan(&f->families, !d->ours || d->limits.minimal, &d->queues, e);
    const uint32_t bits = f->families.compute_clock_bits, copy_bits = f->families.copy_clock_bits;
    const bool apart = d->queues.copy_family == f->families.copy && f->families.copy != VK_NO_FAMILY;
    d->tick = bits ? l->timestampPeriod : 0.0f;
    /* One counter behind all queues, as far as the narrowest shows it. */
    const uint32_t narrow = apart && copy_bits && copy_bits < bits ? copy_bits : bits;
    d->clock_mask = narrow < 64 ? ((uint64_t)1 << narrow) - 1 : UINT64_MAX;
    d->copy_clock = !apart || copy_bits;
    return rc;
}

int vk_device_open(struct vk_device **out, const char *want, struct assay_error *e)
{
    *out = NULL;
    struct vk_device *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the Vulkan device");
    struct facts f = {0};
    int rc = open_instance(d, e);
    if (!rc)
        rc = choose(d, want, &f, e);
    if (!rc)
        rc = read_facts(d, &f, e);
    if (!rc)
        rc = vk_queues_open(&d->api, d->physical, &f.families, &d->device, &d->queues, e);
    if (rc)
        vk_device_close(&d);
    *out = d;
    return rc;
}

int vk_device_adopt(struct vk_device **out, const struct vk_handles *handles, struct assay_error *e)
{
    *out = NULL;
    struct vk_device *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the Vulkan device");
    struct facts f;
    int rc = vk_api_open(&d->api, handles->get_instance_proc_addr, e); /* no library: nothing to close */
    d->instance = handles->instance;
    d->physical = handles->physical;
    if (!rc)
        rc = vk_api_instance(&d->api, d->instance, e);
    if (!rc) {
        look_at(&d->api, d->physical, &f);
        vk_families_look(&d->api, d->physical, &handles->family, &f.families);
        rc = usable(&f) ? read_facts(d, &f, e)
                        : assay_fail(e, ASSAY_EDEVICE, "Vulkan: the application's device lacks version 1.1, or its queue family %u compute",
                                     handles->family);
    }
    if (!rc)
        rc = vk_api_device(&d->api, handles->device, e);
    if (!rc) {
        d->device = handles->device;
        vk_queues_adopt(&d->queues, handles->queue);
    }
    if (rc)
        vk_device_close(&d);
    *out = d;
    return rc;
}

void vk_device_close(struct vk_device **out)
{
    struct vk_device *d = *out;
    if (!d)
        return;
    *out = NULL;
    if (d->ours && d->device)
        d->api.vkDestroyDevice(d->device, NULL);
    free(d);
}

int vk_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e)
{
    struct vk_device *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the list of Vulkan devices");
    VkPhysicalDevice *physical = NULL;
    uint32_t n = 0;
    int rc = gpu_shaders_open(&d->limits, MODULE_VULKAN, e);
    if (!rc)
        rc = open_instance(d, e);
    if (!rc)
        rc = enumerate(d, &physical, &n, e);
    for (uint32_t i = 0; !rc && i < n; i++) {
        struct facts f;
        look_at(&d->api, physical[i], &f);
        VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
        d->api.vkGetPhysicalDeviceMemoryProperties2(physical[i], &memory);
        const struct executor_device device = {
            .number = i, .name = f.properties.deviceName, .driver = f.driver, .usable = usable(&f),
            .software = f.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
            .memory = heap_bytes(&memory.memoryProperties)};
        show(opaque, &device);
    }
    free(physical);
    vk_device_close(&d);
    return rc;
}

uint64_t vk_device_free_bytes(const struct vk_device *d)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                .pNext = &budget};
    uint64_t best = heap_bytes(&d->memory);
    if (!d->memory_budget)
        return best;
    d->api.vkGetPhysicalDeviceMemoryProperties2(d->physical, &memory);
    best = 0;
    for (uint32_t i = 0; i < d->memory.memoryHeapCount; i++) {
        const uint64_t room = budget.heapBudget[i] > budget.heapUsage[i] ? budget.heapBudget[i] - budget.heapUsage[i] : 0;
        if (d->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT && room > best)
            best = room;
    }
    return best;
}
