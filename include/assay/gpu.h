/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay for pictures that already live on a GPU: two images of a renderer are compared where they are, on the
 * application's own device, and only the figures come back.
 *
 * Neither this header nor the library needs the headers or the libraries of Vulkan, OpenGL or CUDA. Their objects are passed
 * as plain values: a handle that is a pointer as `void *`, a 64-bit handle as uint64_t, an enumerant as uint32_t.
 *
 * The texels are copied on the device, as the bits that they are, into a buffer that a kernel reads: no sampler, no decoding of
 * sRGB, no conversion takes part, so the figures are the same on every device.
 *
 * Results are those of assay.h: 0, or a negative ASSAY_E* code, and assay_gpu_error() says why. One thread at a time calls
 * functions of one assay_gpu. Fields called `reserved` are 0.
 */
#ifndef ASSAY_GPU_H
#define ASSAY_GPU_H

#include <assay/assay.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_gpu assay_gpu;
typedef void (*assay_function)(void);

/* ---- the figures ---------------------------------------------------------------------------------------------- */

/*
 * Of one channel. Formats of 8 to 16 bits, linear or sRGB, are compared by their codes, as integers and exactly: mse is in
 * squared codes, psnr takes 2^bits - 1 as the peak. Halves are compared exactly. Floats are subtracted in float; a difference
 * below 2^17 takes part in mse in whole units of 2^-39, a larger one is left out and counted. mse is NaN where nothing took part
 * and where the images have no such channel.
 */
typedef struct assay_channel_figures {
    double mse;
    double psnr;           /* in dB; infinite when mse is 0 */
    double max_difference; /* in codes; of floats rounded to a float, below 2^-100 it counts as 0 */
    uint32_t max_x, max_y; /* the first pixel in raster order that has it, from the corner of the rectangle */
    uint64_t left_out;     /* texels that took no part in mse */
} assay_channel_figures;

typedef struct assay_image_figures {
    assay_channel_figures channel[4]; /* R, G, B, A */
    double mse, psnr;                 /* over R, G and B, as far as the images have them, without alpha */
    double mse_all, psnr_all;         /* over all channels; NaN where alpha has another number of bits */
    double max_difference;            /* over R, G and B */
    uint32_t max_x, max_y, max_channel;
    uint32_t channels;                /* that the images have: 1 R, 2 G, 4 B, 8 A */
    uint64_t pixels;
    uint64_t differing;               /* pixels whose R, G or B differs; 0 and -0 are equal, and so are two NaN */
    uint64_t differing_alpha;         /* whose alpha differs */
    uint64_t differing_all;           /* that differ in any channel */
    uint64_t not_finite;              /* with a NaN or an infinity in any channel of either image: never averaged */
    uint64_t outside;                 /* with a finite difference of 2^17 or more in any channel (floats): never averaged */
    uint64_t reserved[8];
} assay_image_figures;

typedef struct assay_compare_options {
    double peak;              /* of float formats, for psnr; 0: 1.0 */
    uint32_t srgb_as_unorm;   /* not 0: codes of an sRGB format may be compared with those of a linear one */
    uint32_t reserved[7];
} assay_compare_options;

typedef struct assay_rectangle {
    uint32_t x, y, width, height; /* all 0: the whole image */
} assay_rectangle;

/* ---- any device ----------------------------------------------------------------------------------------------- */

/* Gives back what the library made on the device; the application's objects stay as they are. It must still be possible to
 * use them (the context must be current). */
ASSAY_API void assay_gpu_close(assay_gpu **gpu);

/* Why the last call failed: one line, "" when nothing did. */
ASSAY_API const char *assay_gpu_error(const assay_gpu *gpu);

ASSAY_API const char *assay_gpu_device(const assay_gpu *gpu);
ASSAY_API const char *assay_gpu_driver(const assay_gpu *gpu);

/* Whether images of a VkFormat, or textures of an OpenGL internal format, can be compared: its name, or NULL. */
ASSAY_API const char *assay_gpu_vulkan_format(uint32_t format);
ASSAY_API const char *assay_gpu_opengl_format(uint32_t internal_format);

