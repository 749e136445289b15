/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions for pictures in CUDA memory, in a build that has no kernels for CUDA. Programs that were linked with
 * libvmaf need the names all the same. */
#include <errno.h>

#include "libvmaf/context.h"
#include "libvmaf/log.h"

#define REASON "CUDA: this build of assay has no kernels for it (-Dcuda)"

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg)
{
    (void)cfg;
    if (!cu_state)
        return -EINVAL;
    *cu_state = NULL;
    return log_refuse(REASON);
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state)
{
    return vmaf && cu_state ? log_refuse(REASON) : -EINVAL;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg)
{
    (void)cfg;
    return vmaf ? log_refuse(REASON) : -EINVAL;
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return vmaf && pic ? log_refuse(REASON) : -EINVAL;
}

/* Nothing below is called: no picture lies in device memory, and no state is imported. */

int cuda_device(const VmafContext *v)
{
    (void)v;
    return 0;
}

int cuda_session_start(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist)
{
    (void)ref;
    (void)dist;
    return context_fail(v, REASON);
}

int cuda_session_submit(VmafContext *v, uint64_t pair, VmafPicture *ref, VmafPicture *dist)
{
    (void)pair;
    (void)ref;
    (void)dist;
    return context_fail(v, REASON);
}

void cuda_forget(VmafCudaState **state)
{
    (void)state;
}
