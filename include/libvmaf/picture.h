/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of libvmaf's interface. */
#ifndef ASSAY_LIBVMAF_PICTURE_H
#define ASSAY_LIBVMAF_PICTURE_H

#include <stddef.h>

#include "libvmaf/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

enum VmafPixelFormat {
    VMAF_PIX_FMT_UNKNOWN,
    VMAF_PIX_FMT_YUV420P,
    VMAF_PIX_FMT_YUV422P,
    VMAF_PIX_FMT_YUV444P,
    VMAF_PIX_FMT_YUV400P,
};

typedef struct VmafRef VmafRef;

/* Samples of 8 bits are bytes; those of up to 16 are of 16 bits, with the value in the low ones. Strides are in bytes.
 * Sizes of subsampled planes are rounded down. A program takes pictures from the functions below, fills them, and
 * changes no other field. */
typedef struct VmafPicture {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
    unsigned w[3], h[3];
    ptrdiff_t stride[3];
    void *data[3];
    VmafRef *ref;
    void *priv;
} VmafPicture;

/* Makes a picture whose samples are 0. `bpc` is 8 to 16. */
ASSAY_LIBVMAF_API int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                                         unsigned h);

/* Gives a picture back and clears the structure. */
ASSAY_LIBVMAF_API int vmaf_picture_unref(VmafPicture *pic);

#ifdef __cplusplus
}
#endif
#endif