/* ---- Vulkan 1.1 or later ---------------------------------------------------------------------------------------- */

typedef struct assay_vulkan {
    assay_function get_instance_proc_addr; /* vkGetInstanceProcAddr; NULL: that of libvulkan.so.1 */
    void *instance;         /* VkInstance, made for API version 1.1 or later */
    void *physical_device;  /* VkPhysicalDevice */
    void *device;           /* VkDevice; needs no feature and no extension */
    void *queue;            /* VkQueue of a family that computes; used inside the calls below only */
    uint32_t queue_family;
    uint32_t reserved[7];
} assay_vulkan;

#define ASSAY_QUEUE_FAMILY_IGNORED 0xffffffffu /* VK_QUEUE_FAMILY_IGNORED: no transfer of ownership */

/* A 2D image (or a layer of an array, or a face of a cube) in mip level 0. It was made with VK_IMAGE_USAGE_TRANSFER_SRC_BIT. */
typedef struct assay_vulkan_image {
    uint64_t image;         /* VkImage */
    uint32_t format;        /* VkFormat */
    uint32_t width, height; /* of level 0 */
    uint32_t samples;       /* 0 or 1: a multisampled image is refused, resolve it first */
    uint32_t layer;
    uint32_t layout;        /* VkImageLayout that it is in now, and will be in again; neither UNDEFINED nor PREINITIALIZED */
    uint32_t queue_family;  /* that owns it. When it is another one than the queue's, it has released the image to the queue's
                               family, which gives it back in the same way: acquire it afterwards */
    assay_rectangle rectangle;
    uint32_t reserved[8];
} assay_vulkan_image;

/* Binary semaphores: what is waited for before the images are read, what is signalled when they have been. 0: none. Work that was
 * submitted to the same queue before is waited for in any case. assay_session_submit_vulkan and _vulkan_opengl, when they fail, have
 * waited for nothing, acquired nothing and signalled nothing, unless the device was lost. A comparison that fails half-way (the device
 * ran out of memory or was lost) may have waited and acquired; it has not signalled. */
typedef struct assay_vulkan_sync {
    uint64_t wait, signal; /* VkSemaphore */
} assay_vulkan_sync;

/* On failure *gpu is NULL and `error` (of `error_size` bytes, may be NULL) holds the reason. */
ASSAY_API int assay_gpu_open_vulkan(assay_gpu **gpu, const assay_vulkan *vulkan, char *error, size_t error_size);

/* Compares two images and waits for the figures. They have the same size (or rectangles of the same size) and the same channels
 * with the same bits; their order within a texel may differ. `options` and `sync` may be NULL. */
ASSAY_API int assay_gpu_compare_vulkan(assay_gpu *gpu, const assay_vulkan_image *reference,
                                       const assay_vulkan_image *distorted, const assay_compare_options *options,
                                       const assay_vulkan_sync *sync, assay_image_figures *figures);

/* ---- OpenGL 4.5 or later ---------------------------------------------------------------------------------------- */

/*
 * The functions below run in the context that is current in the calling thread: the one that was current when it was opened.
 * Every state of the context that they change is as before when they return. An error that the application has not asked for yet
 * (glGetError) makes them refuse, because it would be lost.
 */
typedef struct assay_opengl {
    assay_function (*get_proc_address)(const char *name); /* eglGetProcAddress, glXGetProcAddress, SDL_GL_GetProcAddress, ... */
    uint32_t reserved[8];
} assay_opengl;

/* Level 0 of a 2D, rectangle or cube texture, or of a layer of an array. Its size and format are asked for; a multisampled
 * texture is refused. */
typedef struct assay_opengl_texture {
    uint32_t texture;          /* its name */
    uint32_t layer;            /* or the face of a cube, or the slice of a 3D texture */
    assay_rectangle rectangle; /* y counts the rows as they lie in the texture, whatever is up */
    uint32_t reserved[8];
} assay_opengl_texture;

