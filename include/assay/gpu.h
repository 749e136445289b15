/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay for pictures that already lie on a GPU. Two images of a renderer, or two frames in CUDA or SYCL memory, are
 * compared or scored where they are, on the application's own device; only the figures come back.
 *
 *     assay_gpu_open            opens a Vulkan device, an OpenGL or CUDA context or a SYCL queue of the application
 *     assay_gpu_compare         the figures of two images: mean squared error, largest difference, pixels that differ
 *     assay_session_start_gpu   a session of assay.h whose pictures are images: every metric, with the scores and
 *                               errors of assay.h
 *     assay_session_submit_gpu  one pair of such a session
 *
 * Neither this header nor the library needs the headers or the libraries of Vulkan, OpenGL, CUDA or SYCL. A handle that
 * is a pointer is passed as `void *`, a 64-bit handle as uint64_t, an enumerant as uint32_t.
 *
 * The samples of an image are copied on the device as the bits that they are, or read in place. No sampler, no decoding
 * of sRGB and no conversion takes part, so figures and scores are the same on every device.
 *
 * Errors and fields called `reserved` are as in assay.h; assay_gpu_error says why assay_gpu_compare failed. Structures
 * are read during the call that gets them and are not kept.
 *
 * The calls on one assay_gpu, on its sessions, and on the assay_gpus that the images of these calls belong to come from
 * one thread at a time.
 */
#ifndef ASSAY_GPU_H
#define ASSAY_GPU_H

#include <assay/assay.h>
#include <assay/floats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_gpu assay_gpu;
typedef void (*assay_function)(void);

/* Whose device or image a structure describes: it says which member of its union holds. */
enum {
    ASSAY_GPU_VULKAN = 1,
    ASSAY_GPU_OPENGL = 2,
    ASSAY_GPU_CUDA = 3,
    ASSAY_GPU_SYCL = 4,
};

/* ---- the device ----------------------------------------------------------------------------------------------- */

/* Vulkan 1.1 or later. The device needs no feature and no extension. */
typedef struct assay_vulkan_device {
    assay_function get_instance_proc_addr; /* vkGetInstanceProcAddr; NULL: that of libvulkan.so.1 */
    void *instance;         /* VkInstance, made for API version 1.1 or later */
    void *physical_device;  /* VkPhysicalDevice */
    void *device;           /* VkDevice */
    void *queue;            /* VkQueue of a family that computes. The library uses it inside calls only */
    uint32_t queue_family;  /* index of the queue's family */
    uint32_t reserved[7];
} assay_vulkan_device;

/*
 * OpenGL 4.5 or later: the context that is current in the calling thread. It must be current again in every later call
 * that uses this assay_gpu, its textures or its sessions, and the calls leave every state of the context as it was.
 *
 * A call that works in the context fails with ASSAY_EUSAGE, and does nothing, when an OpenGL error is pending that the
 * application has not asked for (glGetError). The pending error is cleared, and the call may be repeated.
 * assay_gpu_close and assay_session_close work all the same.
 */
typedef struct assay_opengl_context {
    /* eglGetProcAddress, glXGetProcAddress, SDL_GL_GetProcAddress or the like. */
    assay_function (*get_proc_address)(const char *name);
    uint32_t reserved[8];
} assay_opengl_context;

typedef struct assay_cuda_context {
    void *context; /* CUcontext; NULL: the one that is current in the calling thread, here and in the calls to come */
    uint32_t reserved[8];
} assay_cuda_context;

/*
 * SYCL 2020. The queue's device and context are used: by queues of the library's own. The application's SYCL is the one
 * that libassay-sycl.so.0 was built with: `assay doctor` names it. The queue is in order
 * (sycl::property::queue::in_order), and lives until assay_gpu_close.
 */
typedef struct assay_sycl_queue {
    void *queue; /* sycl::queue * */
    uint32_t reserved[8];
} assay_sycl_queue;

typedef struct assay_gpu_handles {
    uint32_t kind; /* ASSAY_GPU_VULKAN, _OPENGL, _CUDA or _SYCL */
    uint32_t reserved[3];
    union {
        assay_vulkan_device vulkan;
        assay_opengl_context opengl;
        assay_cuda_context cuda;
        assay_sycl_queue sycl;
    };
} assay_gpu_handles;

