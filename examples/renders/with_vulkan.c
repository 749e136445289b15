/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "scene.h"
#include "shaders.h"

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static uint32_t family;

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS)
        no_device(what);
}

/* The first device, with the one extension that sharing memory with OpenGL needs. */
static void open_device(void)
{
    static const char *const share[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkQueueFamilyProperties families[16];
    VkExtensionProperties *extensions;
    uint32_t n = 1, can_share = 0;
    must(vkCreateInstance(&info, NULL, &instance), "no Vulkan");
    if (vkEnumeratePhysicalDevices(instance, &n, &physical) < 0 || !n)
        no_device("Vulkan has no device");
    n = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &n, families);
    const VkQueueFlags needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    while (family < n && (families[family].queueFlags & needed) != needed)
        family++;
    if (family == n)
        no_device("Vulkan has no queue that draws and computes");
    vkEnumerateDeviceExtensionProperties(physical, NULL, &n, NULL);
    extensions = calloc(n, sizeof *extensions);
    if (extensions)
        vkEnumerateDeviceExtensionProperties(physical, NULL, &n, extensions);
    for (uint32_t i = 0; extensions && i < n; i++)
        can_share |= !strcmp(extensions[i].extensionName, share[0]);
    free(extensions);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queues, .enabledExtensionCount = can_share,
                                       .ppEnabledExtensionNames = share};
    must(vkCreateDevice(physical, &create, NULL, &device), "Vulkan opens no device");
    vkGetDeviceQueue(device, family, 0, &queue);
}

/* The image that is drawn: its use as a source of copies is what the comparison needs. */
static VkImage create_image(void)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {WIDTH, HEIGHT, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkPhysicalDeviceMemoryProperties types;
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    VkImage image;
    must(vkCreateImage(device, &info, NULL, &image), "no image");
    vkGetImageMemoryRequirements(device, image, &needs);
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1))
        allocate.memoryTypeIndex++;
    must(vkAllocateMemory(device, &allocate, NULL, &memory), "no memory");
    must(vkBindImageMemory(device, image, memory, 0), "no memory");
    return image;
}

/* One subpass that leaves the image as a source of copies. */
static VkRenderPass create_pass(void)
{
    const VkAttachmentDescription colour = {
        .format = VK_FORMAT_R8G8B8A8_UNORM, .samples = VK_SAMPLE_COUNT_1_BIT, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1, .pColorAttachments = &reference};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = 1,
                                         .pAttachments = &colour, .subpassCount = 1, .pSubpasses = &subpass};
    VkRenderPass pass;
    must(vkCreateRenderPass(device, &info, NULL, &pass), "no render pass");
    return pass;
}

static VkPipelineShaderStageCreateInfo create_stage(VkShaderStageFlagBits stage, const uint32_t *spirv, size_t bytes)
{
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes,
                                           .pCode = spirv};
    VkPipelineShaderStageCreateInfo out = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = stage,
                                           .pName = "main"};
    must(vkCreateShaderModule(device, &info, NULL, &out.module), "no shader");
    return out;
}

static VkPipeline create_pipeline(VkRenderPass pass)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        create_stage(VK_SHADER_STAGE_VERTEX_BIT, vert_spirv, sizeof vert_spirv),
        create_stage(VK_SHADER_STAGE_FRAGMENT_BIT, frag_spirv, sizeof frag_spirv)};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
    const VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
    const VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                    .viewportCount = 1, .pViewports = &viewport, .scissorCount = 1,
                                                    .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState all = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &all};
    const VkPipelineLayoutCreateInfo none = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .stageCount = 2, .pStages = stages,
        .pVertexInputState = &input, .pInputAssemblyState = &assembly, .pViewportState = &view,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pColorBlendState = &blend, .renderPass = pass};
    VkPipeline pipeline;
    must(vkCreatePipelineLayout(device, &none, NULL, &info.layout), "no pipeline");
    must(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "no pipeline");
    return pipeline;
}

static VkFramebuffer create_framebuffer(VkRenderPass pass, VkImage image)
{
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view;
    must(vkCreateImageView(device, &info, NULL, &view), "no view");
    const VkFramebufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .renderPass = pass,
                                            .attachmentCount = 1, .pAttachments = &view, .width = WIDTH,
                                            .height = HEIGHT, .layers = 1};
    VkFramebuffer framebuffer;
    must(vkCreateFramebuffer(device, &create, NULL, &framebuffer), "no framebuffer");
    return framebuffer;
}

/* Submits the drawing; the comparison follows on the same queue, so nobody waits here. */
static void draw(VkRenderPass pass, VkPipeline pipeline, VkFramebuffer framebuffer)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = family};
    VkCommandPool pool;
    VkCommandBuffer commands;
    must(vkCreateCommandPool(device, &pool_info, NULL, &pool), "no commands");
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkClearValue black = {0};
    const VkRenderPassBeginInfo start = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = pass,
                                         .framebuffer = framebuffer, .renderArea = {{0, 0}, {WIDTH, HEIGHT}},
                                         .clearValueCount = 1, .pClearValues = &black};
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    must(vkAllocateCommandBuffers(device, &allocate, &commands), "no commands");
    must(vkBeginCommandBuffer(commands, &begin), "no commands");
    vkCmdBeginRenderPass(commands, &start, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    must(vkEndCommandBuffer(commands), "no commands");
    must(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "nothing was drawn");
}

void draw_with_vulkan(assay_gpu_handles *handles, assay_gpu_image *image)
{
    open_device();
    const VkImage target = create_image();
    const VkRenderPass pass = create_pass();
    draw(pass, create_pipeline(pass), create_framebuffer(pass, target));
    *handles = (assay_gpu_handles){
        .kind = ASSAY_GPU_VULKAN,
        .vulkan = {.get_instance_proc_addr = (assay_function)vkGetInstanceProcAddr, .instance = instance,
                   .physical_device = physical, .device = device, .queue = queue, .queue_family = family}};
    *image = (assay_gpu_image){
        .kind = ASSAY_GPU_VULKAN,
        .vulkan = {.image = (uint64_t)(uintptr_t)target, .format = VK_FORMAT_R8G8B8A8_UNORM, .width = WIDTH,
                   .height = HEIGHT, .layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, .queue_family = family}};
}