ASSAY_API int assay_gpu_open_opengl(assay_gpu **gpu, const assay_opengl *opengl, char *error, size_t error_size);
ASSAY_API int assay_gpu_compare_opengl(assay_gpu *gpu, const assay_opengl_texture *reference,
                                       const assay_opengl_texture *distorted, const assay_compare_options *options,
                                       assay_image_figures *figures);

/* ---- Vulkan against OpenGL ------------------------------------------------------------------------------------------ */

/* How a texture gets from OpenGL to Vulkan. */
enum {
    /* Through memory that both see: a buffer of VK_KHR_external_memory_fd, which the application has enabled on its device, and
     * GL_EXT_memory_object_fd. One device, one driver. OpenGL finishes (glFinish) before Vulkan reads. */
    ASSAY_GPU_SHARED = 0,
    /* Through memory of the host: to use when it is said that the two can't share. The bits are the same. */
    ASSAY_GPU_STAGED = 1,
};

/*
 * Compares a Vulkan image with an OpenGL texture on the Vulkan device; the OpenGL context is current. Rows are compared in the
 * order in which they lie in the image and in the texture: OpenGL draws row 0 at the bottom of a window, Vulkan at the top, unless
 * the application renders otherwise.
 * Where memory can't be shared the result is ASSAY_EDEVICE, and the message says why and names ASSAY_GPU_STAGED: no other path is
 * taken by itself.
 */
ASSAY_API int assay_gpu_compare_vulkan_opengl(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *reference,
                                              const assay_opengl_texture *distorted, uint32_t path,
                                              const assay_compare_options *options, const assay_vulkan_sync *sync,
                                              assay_image_figures *figures);

/* ---- images, with every other metric -------------------------------------------------------------------------------- */

/*
 * Sessions of assay.h whose pictures are images or textures: every metric with its options, scores, keys and errors as there, and
 * no copy to the host. The first passes of a frame make planes of the texels on the device; what comes after are the metrics' own
 * passes, so a score has the bits that an ordinary session gives for the same codes.
 *
 * What a metric sees of a pair:
 *   8-bit codes      R, G and B of 8 bits at full range (ASSAY_LAYOUT_RGB), grey (ASSAY_LAYOUT_400) of an image with R alone
 *   10 and 16 bits   the same with a bit depth of 10 or 16
 *   halves, floats   codes of 16 bits: the float product v x 65535 to the nearest integer, halves up; unsigned floats of 10 and 11
 *                    bits, too. A frame with a colour below 0, above 1 or NaN ends the session with ASSAY_EINPUT, which says how
 *                    many there are: nothing is clipped. 16-bit codes that were made float by division are themselves again, 8-bit
 *                    ones times 257
 *   alpha            straight (not premultiplied), of the colours' bits: 2 bits of alpha are multiplied by 341, which is exact.
 *                    ssimulacra2 blends it over two backgrounds, every other metric scores the colours alone; assay_gpu_compare_*
 *                    has alpha's own figures
 *   R and G alone    refused: neither grey nor a picture in colour
 * Metrics of luma need rgb_matrix in assay_config, as for any RGB. Texels of earlier frames, for metrics that look at them, are kept on
 * the device; assay_session_flush ends the sequence.
 *
 * Such a session has no thread of its own, and its assay_config names no backend: it runs on `gpu`, which stays open until the
 * session is closed. One thread at a time calls functions of a gpu and of its sessions. assay_session_submit_* returns when the
 * frame is handed to the device; it is collected when later frames are submitted, and by assay_session_flush. Poll after it, or
 * set a callback. frames_in_flight is 2 where the configuration has 0.
 */

/* What the codes mean, for metrics of colour. NULL, or all 0: sRGB with BT.709's primaries; of halves and floats the transfer
 * function is not taken for granted, and metrics of colour refuse them unless it is said here or in their options. */
typedef struct assay_image_colour {
    uint32_t transfer, primaries; /* H.273, as in assay_format; 8: linear light */
    uint32_t gamma;               /* as in assay_format, with transfer 255 */
    uint32_t srgb_as_unorm;       /* as in assay_compare_options */
    uint32_t reserved[4];
} assay_image_colour;