/* Opens the application's device, which stays the application's. On failure *gpu is NULL and `error` (of `error_size`
 * bytes, may be NULL) holds the reason: ASSAY_EUSAGE for handles that are incomplete, ASSAY_EDEVICE for a device that
 * can't run and for a build without the API. */
ASSAY_API int assay_gpu_open(assay_gpu **gpu, const assay_gpu_handles *handles, char *error, size_t error_size);

/* Frees what the library made on the device and sets *gpu to NULL. The device or context must still be valid. Sessions
 * that were started on it, or with images that belong to it, are closed before. */
ASSAY_API void assay_gpu_close(assay_gpu **gpu);

/* Why the last assay_gpu_compare on this device failed: one line, "" when it did not. Valid until the next call. */
ASSAY_API const char *assay_gpu_error(const assay_gpu *gpu);

/* Names of the device and of its driver, valid until assay_gpu_close. */
ASSAY_API const char *assay_gpu_device(const assay_gpu *gpu);
ASSAY_API const char *assay_gpu_driver(const assay_gpu *gpu);

/* The name of a format of texels, NULL for one that can't be compared or scored. `format` is the internal format of a
 * texture for ASSAY_GPU_OPENGL, a VkFormat for the other kinds. */
ASSAY_API const char *assay_gpu_format(uint32_t kind, uint32_t format);

/* ---- images --------------------------------------------------------------------------------------------------- */

/* In pixels; y counts rows as they lie in memory, from 0, whichever way is up. All 0: the whole image. */
typedef struct assay_rectangle {
    uint32_t x, y, width, height;
} assay_rectangle;

#define ASSAY_QUEUE_FAMILY_IGNORED 0xffffffffu /* VK_QUEUE_FAMILY_IGNORED: no transfer of ownership */

/*
 * Mip level 0 of a 2D image, or of one layer of an array or face of a cube. It was created with
 * VK_IMAGE_USAGE_TRANSFER_SRC_BIT.
 *
 * Work that was submitted to the same queue before the call comes before the image is read. For work on other queues
 * there are `wait` and `signal`, binary semaphores. Two images of a pair name different ones, or one of them names
 * none.
 *
 * After the call the image is in its layout and with its queue family again: for work that is submitted to the same
 * queue later, and for work on other queues that waits for `signal`. It may be destroyed when assay_gpu_compare has
 * returned, or after assay_session_flush.
 *
 * When assay_session_submit_gpu fails, nothing was waited for, acquired or signalled, unless the device was lost. When
 * assay_gpu_compare fails half-way (the device ran out of memory or was lost), it may have waited and acquired; it has
 * not signalled.
 */
typedef struct assay_vulkan_image {
    uint64_t image;         /* VkImage */
    uint32_t format;        /* VkFormat */
    uint32_t width, height; /* of level 0 */
    uint32_t samples;       /* 0 or 1. A multisampled image is refused: resolve it first */
    uint32_t layer;
    uint32_t layout;        /* VkImageLayout that it is in; neither UNDEFINED nor PREINITIALIZED */
    /* The queue family that owns it. If that is another one than the queue's, the application has released the image to
     * the queue's family; the call acquires it and releases it again; the application then acquires it. */
    uint32_t queue_family;
    uint64_t wait;          /* VkSemaphore that is waited for before the image is read; 0: none */
    uint64_t signal;        /* VkSemaphore that is signalled when the image has been read; 0: none */
    uint32_t reserved[8];
} assay_vulkan_image;

/* Level 0 of a 2D, rectangle or cube texture, of one layer of an array, or of one slice of a 3D texture. Its size and
 * format are asked for. A multisampled texture is refused. It may be drawn to as soon as the call has returned. */
typedef struct assay_opengl_image {
    uint32_t texture; /* its name */
    uint32_t layer;   /* or the face of a cube, or the slice of a 3D texture */
    uint32_t reserved[8];
} assay_opengl_image;

/* How a decoder leaves the samples of planes. NV12 is ASSAY_PACKED_PAIRS; P010, P012 and P016 are both. Packed planes
 * are unpacked on the device first, exactly; others are copied there or read in place. */
