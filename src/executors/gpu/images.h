/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images that an application has on a device. An executor is opened on the application's own device (executor_adopt),
 * and the two inputs of a frame are images there (image_ops.submit). No API's header is needed: a handle that is
 * a pointer is a `void *` here, a 64-bit handle a uint64_t, an enumerant a uint32_t, as in assay/gpu.h.
 *
 * The graph of such an executor has one input plane per side, component 0 (Vulkan, OpenGL: packed texels, a row of
 * `width * texel_bytes` bytes), or the planes of a picture (CUDA, SYCL), and what it asks for of earlier frames.
 */
#ifndef ASSAY_EXECUTORS_GPU_IMAGES_H
#define ASSAY_EXECUTORS_GPU_IMAGES_H

#include "executors/executor.h"

enum image_api { IMAGE_VULKAN, IMAGE_OPENGL, IMAGE_CUDA, IMAGE_SYCL };

typedef void (*image_function)(void);

/* What an application opened. It stays the application's; its queue or context is used inside the calls below only. */
struct image_device {
    enum image_api api;
    union {
        struct {
            image_function get_instance_proc_addr; /* vkGetInstanceProcAddr; NULL: that of libvulkan.so.1 */
            void *instance, *physical, *device, *queue;
            uint32_t family;
        } vulkan;
        struct {
            /* The context that is current in the calling thread; it is current in every later call of the executor,
             * too. Each call leaves every state of the context as it was. */
            image_function (*get_proc_address)(const char *name);
        } opengl;
        struct {
            void *context; /* NULL: the current one */
        } cuda;
        struct {
            void *queue; /* sycl::queue, in order */
        } sycl;
    };
};

enum { IMAGE_FAMILY_IGNORED = UINT32_MAX }; /* VK_QUEUE_FAMILY_IGNORED: no transfer of ownership */

/* One side of a frame. */
struct image {
    enum image_api api;
    /* The rectangle that is read, in texels. Planes in memory are read whole. */
    uint32_t x, y, width, height;
    uint32_t texel_bytes;
    union {
        struct {
            uint64_t image;    /* VkImage, mip level 0; left in the layout that it came in */
            uint32_t layer, layout;
            uint32_t from, to; /* queue families that own it before and afterwards, or IMAGE_FAMILY_IGNORED */
        } vulkan;
        struct {
            uint32_t texture, layer;
            uint32_t format, type;    /* of the transfer that takes the texels' bits as they are */
            /* the OpenGL executor that was adopted for it; needed where another API's executor takes it */
            struct executor *context;
            bool staged;              /* there: through memory of the host, else through memory that both APIs see */
        } opengl;
        struct device_picture memory; /* CUDA, SYCL */
    };
};

/* The work that an image is read after, and the work that may overwrite it. */
struct image_order {
    uint64_t wait, signal; /* Vulkan: binary semaphores, 0: none; those of two sides differ */
    /* CUDA stream, sycl::queue: its work before submit writes the image, its work after submit may overwrite it */
    void *stream;
};

struct image_frame {
    struct image side[2];
    struct image_order order[2]; /* by side */
    const uint32_t *held;        /* frame_inputs.held; NULL when the graph asks for no earlier frame */
};

/* What OpenGL knows of level 0 of a texture. */
struct image_facts {
    uint32_t target, internal_format, width, height, layers, samples;
};

/* Opens the executor of the device's API on it. Fails with the reason when this build lacks that executor. */
int executor_adopt(struct executor **out, const struct image_device *device, struct assay_error *e);

/* Fails when the OpenGL context holds an error that the application has not asked for: our calls would lose it. */
int executor_ready(struct executor *x, struct assay_error *e);

/* Whether x can read images of `from` through shared memory, which needs the same device and driver. If not, the error
 * says why. */
int executor_can_share(struct executor *x, struct executor *from, struct assay_error *e);

/* Where the texels of an image go: memory shared with another API, or (fd negative) host memory. */
struct image_memory {
    int fd;             /* the callee closes it, also on failure */
    uint64_t allocated; /* bytes of the whole allocation behind the descriptor */
    void *host;
    uint64_t bytes;
    uint32_t stride;
};

/* Of executor_ops.images; NULL where an executor lacks one. */
struct image_ops {
    int (*adopt)(struct executor **out, const struct image_device *device, struct assay_error *e);
    /* Submits a frame in the place of executor_ops.submit; executor_ops.wait collects it. A Vulkan executor takes
     * Vulkan images and OpenGL textures, an OpenGL executor textures, a CUDA or SYCL executor pictures. */
    int (*submit)(struct executor *x, uint32_t slot, const struct image_frame *frame, struct assay_error *e);
    /* Asks the OpenGL executor's context about a texture. */
    int (*look)(struct executor *x, uint32_t texture, struct image_facts *facts, struct assay_error *e);
    int (*ready)(struct executor *x, struct assay_error *e);
    int (*can_share)(struct executor *x, struct executor *from, struct assay_error *e);
    /* Whether the context runs on the device and the driver with these UUIDs. */
    int (*is_device)(struct executor *x, const uint8_t device[16], const uint8_t driver[16], struct assay_error *e);
    /* Writes the image's rectangle, and has finished when it returns. */
    int (*pack)(struct executor *x, const struct image *image, const struct image_memory *to, struct assay_error *e);
};

#endif