/* In the place of assay_session_start. Every pair of the session has the formats of these two and rectangles of their size; the
 * images themselves are not read. `colour` may be NULL. */
ASSAY_API int assay_session_start_vulkan(assay_session *session, assay_gpu *gpu, const assay_vulkan_image *reference,
                                         const assay_vulkan_image *distorted, const assay_image_colour *colour);
ASSAY_API int assay_session_start_opengl(assay_session *session, assay_gpu *gpu, const assay_opengl_texture *reference,
                                         const assay_opengl_texture *distorted, const assay_image_colour *colour);
ASSAY_API int assay_session_start_vulkan_opengl(assay_session *session, assay_gpu *vulkan, assay_gpu *opengl,
                                                const assay_vulkan_image *reference, const assay_opengl_texture *distorted,
                                                uint32_t path, const assay_image_colour *colour);

/* In the place of assay_session_submit. Images are in the layout and with the queue family that they came with as far as work that
 * is submitted to the same queue later is concerned, for other queues when `sync->signal` is signalled; they may be destroyed after
 * assay_session_flush. `sync` may be NULL. */
ASSAY_API int assay_session_submit_vulkan(assay_session *session, uint64_t frame, const assay_vulkan_image *reference,
                                          const assay_vulkan_image *distorted, const assay_vulkan_sync *sync);

/* The context is current in these two, in assay_session_flush, _aggregate, _read_plane and _close; all of them leave its state as it
 * was. A texture may be drawn to right after. With an error that the application has not asked for, each of them that works in the
 * context refuses, and may be called again: the two submits, and those for textures on both sides but close. */
ASSAY_API int assay_session_submit_opengl(assay_session *session, uint64_t frame, const assay_opengl_texture *reference,
                                          const assay_opengl_texture *distorted);
ASSAY_API int assay_session_submit_vulkan_opengl(assay_session *session, uint64_t frame, const assay_vulkan_image *reference,
                                                 const assay_opengl_texture *distorted, const assay_vulkan_sync *sync);

/* ---- CUDA: frames that are already on the device --------------------------------------------------------------------- */

/*
 * Sessions of assay.h whose pictures lie in device memory, from a decoder or from the application: every metric, the same bits,
 * and no copy: kernels read the planes where they are. Such a session has no thread of its own: scores are computed on the device
 * while the application goes on, and are collected when later frames are submitted, and by assay_session_flush. Poll after it, or
 * set a callback.
 */
typedef struct assay_cuda {
    void *context; /* CUcontext; NULL: the one that is current in the calling thread */
    uint32_t reference_packing, distorted_packing; /* ASSAY_PACKED_* of each side's pictures, added; 0: three planes as in assay.h */
    uint32_t reserved[6];
} assay_cuda;

/* How a decoder leaves samples. What kernels can't read as it lies is unpacked on the device first, exactly; the rest is read in
 * place. NV12 is ASSAY_PACKED_PAIRS; P010, P012 and P016 are both. */
enum {
    ASSAY_PACKED_PAIRS = 1, /* plane 1 holds Cb and Cr in turns, as many of each as a plane of the layout; plane 2 is not looked at */
    ASSAY_PACKED_HIGH = 2,  /* samples of 9 to 16 bits have their value in the high bits of 16, and nothing below */
};

/* Planes of the session's format, each row `pitch` bytes after the one before. */
typedef struct assay_cuda_picture {
    uint64_t plane[3]; /* CUdeviceptr */
    size_t pitch[3];
} assay_cuda_picture;

/* In the place of assay_session_start. The context stays valid until the session is closed. */
ASSAY_API int assay_session_start_cuda(assay_session *session, const assay_format *format, const assay_cuda *cuda);

/* In the place of assay_session_submit. Work that is on `stream` (CUstream, of the same context) comes before the frame is read;
 * what is put on it after this call comes after: it may overwrite the planes, and nobody has to wait. */
ASSAY_API int assay_session_submit_cuda(assay_session *session, uint64_t frame, const assay_cuda_picture *reference,
                                        const assay_cuda_picture *distorted, void *stream);

#ifdef __cplusplus
}
#endif
#endif
