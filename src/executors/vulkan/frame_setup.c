/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipelines, descriptor sets and buffers of the frames in flight. */
#include <stdlib.h>

#include "executors/vulkan/frame.h"

enum { BINDINGS = 4 };

static int create_layouts(struct vk_frames *f, struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    VkDescriptorSetLayoutBinding binding[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        binding[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                    .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = BINDINGS, .pBindings = binding};
    VkResult r = vk->vkCreateDescriptorSetLayout(f->device->device, &set, NULL, &f->set_layout);
    if (r)
        return vk_fail(e, r, "creating a descriptor set layout");
    const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = sizeof(struct shader_push)};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                             .pSetLayouts = &f->set_layout, .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &push};
    r = vk->vkCreatePipelineLayout(f->device->device, &info, NULL, &f->layout);
    return r ? vk_fail(e, r, "creating a pipeline layout") : ASSAY_OK;
}

static int create_pipeline(struct vk_frames *f, const struct shader *shader, const char *name, VkPipeline *pipeline,
                           struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    const VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = shader->bytes, .pCode = shader->code};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = f->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"}};
    VkResult r = vk->vkCreateShaderModule(f->device->device, &module, NULL, &info.stage.module);
    if (!r) {
        r = vk->vkCreateComputePipelines(f->device->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
        vk->vkDestroyShaderModule(f->device->device, info.stage.module, NULL);
    }
    if (!r)
        return ASSAY_OK;
    char what[80];
    snprintf(what, sizeof what, "building kernel %s", name);
    return vk_fail(e, r, what);
}

static int create_pipelines(struct vk_frames *f, struct assay_error *e)
{
    f->pipeline = calloc(KERNEL_VARIANTS, sizeof *f->pipeline);
    if (!f->pipeline)
        return assay_fail_memory(e, "the Vulkan pipelines");
    int rc = ASSAY_OK;
    for (graph_pass p = 0; !rc && p < f->graph->passes; p++) {
        const uint16_t k = f->graph->pass[p].kernel;
        if (!f->pipeline[k])
            rc = create_pipeline(f, f->plan->pass[p].shader, assay_kernel_info[k].name, &f->pipeline[k], e);
    }
    return rc;
}

static int create_pools(struct vk_frames *f, uint32_t slots, struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    const uint32_t sets = slots * f->graph->passes;
    const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .descriptorCount = (sets ? sets : 1) * BINDINGS};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = sets ? sets : 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkResult r = vk->vkCreateDescriptorPool(f->device->device, &pool, NULL, &f->sets);
    if (r)
        return vk_fail(e, r, "creating a descriptor pool");
    const VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                              .queueFamilyIndex = f->device->queues.family};
    r = vk->vkCreateCommandPool(f->device->device, &commands, NULL, &f->commands);
    if (!r && f->device->queues.copy) {
        VkCommandPoolCreateInfo copies = commands;
        copies.queueFamilyIndex = f->device->queues.copy_family;
        r = vk->vkCreateCommandPool(f->device->device, &copies, NULL, &f->copies);
    }
    return r ? vk_fail(e, r, "creating a command pool") : ASSAY_OK;
}

static int slot_buffers(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const struct graph *g = f->graph;
    s->storage = calloc(g->storages + 1, sizeof *s->storage);
    s->sets = calloc(g->passes + 1, sizeof *s->sets);
    s->recorded = calloc(g->planes + 1, sizeof *s->recorded);
    s->strides = calloc(g->planes + 1, sizeof *s->strides);
    s->totals = calloc(g->totals + 1, sizeof *s->totals);
    s->extrema = calloc(g->extrema + 1, 2 * sizeof *s->extrema);
    if (!s->storage || !s->sets || !s->recorded || !s->strides || !s->totals || !s->extrema)
        return assay_fail_memory(e, "a frame in flight");
    int rc = ASSAY_OK;
    if (f->plan->input_bytes)
        rc = vk_buffer_create(f->device, VK_MEMORY_INPUTS, f->plan->input_bytes, &s->inputs, e);
    for (uint32_t i = 0; !rc && i < g->storages; i++)
        rc = vk_buffer_create(f->device, VK_MEMORY_DEVICE, gpu_storage_bytes(g, i), &s->storage[i], e);
    if (!rc)
        rc = vk_buffer_create(f->device, VK_MEMORY_INPUTS, f->plan->results_bytes, &s->results, e);
    if (!rc)
        rc = vk_buffer_create(f->device, VK_MEMORY_READBACK, f->plan->results_bytes + VK_MARKS * sizeof(uint64_t), &s->readback, e);
    return rc;
}

static int slot_commands(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = f->commands, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 2};
    VkCommandBuffer buffers[2];
    VkResult r = vk->vkAllocateCommandBuffers(f->device->device, &info, buffers);
    if (!r) {
        s->upload = buffers[0];
        s->passes = buffers[1];
    }
    if (!r && f->copies) {
        VkCommandBufferAllocateInfo copies = info;
        copies.commandPool = f->copies;
        copies.commandBufferCount = 1;
        r = vk->vkAllocateCommandBuffers(f->device->device, &copies, &s->apart);
    }
    if (r) {
        s->apart = VK_NULL_HANDLE;
        return vk_fail(e, r, "allocating command buffers");
    }
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    r = vk->vkCreateFence(f->device->device, &fence, NULL, &s->fence);
    return r ? vk_fail(e, r, "creating a fence") : ASSAY_OK;
}

