/* SPDX-License-Identifier: BSD-2-Clause */
/* Our declarations of the driver's interface against the toolkit's own header. It is enough that this compiles. */
#include <cuda.h>
#include <stddef.h>

#include "executors/cuda/driver.h"

#define SAME(ours, theirs) _Static_assert((size_t)(ours) == (size_t)(theirs), #ours " is not " #theirs)
#define FIELD(ours, theirs) SAME(offsetof(struct cu_copy_2d, ours), offsetof(CUDA_MEMCPY2D, theirs))

SAME(sizeof(struct cu_copy_2d), sizeof(CUDA_MEMCPY2D));
FIELD(src_x, srcXInBytes);
FIELD(src_y, srcY);
FIELD(src_kind, srcMemoryType);
FIELD(src_host, srcHost);
FIELD(src_device, srcDevice);
FIELD(src_array, srcArray);
FIELD(src_pitch, srcPitch);
FIELD(dst_x, dstXInBytes);
FIELD(dst_y, dstY);
FIELD(dst_kind, dstMemoryType);
FIELD(dst_host, dstHost);
FIELD(dst_device, dstDevice);
FIELD(dst_array, dstArray);
FIELD(dst_pitch, dstPitch);
FIELD(width, WidthInBytes);
FIELD(height, Height);

SAME(sizeof(cu_result), sizeof(CUresult));
SAME(sizeof(cu_device), sizeof(CUdevice));
SAME(sizeof(cu_address), sizeof(CUdeviceptr));
SAME(CU_DEVICE_ATTRIBUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_DEVICE_ATTRIBUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(CU_STREAM_APART, CU_STREAM_NON_BLOCKING);
SAME(CU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(CU_EVENT_BLOCKING, CU_EVENT_BLOCKING_SYNC);
SAME(CU_EVENT_NO_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(CU_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(CU_MEMORY_HOST, CU_MEMORYTYPE_HOST);
SAME(CU_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME(CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

int main(void)
{
    return 0;
}
