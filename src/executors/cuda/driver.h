/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the CUDA driver API that is used, opened at run time: no header and no library of NVIDIA's is needed to
 * build, and the same binary runs without a GPU. The declarations below follow the driver's stable binary interface.
 */
#ifndef ASSAY_EXECUTORS_CUDA_DRIVER_H
#define ASSAY_EXECUTORS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "host/error.h"

typedef int cu_result; /* 0: fine */
typedef int cu_device;
typedef uint64_t cu_address; /* of device memory */
typedef struct cu_context_ *cu_context;
typedef struct cu_library_ *cu_library;
typedef struct cu_kernel_ *cu_kernel;
typedef struct cu_function_ *cu_function;
typedef struct cu_stream_ *cu_stream;
typedef struct cu_event_ *cu_event;
typedef struct cu_graph_ *cu_graph;
typedef struct cu_graph_exec_ *cu_graph_exec;

enum {
    CU_DEVICE_ATTRIBUTE_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_MINOR = 76,
    CU_HOST_PORTABLE = 1,        /* page-locked for every context */
    CU_STREAM_APART = 1,         /* does not wait for the default stream */
    CU_STREAM_FIRST = -100,      /* the driver takes the highest priority that there is */
    CU_EVENT_BLOCKING = 1, CU_EVENT_NO_TIMING = 2,
    CU_CAPTURE_THREAD_LOCAL = 1,
    CU_MEMORY_HOST = 1, CU_MEMORY_DEVICE = 2,
    CU_JIT_ERROR_LOG = 5, CU_JIT_ERROR_LOG_BYTES = 6,
    CU_NOT_READY = 600,
    CU_MINIMAL_DRIVER = 12000,   /* 12.0: the last functions below that came */
};

struct cu_copy_2d {
    size_t src_x, src_y;
    int src_kind;
    const void *src_host;
    cu_address src_device;
    void *src_array;
    size_t src_pitch;
    size_t dst_x, dst_y;
    int dst_kind;
    void *dst_host;
    cu_address dst_device;
    void *dst_array;
    size_t dst_pitch;
    size_t width, height; /* bytes, rows */
};

/* name in struct cu_driver, symbol, parameters */
#define CU_EACH_FUNCTION(X) \
    X(init, "cuInit", (unsigned flags)) \
    X(driver_version, "cuDriverGetVersion", (int *version)) \
    X(error_name, "cuGetErrorName", (cu_result r, const char **name)) \
    X(error_text, "cuGetErrorString", (cu_result r, const char **text)) \
    X(device_count, "cuDeviceGetCount", (int *n)) \
    X(device_get, "cuDeviceGet", (cu_device *device, int number)) \
    X(device_name, "cuDeviceGetName", (char *name, int size, cu_device device)) \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device)) \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, cu_device device)) \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context *context, cu_device device)) \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device)) \
    X(context_device, "cuCtxGetDevice", (cu_device *device)) \
    X(context_current, "cuCtxGetCurrent", (cu_context *context)) \
    X(context_push, "cuCtxPushCurrent_v2", (cu_context context)) \
    X(context_pop, "cuCtxPopCurrent_v2", (cu_context *context)) \
    X(memory_info, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *total)) \
    X(memory_alloc, "cuMemAlloc_v2", (cu_address *memory, size_t bytes)) \
    X(memory_free, "cuMemFree_v2", (cu_address memory)) \
    X(host_alloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags)) \
    X(host_free, "cuMemFreeHost", (void *memory)) \
    X(upload, "cuMemcpyHtoDAsync_v2", (cu_address to, const void *from, size_t bytes, cu_stream stream)) \
    X(download, "cuMemcpyDtoHAsync_v2", (void *to, cu_address from, size_t bytes, cu_stream stream)) \
    X(copy_device, "cuMemcpyDtoDAsync_v2", (cu_address to, cu_address from, size_t bytes, cu_stream stream)) \
    X(copy_2d, "cuMemcpy2DAsync_v2", (const struct cu_copy_2d *copy, cu_stream stream)) \
    X(fill, "cuMemsetD8Async", (cu_address memory, unsigned char value, size_t bytes, cu_stream stream)) \
    X(library_load, "cuLibraryLoadData", \
      (cu_library *library, const void *code, const int *options, void **values, unsigned n, \
       const int *library_options, void **library_values, unsigned library_n)) \
    X(library_unload, "cuLibraryUnload", (cu_library library)) \
    X(library_kernel, "cuLibraryGetKernel", (cu_kernel *kernel, cu_library library, const char *name)) \
    X(kernel_function, "cuKernelGetFunction", (cu_function *function, cu_kernel kernel)) \
    X(launch, "cuLaunchKernel", \
      (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, \
       cu_stream stream, void **parameters, void **extra)) \
    X(stream_create, "cuStreamCreate", (cu_stream *stream, unsigned flags)) \
    X(stream_create_before, "cuStreamCreateWithPriority", (cu_stream *stream, unsigned flags, int priority)) \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream stream)) \
    X(stream_wait, "cuStreamSynchronize", (cu_stream stream)) \
    X(capture_begin, "cuStreamBeginCapture_v2", (cu_stream stream, int mode)) \
    X(capture_end, "cuStreamEndCapture", (cu_stream stream, cu_graph *graph)) \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", \
      (cu_graph_exec *exec, cu_graph graph, unsigned long long flags)) \
    X(graph_launch, "cuGraphLaunch", (cu_graph_exec exec, cu_stream stream)) \
    X(graph_exec_destroy, "cuGraphExecDestroy", (cu_graph_exec exec)) \
    X(graph_destroy, "cuGraphDestroy", (cu_graph graph)) \
    X(event_create, "cuEventCreate", (cu_event *event, unsigned flags)) \
    X(event_record, "cuEventRecord", (cu_event event, cu_stream stream)) \
    X(stream_wait_event, "cuStreamWaitEvent", (cu_stream stream, cu_event event, unsigned flags)) \
    X(event_wait, "cuEventSynchronize", (cu_event event)) \
    X(event_query, "cuEventQuery", (cu_event event)) \
    X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, cu_event from, cu_event to)) \
    X(event_destroy, "cuEventDestroy_v2", (cu_event event))

struct cu_driver {
#define CU_POINTER(name, symbol, parameters) cu_result (*name) parameters;
    CU_EACH_FUNCTION(CU_POINTER)
#undef CU_POINTER
};

/* Opens the driver and initialises it. It stays open until the process ends: its threads may outlive us. */
int cu_driver_open(struct cu_driver *d, struct assay_error *e);

/* The end of a call. A failure is one line: what was being done, and the driver's name and text for it. */
int cu_check(const struct cu_driver *d, cu_result r, const char *what, struct assay_error *e);

#endif