/* What each binding of a pass is in a slot. */
static void pass_bindings(const struct vk_frames *f, const struct vk_slot *s, graph_pass p,
                          VkDescriptorBufferInfo info[BINDINGS])
{
    const struct graph_pass_info *pass = &f->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    unsigned n = 0;
    for (; n < (unsigned)k->planes_in + k->planes_out; n++) {
        const graph_plane i = pass->plane[n];
        const struct graph_plane_info *plane = &f->graph->plane[i];
        info[n] = plane->input
                      ? (VkDescriptorBufferInfo){s->inputs.buffer, f->plan->input_offset[i], f->plan->input_room[i]}
                      : (VkDescriptorBufferInfo){s->storage[plane->storage].buffer, 0, s->storage[plane->storage].bytes};
    }
    if (f->plan->pass[p].totals_bound)
        info[n++] = (VkDescriptorBufferInfo){s->results.buffer, 0, (VkDeviceSize)f->graph->totals * 8};
    if (f->plan->pass[p].extrema_bound)
        info[n] = (VkDescriptorBufferInfo){s->results.buffer, f->plan->extrema_offset, (VkDeviceSize)f->plan->pairs * 8};
}

static int slot_sets(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    for (graph_pass p = 0; p < f->graph->passes; p++) {
        const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                      .descriptorPool = f->sets, .descriptorSetCount = 1,
                                                      .pSetLayouts = &f->set_layout};
        const VkResult r = vk->vkAllocateDescriptorSets(f->device->device, &allocate, &s->sets[p]);
        if (r)
            return vk_fail(e, r, "allocating descriptor sets");
        VkDescriptorBufferInfo info[BINDINGS] = {0};
        pass_bindings(f, s, p, info);
        VkWriteDescriptorSet write[BINDINGS];
        const uint32_t n = f->plan->pass[p].bindings;
        for (uint32_t i = 0; i < n; i++)
            write[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = s->sets[p],
                                              .dstBinding = i, .descriptorCount = 1,
                                              .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &info[i]};
        vk->vkUpdateDescriptorSets(f->device->device, n, write, 0, NULL);
    }
    return ASSAY_OK;
}

int vk_frames_init(struct vk_frames *f, struct vk_device *d, const struct graph *g, const struct gpu_plan *plan,
                   uint32_t slots, struct assay_error *e)
{
    *f = (struct vk_frames){.device = d, .graph = g, .plan = plan};
    int rc = create_layouts(f, e);
    if (!rc)
        rc = create_pipelines(f, e);
    if (!rc)
        rc = create_pools(f, slots, e);
    if (!rc && !(f->slot = calloc(slots, sizeof *f->slot)))
        rc = assay_fail_memory(e, "the frames in flight");
    while (!rc && f->slots < slots) {
        struct vk_slot *s = &f->slot[f->slots];
        s->queue = d->queues.compute[f->slots++ % d->queues.computes];
        rc = slot_buffers(f, s, e);
        if (!rc)
            rc = slot_commands(f, s, e);
        if (!rc)
            rc = slot_sets(f, s, e);
    }
    if (rc)
        vk_frames_free(f);
    return rc;
}

static void slot_free(struct vk_frames *f, struct vk_slot *s)
{
    struct vk_device *d = f->device;
    vk_buffer_destroy(d, &s->inputs);
    vk_buffer_destroy(d, &s->results);
    vk_buffer_destroy(d, &s->readback);
    vk_buffer_destroy(d, &s->staging);
    for (uint32_t i = 0; s->storage && i < f->graph->storages; i++)
        vk_buffer_destroy(d, &s->storage[i]);
    d->api.vkDestroyFence(d->device, s->fence, NULL);
    d->api.vkDestroySemaphore(d->device, s->uploaded, NULL);
    d->api.vkDestroyQueryPool(d->device, s->marks, NULL);
    free(s->storage);
    free(s->sets);
    free(s->recorded);
    free(s->strides);
    free(s->totals);
    free(s->extrema);
}

void vk_frames_free(struct vk_frames *f)
{
    if (!f->device)
        return;
    const struct vk_api *vk = &f->device->api;
    const VkDevice device = f->device->device;
    bool busy = false;
    for (uint32_t i = 0; i < f->slots; i++)
        busy = busy || f->slot[i].in_flight;
    if (busy)
        vk->vkDeviceWaitIdle(device);
    for (uint32_t i = 0; i < f->slots; i++)
        slot_free(f, &f->slot[i]);
    free(f->slot);
    for (unsigned k = 0; f->pipeline && k < KERNEL_VARIANTS; k++)
        vk->vkDestroyPipeline(device, f->pipeline[k], NULL);
    free(f->pipeline);
    vk->vkDestroyCommandPool(device, f->commands, NULL);
    vk->vkDestroyCommandPool(device, f->copies, NULL);
    vk->vkDestroyDescriptorPool(device, f->sets, NULL);
    vk->vkDestroyPipelineLayout(device, f->layout, NULL);
    vk->vkDestroyDescriptorSetLayout(device, f->set_layout, NULL);
    *f = (struct vk_frames){0};
}
