/* SPDX-License-Identifier: BSD-2-Clause */
/* Which queues are taken of devices with the families that real ones have, and of what ASSAY_VULKAN_QUEUES asks for. No
 * device is needed: the driver is a table of families. And that users of one device share it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/vulkan/opened.h"

enum { GRAPHICS = VK_QUEUE_GRAPHICS_BIT, COMPUTE = VK_QUEUE_COMPUTE_BIT, COPY = VK_QUEUE_TRANSFER_BIT,
       SPARSE = VK_QUEUE_SPARSE_BINDING_BIT, VIDEO = 0x20 /* decoding */, NONE = VK_NO_FAMILY };

struct machine {
    const char *name;
    uint32_t families;
    VkQueueFamilyProperties family[6];
};

static const struct machine *machine;
static VkDeviceQueueCreateInfo created[2];
static uint32_t created_n, devices, submissions;
static VkResult submitted; /* what a submission returns */

static VKAPI_ATTR void VKAPI_CALL families(VkPhysicalDevice p, uint32_t *n, VkQueueFamilyProperties *out)
{
    (void)p;
    *n = machine->families;
    memcpy(out, machine->family, *n * sizeof *out);
}

static VKAPI_ATTR VkResult VKAPI_CALL create(VkPhysicalDevice p, const VkDeviceCreateInfo *info,
                                             const VkAllocationCallbacks *a, VkDevice *out)
{
    (void)p;
    (void)a;
    created_n = info->queueCreateInfoCount;
    memcpy(created, info->pQueueCreateInfos, created_n * sizeof *created);
    *out = (VkDevice)(uintptr_t)++devices;
    return VK_SUCCESS;
}

/* A queue's handle says which one it is. */
static VkQueue handle(uint32_t family, uint32_t index)
{
    return (VkQueue)(uintptr_t)(100 * (family + 1) + index);
}

static VKAPI_ATTR void VKAPI_CALL queue_of(VkDevice d, uint32_t family, uint32_t index, VkQueue *out)
{
    (void)d;
    *out = handle(family, index);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue q, uint32_t n, const VkSubmitInfo *info, VkFence fence)
{
    (void)q;
    (void)n;
    (void)info;
    (void)fence;
    submissions++;
    return submitted;
}

static VkDevice destroyed;
static VKAPI_ATTR void VKAPI_CALL destroy(VkDevice d, const VkAllocationCallbacks *a)
{
    (void)a;
    destroyed = d;
}

static VKAPI_ATTR void VKAPI_CALL nothing(void) { }

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL proc(VkDevice d, const char *name)
{
    (void)d;
    return !strcmp(name, "vkGetDeviceQueue")  ? (PFN_vkVoidFunction)queue_of
           : !strcmp(name, "vkQueueSubmit")   ? (PFN_vkVoidFunction)submit
           : !strcmp(name, "vkDestroyDevice") ? (PFN_vkVoidFunction)destroy
                                              : nothing;
}

#define FAMILY(f, n, bits) {.queueFlags = (f), .queueCount = (n), .timestampValidBits = (bits)}
static const struct machine machines[] = {
    {"all in one", 1, {FAMILY(GRAPHICS | COMPUTE | COPY, 1, 64)}},
    {"as NVIDIA's",
     5,
     {FAMILY(GRAPHICS | COMPUTE | COPY | SPARSE, 16, 64), FAMILY(COPY | SPARSE, 2, 64),
      FAMILY(COMPUTE | COPY | SPARSE, 8, 64), FAMILY(COPY | SPARSE | VIDEO, 7, 32), FAMILY(COPY | SPARSE, 1, 64)}},
    {"a copier without a clock",
     3,
     {FAMILY(VIDEO | COPY, 1, 0), FAMILY(COPY, 1, 0), FAMILY(GRAPHICS | COMPUTE, 1, 36)}},
    {"two that compute", 2, {FAMILY(GRAPHICS | COMPUTE, 1, 64), FAMILY(COMPUTE, 2, 64)}},
    {"nothing that computes", 2, {FAMILY(COPY, 1, 64), FAMILY(GRAPHICS, 1, 64)}},
};

