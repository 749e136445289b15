/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libavutil looks up in the driver beside the functions that fake_cuda.c has: the primary context's state, and
 * functions that must be there and that decoding never calls. They end the program: nothing may pass unnoticed. A
 * program that does not know the driver for a fake one may set the number of devices by FAKE_CUDA_DEVICES.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/fake_cuda.h"
#include "executors/cuda/driver.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern struct fake_cuda fake_cuda;

__attribute__((constructor)) static void configure(void)
{
    const char *devices = getenv("FAKE_CUDA_DEVICES");
    if (devices)
        fake_cuda.devices = atoi(devices);
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device);
EXPORT cu_result cuDevicePrimaryCtxRelease(cu_device device);
cu_result cuDevicePrimaryCtxRelease(cu_device device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}

EXPORT cu_result cuDevicePrimaryCtxGetState(cu_device device, unsigned *flags, int *active);
cu_result cuDevicePrimaryCtxGetState(cu_device device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = 0;
    return device < 0;
}

EXPORT cu_result cuDevicePrimaryCtxSetFlags(cu_device device, unsigned flags);
cu_result cuDevicePrimaryCtxSetFlags(cu_device device, unsigned flags)
{
    return device < 0 || flags != 4; /* a wait blocks */
}

#define NEVER_CALLED(X) \
    X(cuDeviceComputeCapability) X(cuCtxCreate_v2) X(cuCtxSetLimit) X(cuCtxDestroy_v2) X(cuMemAllocPitch_v2) \
    X(cuMemAllocManaged) X(cuMemcpy) X(cuMemcpyAsync) X(cuMemcpy2D_v2) X(cuMemcpyHtoD_v2) X(cuMemcpyDtoH_v2) \
    X(cuMemcpyDtoD_v2) X(cuDevicePrimaryCtxReset) X(cuStreamQuery) X(cuStreamAddCallback) X(cuLinkCreate) \
    X(cuLinkAddData) X(cuLinkComplete) X(cuLinkDestroy) X(cuModuleLoadData) X(cuModuleUnload) \
    X(cuModuleGetFunction) X(cuModuleGetGlobal) X(cuTexObjectCreate) X(cuTexObjectDestroy) \
    X(cuGLGetDevices_v2) X(cuGraphicsGLRegisterImage) X(cuGraphicsUnregisterResource) \
    X(cuGraphicsMapResources) X(cuGraphicsUnmapResources) X(cuGraphicsSubResourceGetMappedArray) \
    X(cuGraphicsResourceGetMappedPointer_v2) X(cuImportExternalMemory) X(cuDestroyExternalMemory) \
    X(cuExternalMemoryGetMappedBuffer) X(cuExternalMemoryGetMappedMipmappedArray) X(cuMipmappedArrayGetLevel) \
    X(cuMipmappedArrayDestroy) X(cuImportExternalSemaphore) X(cuDestroyExternalSemaphore) \
    X(cuSignalExternalSemaphoresAsync) X(cuWaitExternalSemaphoresAsync) X(cuArray3DCreate_v2) \
    X(cuArrayDestroy)

#define ABORT(name) \
    EXPORT void name(void); \
    void name(void) \
    { \
        fprintf(stderr, "the fake driver has no " #name "\n"); \
        abort(); \
    }
NEVER_CALLED(ABORT)
