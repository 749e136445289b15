/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a plan as pipelines, and passes that run them. */
#include <stdlib.h>

#include "executors/gpu/compile.h"
#include "executors/vulkan/device.h"

enum { BINDINGS = 4 };

static int vk_create_layouts(struct vk_device *d, struct assay_error *e)
{
    VkDescriptorSetLayoutBinding binding[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        binding[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                    .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = BINDINGS, .pBindings = binding};
    TRY(vk_check(e, d->api.vkCreateDescriptorSetLayout(d->device, &set, NULL, &d->set_layout),
                 "creating a descriptor set layout"));
    const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = sizeof(struct shader_push)};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1, .pSetLayouts = &d->set_layout,
                                             .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
    return vk_check(e, d->api.vkCreatePipelineLayout(d->device, &info, NULL, &d->layout), "creating a pipeline layout");
}

static void vk_keep(struct vk_device *d, const struct compile_kernel *k, VkPipelineCache cache)
{
    size_t bytes = 0;
    void *data = d->api.vkGetPipelineCacheData(d->device, cache, &bytes, NULL) || !bytes ? NULL : malloc(bytes);
    if (data && !d->api.vkGetPipelineCacheData(d->device, cache, &bytes, data))
        compile_save(k, data, bytes);
    free(data);
}

/* A pipeline cache for each kernel: threads don't wait for one another, and what is kept is one kernel's. */
static int vk_create_pipeline(struct gpu_device *base, graph_pass p, struct assay_error *e)
{
    struct vk_device *d = (struct vk_device *)base;
    const struct vk_api *vk = &d->api;
    const struct compile_kernel k = compile_shader(base, p);
    const VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = k.bytes, .pCode = k.code};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = d->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"}};
    VkPipelineCacheCreateInfo had = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    void *const kept = compile_load(&k, &had.initialDataSize);
    had.pInitialData = kept;
    VkResult r = vk->vkCreatePipelineCache(d->device, &had, NULL, &cache);
    if (!r && !(r = vk->vkCreateShaderModule(d->device, &module, NULL, &info.stage.module))) {
        r = vk->vkCreateComputePipelines(d->device, cache, 1, &info, NULL, &d->pipeline[base->graph->pass[p].kernel]);
        vk->vkDestroyShaderModule(d->device, info.stage.module, NULL);
        if (!r && !kept)
            vk_keep(d, &k, cache);
    }
    vk->vkDestroyPipelineCache(d->device, cache, NULL);
    free(kept);
    char what[80];
    snprintf(what, sizeof what, "building kernel %s", k.name);
    return vk_check(e, r, what);
}

static int vk_create_pool(struct vk_device *d, struct assay_error *e)
{
    const uint32_t passes = d->base.slots * d->base.graph->passes, sets = passes ? passes : 1;
    const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = sets * BINDINGS};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = sets,
                                             .poolSizeCount = 1, .pPoolSizes = &size};
    return vk_check(e, d->api.vkCreateDescriptorPool(d->device, &pool, NULL, &d->sets), "creating a descriptor pool");
}

int vk_prepare(struct gpu_device *base, struct assay_error *e)
{
    struct vk_device *d = (struct vk_device *)base;
    TRY(vk_create_layouts(d, e));
    TRY(vk_create_pool(d, e));
    d->pipeline = calloc(KERNEL_VARIANTS, sizeof *d->pipeline);
    if (!d->pipeline)
        return assay_fail_memory(e, "the Vulkan pipelines");
    return compile_all(base, true, vk_create_pipeline, e);
}

void vk_unprepare(struct vk_device *d)
{
    for (unsigned k = 0; d->pipeline && k < KERNEL_VARIANTS; k++)
        d->api.vkDestroyPipeline(d->device, d->pipeline[k], NULL);
    free(d->pipeline);
    d->api.vkDestroyDescriptorPool(d->device, d->sets, NULL);
    d->api.vkDestroyPipelineLayout(d->device, d->layout, NULL);
    d->api.vkDestroyDescriptorSetLayout(d->device, d->set_layout, NULL);
}

/* A pass has one set in a slot. It is filled once, as a slot's buffers stay as they are, or where it reads what other
 * slots keep each time that it is recorded: the commands with it have run then. */
static VkResult vk_fill_set(struct vk_device *d, const struct gpu_slot *s, graph_pass p, VkDescriptorSet *set)
{
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = d->sets, .descriptorSetCount = 1,
                                                  .pSetLayouts = &d->set_layout};
    struct gpu_binding binding[GPU_BINDINGS];
    VkDescriptorBufferInfo info[GPU_BINDINGS];
    VkWriteDescriptorSet write[GPU_BINDINGS];
    const VkResult r = *set ? VK_SUCCESS : d->api.vkAllocateDescriptorSets(d->device, &allocate, set);
    if (r)
        return r; /* and there is no set */
    const uint32_t n = gpu_slot_bindings(&d->base, s, p, binding);
    for (uint32_t i = 0; i < n; i++) {
        info[i] = (VkDescriptorBufferInfo){VK_HANDLE(VkBuffer, binding[i].buffer->handle), binding[i].offset,
                                           binding[i].bytes};
        write[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = *set,
                                          .dstBinding = i, .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &info[i]};
    }
    d->api.vkUpdateDescriptorSets(d->device, n, write, 0, NULL);
    return VK_SUCCESS;
}

void vk_dispatch(struct gpu_device *base, struct gpu_slot *s, graph_pass p)
{
    struct vk_device *d = (struct vk_device *)base;
    struct vk_slot *own = s->own;
    const struct vk_api *vk = &d->api;
    const struct gpu_pass *pass = &base->plan->pass[p];
    struct shader_push push;
    if (!own->failed && (!own->sets[p] || base->plan->twins.bytes))
        own->failed = vk_fill_set(d, s, p, &own->sets[p]);
    if (own->failed)
        return;
    gpu_plan_push(base->plan, p, &push);
    vk->vkCmdBindPipeline(own->now, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipeline[base->graph->pass[p].kernel]);
    vk->vkCmdBindDescriptorSets(own->now, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, 1, &own->sets[p], 0, NULL);
    vk->vkCmdPushConstants(own->now, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vk->vkCmdDispatch(own->now, pass->groups_x, pass->groups_y, 1);
}