enum {
    /* Plane 1 holds Cb and Cr in turns, as many of each as a plane of the layout. Plane 2 is not looked at. */
    ASSAY_PACKED_PAIRS = 1,
    /* Samples of 9 to 16 bits have their value in the high bits of 16, and nothing below. */
    ASSAY_PACKED_HIGH = 2,
};

/*
 * Memory of a CUDA context: the planes of a picture of `format`, or packed texels.
 *
 * Work that is on `stream` before the call comes before the memory is read. Work that is put on it after the call comes
 * after: it may overwrite the memory, and the application need not wait.
 */
typedef struct assay_cuda_image {
    const assay_format *format; /* of a picture in planes, without alpha; NULL: plane[0] holds packed texels */
    uint64_t plane[3];          /* CUdeviceptr */
    size_t pitch[3];            /* bytes from the start of a row to the start of the next one */
    void *stream;               /* CUstream of the same context; NULL: the default stream */
    uint32_t packing;           /* of planes: a sum of ASSAY_PACKED_*; 0: three planes as in assay.h */
    /* Of texels: their VkFormat, how many a row has, and the number of rows. plane[0] and pitch[0] are multiples of 4,
     * or of a texel's size where that is 1 or 2 bytes. */
    uint32_t texels, width, height;
    uint32_t reserved[8];
} assay_cuda_image;

/*
 * The same in USM memory of the queue's context, for the device or of the host: `plane` holds addresses, `stream` is an
 * in-order sycl::queue * of the same context, and NULL stands for the queue of the assay_gpu.
 */
typedef assay_cuda_image assay_sycl_image;

typedef struct assay_gpu_image {
    uint32_t kind;             /* ASSAY_GPU_VULKAN, _OPENGL, _CUDA or _SYCL */
    uint32_t reserved[3];
    assay_gpu *gpu;            /* that it belongs to; NULL: the one that the call gets. Its kind is the image's */
    assay_rectangle rectangle; /* the part that is looked at; of a picture in planes always the whole */
    union {
        assay_vulkan_image vulkan;
        assay_opengl_image opengl;
        assay_cuda_image cuda;
        assay_sycl_image sycl;
    };
} assay_gpu_image;

/*
 * Images that can meet in one pair: two of the kind of the assay_gpu that the call gets; and on a Vulkan device OpenGL
 * textures, on either side or on both, which name their own assay_gpu. Rows are compared in the order in which they lie
 * in the image and in the texture: OpenGL draws row 0 at the bottom of a window, Vulkan at the top, unless the
 * application renders otherwise.
 *
 * How a texture gets to a Vulkan device:
 */
enum {
    /* Through memory that both see: a buffer of VK_KHR_external_memory_fd, which the application has enabled on its
     * device, and GL_EXT_memory_object_fd. Both must run on one device, with one driver. OpenGL finishes (glFinish)
     * before Vulkan reads. Where memory can't be shared, the call fails with ASSAY_EDEVICE and the message names
     * ASSAY_GPU_STAGED: no other path is taken by itself. */
    ASSAY_GPU_SHARED = 0,
    /* Through memory of the host. The bits are the same. */
    ASSAY_GPU_STAGED = 1,
};

/* A field that the call has no use for must be 0, but for `path`. */
typedef struct assay_gpu_options {
    uint32_t path;          /* ASSAY_GPU_SHARED or ASSAY_GPU_STAGED */
    uint32_t srgb_as_unorm; /* of texels; 0: an sRGB format against a linear one is refused, 1: codes are compared */
    double peak;            /* of assay_gpu_compare: the peak of float formats, for psnr, at most 2^100; 0: 1.0 */
    /* Of sessions of texels: what the codes mean, for metrics of colour; as in assay_format. transfer 0: sRGB (13) for
     * codes, not stated (255) for halves and floats, which metrics of colour then refuse unless their own options say
     * more. primaries 0: those of BT.709 (1). A transfer of 8 is linear light. */
    uint32_t transfer, primaries, gamma;
    uint32_t reserved[7];
} assay_gpu_options;

/* ---- comparing ------------------------------------------------------------------------------------------------ */