static const struct expected {
    unsigned machine;
    const char *asked; /* NULL: nothing */
    bool one;
    uint32_t computes, created, family, copy_family; /* computes: of ours; created: of the device's */
    uint32_t frames; /* that will come; 0: not known */
} expected[] = {
    {0, NULL, false, 1, 1, 0, NONE, 0},
    {0, "3", false, 3, 1, 0, NONE, 0},
    {0, "2+1", false, 2, 1, 0, 0, 0},
    {1, NULL, false, 8, 8, 2, 1, 0},
    {1, NULL, true, 1, 8, 2, NONE, 0},
    {1, "", true, 1, 8, 2, NONE, 0},
    {1, "4+1", true, 4, 8, 2, 1, 0},
    {1, "8", false, 8, 8, 2, NONE, 0},
    {1, NULL, false, 4, 4, 2, 1, 999},
    {1, NULL, false, 8, 8, 2, 1, 1000},
    {1, "8", false, 8, 4, 2, NONE, 24},
    {3, NULL, false, 2, 2, 1, NONE, 24},
    {2, NULL, false, 1, 1, 2, 1, 0},
    {3, NULL, false, 2, 2, 1, NONE, 0},
    {2, "1+1", false, 1, 1, 2, 1, 0},
    {3, "3+1", false, 3, 2, 1, 1, 0},
};

static int fail(const char *what, const struct machine *m, const char *asked)
{
    fprintf(stderr, "%s, asked for %s: %s\n", m->name, asked ? asked : "nothing", what);
    return 1;
}

static void ask(const char *text)
{
    if (text)
        setenv("ASSAY_VULKAN_QUEUES", text, 1);
    else
        unsetenv("ASSAY_VULKAN_QUEUES");
}

/* Frames of few passes, of many small ones, and of large ones. */
static int check_frames(const struct vk_queues *q, const struct expected *x)
{
    static const struct { uint32_t passes, most; uint64_t bytes; } work[] = {
        {12, 4, 64 << 20}, {13, 8, 64 << 20}, {13, 2, (64 << 20) + 1}, {0, 4, 0}};
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++) {
        const bool asked = x->asked && *x->asked;
        const uint32_t used = asked || x->computes < work[i].most ? x->computes : work[i].most;
        if (vk_queues_used(q, work[i].passes, work[i].bytes) != used ||
            vk_queues_depth(q, work[i].passes, work[i].bytes) != (used > 4 ? 12 : 6))
            return 1;
    }
    return 0;
}

static int check(const struct expected *x)
{
    struct vk_api vk = {.vkGetPhysicalDeviceQueueFamilyProperties = families, .vkCreateDevice = create,
                        .vkGetDeviceProcAddr = proc};
    struct vk_families have;
    struct vk_queues q;
    struct assay_error e = {0};
    struct vk_opened *device;
    machine = &machines[x->machine];
    ask(x->asked);
    vk_families_look(&vk, VK_NULL_HANDLE, NULL, &have);
    vk_families_limit(&have, x->frames);
    if (vk_queues_plan(&have, x->one, &q, &e) ||
        vk_opened_take(&device, &vk, VK_NULL_HANDLE, &have, &q, &e))
        return fail(e.text, machine, x->asked);
    vk_opened_leave(&device, &vk);
    const bool copies = have.copy != NONE;
    if (check_frames(&q, x))
        return fail("another number of queues, or of frames in flight, for frames of some work", machine, x->asked);
    if (q.computes != x->computes || q.family != x->family || q.copy_family != x->copy_family)
        return fail("another plan", machine, x->asked);
    if (created_n != (copies ? 2u : 1u) || created[0].queueFamilyIndex != x->family ||
        created[0].queueCount != x->created ||
        (copies && (created[1].queueFamilyIndex != have.copy || created[1].queueCount != 1)))
        return fail("another device", machine, x->asked);
    for (uint32_t i = 0; i < q.computes; i++)
        if (q.compute[i] != handle(x->family, i < x->created ? i : 0))
            return fail("another queue that computes", machine, x->asked);
    if (q.copy != (x->copy_family == NONE ? VK_NULL_HANDLE : handle(x->copy_family, 0)))
        return fail("another queue that copies", machine, x->asked);
    return 0;
}

