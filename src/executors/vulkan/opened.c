/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/opened.h"

#include <stdlib.h>

/* Held while a device is opened, too: whoever wants the same one waits for it. */
static pthread_mutex_t vk_opened_all = PTHREAD_MUTEX_INITIALIZER;
static struct vk_opened *vk_opened_first;

void vk_opened_lock(struct vk_opened *opened)
{
    if (opened)
        pthread_mutex_lock(&opened->queues);
}

void vk_opened_unlock(struct vk_opened *opened)
{
    if (opened)
        pthread_mutex_unlock(&opened->queues);
}

/* A kernel that hangs makes the driver give up a device. An empty submission tells whether it did. */
static bool vk_opened_lost(struct vk_opened *opened, const struct vk_api *vk, const struct vk_families *have)
{
    VkQueue queue;
    vk->vkGetDeviceQueue(opened->device, have->compute, 0, &queue);
    vk_opened_lock(opened);
    opened->lost = vk->vkQueueSubmit(queue, 0, NULL, VK_NULL_HANDLE) != VK_SUCCESS;
    vk_opened_unlock(opened);
    return opened->lost;
}

static int vk_opened_join(struct vk_opened **out, struct vk_api *vk, VkPhysicalDevice physical,
                          const struct vk_families *have, struct assay_error *e)
{
    for (struct vk_opened *o = vk_opened_first; o; o = o->next) {
        if (o->physical != physical || o->lost || o->computes < have->compute_queues)
            continue;
        TRY(vk_api_device(vk, o->device, e));
        if (!vk_opened_lost(o, vk, have)) {
            *out = o;
            return ASSAY_OK;
        }
    }
    struct vk_opened *const own = calloc(1, sizeof *own);
    if (!own)
        return assay_fail_memory(e, "the Vulkan device");
    own->physical = physical;
    own->computes = have->compute_queues;
    int rc = vk_queues_device(vk, physical, have, &own->device, e);
    rc = rc ? rc : vk_api_device(vk, own->device, e); /* without the table it can't be destroyed */
    if (rc) {
        free(own);
        return rc;
    }
    pthread_mutex_init(&own->queues, NULL);
    own->next = vk_opened_first;
    *out = vk_opened_first = own;
    return ASSAY_OK;
}

int vk_opened_take(struct vk_opened **out, struct vk_api *vk, VkPhysicalDevice physical,
                   const struct vk_families *have, struct vk_queues *queues, struct assay_error *e)
{
    pthread_mutex_lock(&vk_opened_all);
    const int rc = vk_opened_join(out, vk, physical, have, e);
    if (!rc) {
        (*out)->users++;
        vk_queues_take(vk, (*out)->device, have, (*out)->taken++, queues);
    }
    pthread_mutex_unlock(&vk_opened_all);
    return rc;
}

void vk_opened_leave(struct vk_opened **opened, const struct vk_api *vk)
{
    struct vk_opened *const o = *opened;
    if (!o)
        return;
    *opened = NULL;
    pthread_mutex_lock(&vk_opened_all);
    if (!--o->users) {
        struct vk_opened **at = &vk_opened_first;
        while (*at != o)
            at = &(*at)->next;
        *at = o->next;
        vk->vkDestroyDevice(o->device, NULL);
        pthread_mutex_destroy(&o->queues);
        free(o);
    }
    pthread_mutex_unlock(&vk_opened_all);
}