/*
 * Compares two images of texels on `gpu`, waits for the figures and fills in *figures. The images, or their rectangles,
 * have the same size. They have the same channels with the same numbers of bits; the channels' order within a texel may
 * differ. ASSAY_EMISMATCH where they don't. `options` may be NULL, which stands for all 0.
 */
ASSAY_API int assay_gpu_compare(assay_gpu *gpu, const assay_gpu_image *reference, const assay_gpu_image *distorted,
                                const assay_gpu_options *options, assay_image_figures *figures);

/* ---- scoring -------------------------------------------------------------------------------------------------- */

/*
 * A session of assay.h, of one encode, runs on a device of the application when assay_session_start_gpu starts it, in
 * the place of assay_session_start. Each pair comes by assay_session_submit_gpu, in the place of assay_session_submit.
 * Everything else is as in assay.h, and so is every bit of a score.
 *
 * Planes in CUDA or SYCL memory are what metrics see. Of texels they see planes that the first passes of a frame make
 * on the device:
 *
 *   codes of 8 bits  R, G and B of 8 bits at full range (ASSAY_LAYOUT_RGB), or grey (ASSAY_LAYOUT_400) of an image with
 *                    R alone
 *   10 and 16 bits   the same with a bit depth of 10 or 16
 *   halves, floats   codes of 16 bits: the float product v * 65535 to the nearest integer, halves up; unsigned floats
 *                    of 10 and 11 bits, too. A frame with a value below 0, above 1 or NaN ends the session with
 *                    ASSAY_EINPUT, which says how many there are: nothing is clipped. Codes of 16 bits that were
 *                    divided by 65535 come back as they were, codes of 8 bits that were divided by 255 come back times
 *                    257
 *   alpha            straight (not premultiplied), with the colours' bit depth: 2 bits of alpha are multiplied by 341,
 *                    which is exact. ssimulacra2 blends it over two backgrounds; every other metric scores the colours
 *                    alone
 *   R and G alone    refused: neither grey nor a picture in colour
 *
 * Metrics of luma need rgb_matrix in assay_config to score RGB, as ever. What a metric looks at in earlier frames is
 * kept on the device.
 *
 * Such a session has no thread of its own, and its configuration names no backend and no device. A frame is on its way
 * to the device when assay_session_submit_gpu returns; its scores are collected in the calls for later frames and in
 * assay_session_flush, and callbacks run there, too. Poll after the flush, or set a callback. Where frames_in_flight is
 * 0, it is 2 for texels, and for planes what suits the device.
 */

/* Fixes what all pairs are: the kinds and owners, formats and sizes (of the rectangles) of these two images, which are
 * not read. `options` may be NULL. The session uses `gpu`, and the assay_gpus that the images belong to, until it is
 * closed. When the call fails before the device is asked for anything, the session is as it was; when it fails later,
 * the session is to be closed. */
ASSAY_API int assay_session_start_gpu(assay_session *session, assay_gpu *gpu, const assay_gpu_image *reference,
                                      const assay_gpu_image *distorted, const assay_gpu_options *options);

/* Submits a pair. `frame` is the number that the scores carry: larger than the one before. When the images are refused,
 * the session goes on as if the call had not been made. */
ASSAY_API int assay_session_submit_gpu(assay_session *session, uint64_t frame, const assay_gpu_image *reference,
                                       const assay_gpu_image *distorted);

/* ---- pictures from a decoder ------------------------------------------------------------------------------------- */

/*
 * An ordinary session, on a device of its own, may have pictures of any of its sides that a decoder left in that
 * device's memory: assay_config.gpu_sides names those sides. Their buffers, which assay_session_take and
 * assay_session_read hand out, have no planes. Instead of filling them the application calls this function, in any
 * thread, also for several sides at once: it copies a picture into the pair that `to` is a side of. The picture has the
 * session's layout, size and bit depth. It lies in the device's primary context; what writes it is on the default
 * stream, and `stream` is NULL. It is the decoder's again when the call returns.
 */
ASSAY_API int assay_session_fill_gpu(assay_session *session, unsigned side, const assay_buffer *to,
                                     const assay_cuda_image *picture, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