/* Three users of a device, and one more after the driver gave it up. */
static int check_shared(void)
{
    struct vk_api vk = {.vkGetPhysicalDeviceQueueFamilyProperties = families, .vkCreateDevice = create,
                        .vkGetDeviceProcAddr = proc};
    struct vk_families have;
    struct vk_opened *user[4];
    struct vk_queues q[4];
    struct assay_error e = {0};
    machine = &machines[1];
    ask(NULL);
    vk_families_look(&vk, VK_NULL_HANDLE, NULL, &have);
    const uint32_t before = devices;
    for (unsigned i = 0; i < 4; i++) {
        submitted = i < 3 ? VK_SUCCESS : VK_ERROR_DEVICE_LOST;
        if (vk_queues_plan(&have, i == 1, &q[i], &e) ||
            vk_opened_take(&user[i], &vk, VK_NULL_HANDLE, &have, &q[i], &e))
            return fail(e.text, machine, NULL);
    }
    submitted = VK_SUCCESS;
    if (user[1] != user[0] || user[2] != user[0] || user[3] == user[0] || devices != before + 2 || submissions < 3)
        return fail("not one device until it is lost, and then another one", machine, NULL);
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t k = 0; k < q[i].computes; k++)
            if (q[i].compute[k] != handle(2, i < 3 ? (i + k) % 8 : k))
                return fail("users do not begin with different queues", machine, NULL);
    for (unsigned i = 0; i < 4; i++) {
        const VkDevice device = user[i]->device;
        destroyed = VK_NULL_HANDLE;
        vk_opened_leave(&user[i], &vk);
        if (user[i] || (destroyed == device) != (i >= 2))
            return fail("a device is not destroyed by its last user", machine, NULL);
    }
    vk_opened_leave(&user[0], &vk); /* NULL */
    return 0;
}

/* One who may have many frames does not get a device that was opened for few. */
static int check_few(void)
{
    static const uint32_t frames[] = {24, 1000, 24, 0};
    struct vk_api vk = {.vkGetPhysicalDeviceQueueFamilyProperties = families, .vkCreateDevice = create,
                        .vkGetDeviceProcAddr = proc};
    struct vk_opened *user[4];
    struct assay_error e = {0};
    machine = &machines[1];
    ask(NULL);
    const uint32_t before = devices;
    for (unsigned i = 0; i < 4; i++) {
        struct vk_families have;
        struct vk_queues q;
        vk_families_look(&vk, VK_NULL_HANDLE, NULL, &have);
        vk_families_limit(&have, frames[i]);
        if (vk_queues_plan(&have, false, &q, &e) || vk_opened_take(&user[i], &vk, VK_NULL_HANDLE, &have, &q, &e))
            return fail(e.text, machine, NULL);
        if (q.computes != (frames[i] == 24 ? 4 : 8))
            return fail("another number of queues for few frames", machine, NULL);
    }
    const bool shared = user[3] == user[1] && user[1] != user[0] && devices == before + 2;
    for (unsigned i = 0; i < 4; i++)
        vk_opened_leave(&user[i], &vk);
    return shared ? 0 : fail("few and many frames do not have a device each", machine, NULL);
}

int main(void)
{
    static const char *const refused[] = {"0", "9", "+1", "1+", "1+2", "1+11", "2x", "11", "-1", "one"};
    struct vk_api vk = {.vkGetPhysicalDeviceQueueFamilyProperties = families};
    struct vk_families have;
    int rc = 0;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        rc |= check(&expected[i]);
    rc |= check_shared();
    rc |= check_few();
    machine = &machines[4];
    vk_families_look(&vk, VK_NULL_HANDLE, NULL, &have);
    if (have.compute != NONE)
        rc = fail("something computes", machine, NULL);
    machine = &machines[1];
    vk_families_look(&vk, VK_NULL_HANDLE, NULL, &have);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct vk_queues q;
        struct assay_error e = {0};
        ask(refused[i]);
        if (vk_queues_plan(&have, false, &q, &e) != ASSAY_EUSAGE || !strstr(e.text, refused[i]))
            rc = fail("taken, or no clear line", machine, refused[i]);
    }
    return rc;
}
