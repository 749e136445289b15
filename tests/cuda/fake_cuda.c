/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stand-in for the CUDA driver on machines without a GPU: device memory is the host's, and work that is queued on a
 * stream runs only when somebody waits for it, so that memory given back too early shows. Any call can be made to fail.
 *
 * libavutil takes it for the driver, too, when it is found as libcuda.so.1: fake_cuda_libav.c
 * has what it asks for beside.
 *
 * Kernels are the CUDA texts on emulated threads (EMULATE_KERNELS), or the scalar C build, for sanitizers, which
 * coroutines confuse.
 */
#include "cuda/fake_cuda.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/emulate.h"
#include "executors/cuda/driver.h"
#include "kernels/dialect/cuda_args.h"
#include "kernels_gen.h"

#define EXPORT __attribute__((visibility("default")))
EXPORT struct fake_cuda fake_cuda;
EXPORT struct fake_cuda fake_cuda = {.devices = 2, .version = 12040, .major = 9, .free_bytes = (size_t)1 << 30};

enum { FAKE_FAILURE = 719, FAKE_INVALID = 1 };

/* ---- everything that exists, so that nothing gets lost unnoticed ------------------------------------------------- */

struct operation {
    enum { LAUNCH, UPLOAD, DOWNLOAD, COPY_2D, FILL, WAIT } kind;
    unsigned kernel;
    bool form_80; /* the kernel's form for compute capability 8.0 and later */
    struct cuda_args args;
    struct cu_copy_2d copy;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char value;
};

struct thing {
    struct thing *next, **link;
    struct operation *queue; /* of a stream or a graph */
    size_t queued, room;
    size_t finished;         /* operations of a stream that ran */
    bool capturing;
    struct thing *recorded;  /* an event's stream */
    size_t position;         /* of the event: operations of that stream before it */
    bool timing;             /* an event that has a time, in milliseconds */
    long at;
    unsigned kernel;
    bool form_80;
    void *memory;
};

static struct thing *things;
static _Thread_local int contexts; /* that the thread has entered */

static struct thing *make(size_t bytes)
{
    struct thing *t = calloc(1, sizeof *t);
    if (!t || (bytes && !(t->memory = aligned_alloc(256, (bytes + 255) / 256 * 256))))
        abort();
    if (bytes)
        memset(t->memory, 0xa5, (bytes + 255) / 256 * 256);
    t->next = things;
    t->link = &things;
    if (things)
        things->link = &t->next;
    things = t;
    return t;
}

/* What waits for a stream that is gone waits no longer: a stream is destroyed when its work is done. */
static void forget(const struct thing *gone)
{
    for (struct thing *t = things; t; t = t->next) {
        if (t->recorded == gone)
            t->recorded = NULL;
        for (size_t i = 0; i < t->queued; i++)
            if (t->queue[i].kind == WAIT && t->queue[i].to == gone)
                t->queue[i].to = NULL;
    }
}

static void drop(struct thing *t)
{
    forget(t);
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    free(t->queue);
    free(t->memory);
    free(t);
}

static struct thing *holder(const void *memory)
{
    for (struct thing *t = things; t; t = t->next)
        if (t->memory == memory)
            return t;
    return NULL;
}

static bool fails(const char *name)
{
    if (++fake_cuda.calls != fake_cuda.fail_at)
        return false;
    fake_cuda.failed = name;
    return true;
}

/* One thread at a time; work that runs inside a call may call again. */
static pthread_mutex_t all = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static pthread_mutex_t *lock(void)
{
    pthread_mutex_lock(&all);
    return &all;
}

static void unlock(pthread_mutex_t *const *held)
{
    pthread_mutex_unlock(*held);
}

#define LOCKED __attribute__((unused, cleanup(unlock))) pthread_mutex_t *const held = lock()
#define FAILS if (fails(__func__)) return FAKE_FAILURE
#define CURRENT if (!contexts) return FAKE_INVALID

/* Ten times the compute capability. */
static int capability(void)
{
    const char *const stated = getenv("FAKE_CUDA_CAPABILITY"); /* for programs that can't state it otherwise */
    return stated ? atoi(stated) : 10 * fake_cuda.major + fake_cuda.minor;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

#ifdef EMULATE_KERNELS
/* The second form is not of every kernel. */
#define DECLARE(name) void assay_k_75_##name(struct cuda_args args);
#define DECLARE_80(name) extern void assay_k_80_##name(struct cuda_args args) __attribute__((weak));
KERNEL_EACH_VARIANT(DECLARE)
KERNEL_EACH_VARIANT(DECLARE_80)
#define ENTRY(name) {assay_k_75_##name, assay_k_80_##name},
static void (*const kernels[KERNEL_VARIANTS][2])(struct cuda_args args) = {KERNEL_EACH_VARIANT(ENTRY)};

static void run_thread(const void *operation)
{
    const struct operation *o = operation;
    kernels[o->kernel][o->form_80](o->args);
}

static void run_kernel(const struct operation *o)
{
    const struct kernel_schedule *s = &assay_kernel_info[o->kernel].schedule[TARGET_CUDA];
    /* Blocks come in any order on a device; here the last comes first. */
    for (int32_t y = (o->args.grid_h - 1) / s->tile_h; y >= 0; y--)
        for (int32_t x = (o->args.grid_w - 1) / s->tile_w; x >= 0; x--)
            emulate_block(run_thread, o, (unsigned)x, (unsigned)y, s->threads);
}
#else
extern kernel_fn *const assay_k_table_scalar[KERNEL_VARIANTS];

static void run_kernel(const struct operation *o)
{
    const struct kernel_info *k = &assay_kernel_info[o->kernel];
    const struct kernel_schedule *s = &k->schedule[TARGET_CPU];
    uint32_t pairs[2 * 256];
    struct kernel_args a = {.totals = (int64_t *)(uintptr_t)o->args.totals, .extrema = pairs, .grid_w = o->args.grid_w,
                            .grid_h = o->args.grid_h};
    uint64_t *keys = (uint64_t *)(uintptr_t)o->args.extrema;
    memcpy(a.param, o->args.param, sizeof a.param);
    for (unsigned i = 0; i < KERNEL_PLANES; i++)
        a.plane[i] = (struct kernel_plane){.data = (void *)(uintptr_t)o->args.plane[i].data,
                                           .stride = o->args.plane[i].stride, .width = o->args.plane[i].width,
                                           .height = o->args.plane[i].height};
    for (a.tile_y = 0; a.tile_y < a.grid_h; a.tile_y += s->tile_h)
        for (a.tile_x = 0; a.tile_x < a.grid_w; a.tile_x += s->tile_w) {
            a.tile_w = a.grid_w - a.tile_x < s->tile_w ? a.grid_w - a.tile_x : s->tile_w;
            a.tile_h = a.grid_h - a.tile_y < s->tile_h ? a.grid_h - a.tile_y : s->tile_h;
            for (unsigned i = 0; i < k->extrema; i++) {
                pairs[2 * i] = 0;
                pairs[2 * i + 1] = UINT32_MAX;
            }
            assay_k_table_scalar[o->kernel](&a);
            for (unsigned i = 0; i < k->extrema; i++) {
                const uint64_t key = (uint64_t)pairs[2 * i] << 32 | (uint32_t)~pairs[2 * i + 1];
                keys[i] = key > keys[i] ? key : keys[i];
            }
        }
}
#endif

static void finish_to(struct thing *stream, size_t position);

static void run(const struct operation *o)
{
    const struct cu_copy_2d *c = &o->copy;
    const char *from = c->src_kind == CU_MEMORY_HOST ? c->src_host : (const void *)(uintptr_t)c->src_device;
    char *to = c->dst_kind == CU_MEMORY_HOST ? c->dst_host : (void *)(uintptr_t)c->dst_device;
    switch (o->kind) {
    case LAUNCH: run_kernel(o); break;
    case UPLOAD:
        fake_cuda.uploads++;
        memcpy(o->to, o->from, o->bytes);
        break;
    case DOWNLOAD: memcpy(o->to, o->from, o->bytes); break;
    case FILL: memset(o->to, o->value, o->bytes); break;
    case WAIT:
        if (o->to)
            finish_to(o->to, o->bytes);
        break;
    case COPY_2D:
        fake_cuda.uploads += c->src_kind == CU_MEMORY_HOST;
        for (size_t y = 0; y < c->height; y++)
            memcpy(to + y * c->dst_pitch, from + y * c->src_pitch, c->width);
        break;
    }
}

/* Work on the default stream, which is nobody's thing, is done at once. */
static void enqueue(struct thing *t, const struct operation *o)
{
    if (!t) {
        run(o);
        return;
    }
    if (t->queued == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->queue = realloc(t->queue, t->room * sizeof *t->queue);
        if (!t->queue)
            abort();
    }
    t->queue[t->queued++] = *o;
}

/* An operation leaves the queue before it runs: one that waits may come back to this stream. */
static void finish_to(struct thing *stream, size_t position)
{
    while (stream->finished < position && stream->queued) {
        const struct operation first = stream->queue[0];
        memmove(stream->queue, stream->queue + 1, --stream->queued * sizeof first);
        stream->finished++;
        run(&first);
    }
}

static void finish(struct thing *stream)
{
    finish_to(stream, stream->finished + stream->queued);
}

/* Handles are pointers to things. */
static struct thing *thing_of(const void *handle)
{
    union { const void *in; struct thing *out; } u = {.in = handle};
    return u.out;
}
#define HANDLE(type, t) ((type)(void *)(t))

/* ---- the driver's functions -------------------------------------------------------------------------------------- */

#define FUNCTION(name, ...) EXPORT cu_result name(__VA_ARGS__); cu_result name(__VA_ARGS__)

FUNCTION(cuInit, unsigned flags) { LOCKED; FAILS; return (cu_result)flags; }
FUNCTION(cuDriverGetVersion, int *version) { LOCKED; FAILS; *version = fake_cuda.version; return 0; }
FUNCTION(cuGetErrorName, cu_result r, const char **name) { LOCKED; *name = "FAKE_ERROR"; return r == 0; }
FUNCTION(cuGetErrorString, cu_result r, const char **text) { LOCKED; *text = "made to fail"; return r == 0; }
FUNCTION(cuDeviceGetCount, int *n) { LOCKED; FAILS; *n = fake_cuda.devices; return 0; }
FUNCTION(cuDeviceGet, cu_device *device, int number)
{
    LOCKED;
    FAILS;
    *device = number;
    return number < fake_cuda.devices ? 0 : FAKE_INVALID;
}
FUNCTION(cuDeviceGetName, char *name, int size, cu_device device)
{
    LOCKED;
    FAILS;
    strncpy(name, device ? "Fake Beta" : "Fake Alpha", (size_t)size);
    return 0;
}
FUNCTION(cuDeviceGetAttribute, int *value, int attribute, cu_device device)
{
    LOCKED;
    FAILS;
    *value = attribute == CU_DEVICE_ATTRIBUTE_MAJOR   ? capability() / 10
             : attribute == CU_DEVICE_ATTRIBUTE_MINOR ? capability() % 10
                                                      : 512;
    return device < 0;
}
FUNCTION(cuDeviceTotalMem_v2, size_t *bytes, cu_device device)
{
    LOCKED;
    FAILS;
    *bytes = fake_cuda.free_bytes;
    return device < 0;
}
FUNCTION(cuDevicePrimaryCtxRetain, cu_context *context, cu_device device)
{
    LOCKED;
    FAILS;
    *context = HANDLE(cu_context, &fake_cuda);
    fake_cuda.left = 0;
    fake_cuda.retained++;
    return device < 0;
}
FUNCTION(cuDevicePrimaryCtxRelease_v2, cu_device device)
{
    LOCKED;
    fake_cuda.retained--;
    while (things && fake_cuda.retained <= 0) {
        drop(things);
        fake_cuda.left++;
    }
    FAILS;
    return device < 0;
}
FUNCTION(cuCtxPushCurrent_v2, cu_context context) { LOCKED; FAILS; contexts++; return context == NULL; }
FUNCTION(cuCtxPopCurrent_v2, cu_context *context)
{
    LOCKED;
    CURRENT;
    contexts--; /* a failure after the fact: the next push must still work */
    FAILS;
    *context = NULL;
    return 0;
}
FUNCTION(cuCtxGetCurrent, cu_context *context)
{
    LOCKED;
    FAILS;
    *context = contexts ? HANDLE(cu_context, &fake_cuda) : NULL;
    return 0;
}
FUNCTION(cuCtxGetDevice, cu_device *device)
{
    LOCKED;
    FAILS;
    CURRENT;
    *device = 0;
    return 0;
}
FUNCTION(cuMemGetInfo_v2, size_t *room, size_t *total)
{
    LOCKED;
    FAILS;
    CURRENT;
    *room = *total = fake_cuda.free_bytes;
    return 0;
}
FUNCTION(cuMemAlloc_v2, cu_address *memory, size_t bytes)
{
    LOCKED;
    FAILS;
    CURRENT;
    *memory = (uintptr_t)make(bytes)->memory;
    return 0;
}
FUNCTION(cuMemFree_v2, cu_address memory)
{
    LOCKED;
    struct thing *t = holder((void *)(uintptr_t)memory);
    if (t)
        drop(t);
    FAILS;
    return t ? 0 : FAKE_INVALID;
}
FUNCTION(cuMemHostAlloc, void **memory, size_t bytes, unsigned flags)
{
    LOCKED;
    FAILS;
    CURRENT;
    *memory = make(bytes)->memory;
    return flags != CU_HOST_PORTABLE;
}
FUNCTION(cuMemFreeHost, void *memory)
{
    LOCKED;
    struct thing *t = holder(memory);
    if (t)
        drop(t);
    FAILS;
    return t ? 0 : FAKE_INVALID;
}
FUNCTION(cuMemcpyHtoDAsync_v2, cu_address to, const void *from, size_t bytes, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    enqueue(thing_of(stream), &(struct operation){.kind = UPLOAD, .to = (void *)(uintptr_t)to, .from = from,
                                                  .bytes = bytes});
    return 0;
}
FUNCTION(cuMemcpyDtoHAsync_v2, void *to, cu_address from, size_t bytes, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    enqueue(thing_of(stream), &(struct operation){.kind = DOWNLOAD, .to = to, .from = (void *)(uintptr_t)from,
                                                  .bytes = bytes});
    return 0;
}
FUNCTION(cuMemcpyDtoDAsync_v2, cu_address to, cu_address from, size_t bytes, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    enqueue(thing_of(stream), &(struct operation){.kind = DOWNLOAD, .to = (void *)(uintptr_t)to,
                                                  .from = (void *)(uintptr_t)from, .bytes = bytes});
    return 0;
}
FUNCTION(cuMemcpy2DAsync_v2, const struct cu_copy_2d *copy, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    if (copy->src_pitch < copy->width || copy->dst_pitch < copy->width)
        return FAKE_INVALID;
    enqueue(thing_of(stream), &(struct operation){.kind = COPY_2D, .copy = *copy});
    return 0;
}
FUNCTION(cuMemsetD8Async, cu_address memory, unsigned char value, size_t bytes, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    enqueue(thing_of(stream), &(struct operation){.kind = FILL, .to = (void *)(uintptr_t)memory, .value = value,
                                                  .bytes = bytes});
    return 0;
}
/* Whether the kernel comes in the form that is meant for the device. */
static bool form_fits(const struct thing *t)
{
#ifdef EMULATE_KERNELS
    return t->kernel == KERNEL_VARIANTS || t->form_80 == (capability() >= 80 && kernels[t->kernel][1]);
#else
    return !t->form_80 || capability() >= 80;
#endif
}

/* A library is a text of one kernel. */
FUNCTION(cuLibraryLoadData, cu_library *library, const void *code, const int *options, void **values, unsigned n,
         const int *library_options, void **library_values, unsigned library_n)
{
    static const char begins[] = ".visible .entry " CUDA_KERNEL_PREFIX;
    LOCKED;
    FAILS;
    CURRENT;
    const char *const found = code ? strstr(code, begins) : NULL;
    if (!found || (n && (!options || !values)) || library_options || library_values || library_n)
        return FAKE_INVALID;
    struct thing *t = make(0);
    t->kernel = KERNEL_VARIANTS;
    t->form_80 = strstr(code, "\n.target sm_80\n");
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        const char *const wanted = assay_kernel_info[k].name, *const name = found + strlen(begins);
        if (!strncmp(name, wanted, strlen(wanted)) && name[strlen(wanted)] == '(')
            t->kernel = k;
    }
    *library = HANDLE(cu_library, t);
    if (form_fits(t))
        return 0;
    drop(t);
    return FAKE_INVALID;
}
FUNCTION(cuLibraryUnload, cu_library library) { LOCKED; drop(thing_of(library)); FAILS; return 0; }
FUNCTION(cuLibraryGetKernel, cu_kernel *kernel, cu_library library, const char *name)
{
    LOCKED;
    FAILS;
    const unsigned k = thing_of(library)->kernel;
    if (k == KERNEL_VARIANTS || strcmp(name + strlen(CUDA_KERNEL_PREFIX), assay_kernel_info[k].name))
        return FAKE_INVALID;
    *kernel = HANDLE(cu_kernel, thing_of(library));
    return 0;
}
FUNCTION(cuKernelGetFunction, cu_function *function, cu_kernel kernel)
{
    LOCKED;
    FAILS;
    CURRENT;
    *function = HANDLE(cu_function, thing_of(kernel));
    return 0;
}
FUNCTION(cuLaunchKernel, cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
         unsigned shared, cu_stream stream, void **parameters, void **extra)
{
    LOCKED;
    FAILS;
    CURRENT;
    struct operation o = {.kind = LAUNCH, .kernel = thing_of(f)->kernel, .form_80 = thing_of(f)->form_80};
    memcpy(&o.args, parameters[0], sizeof o.args);
    const struct kernel_schedule *s = &assay_kernel_info[o.kernel].schedule[TARGET_CUDA];
    const bool covers = (int64_t)gx * s->tile_w >= o.args.grid_w && ((int64_t)gx - 1) * s->tile_w < o.args.grid_w &&
                        (int64_t)gy * s->tile_h >= o.args.grid_h && ((int64_t)gy - 1) * s->tile_h < o.args.grid_h;
    if (!covers || gz != 1 || bx != s->threads || by != 1 || bz != 1 || shared || extra)
        return FAKE_INVALID;
    enqueue(thing_of(stream), &o);
    return 0;
}
FUNCTION(cuStreamCreate, cu_stream *stream, unsigned flags)
{
    LOCKED;
    FAILS;
    CURRENT;
    *stream = HANDLE(cu_stream, make(0));
    return flags != CU_STREAM_APART;
}
FUNCTION(cuStreamCreateWithPriority, cu_stream *stream, unsigned flags, int priority)
{
    LOCKED;
    FAILS;
    CURRENT;
    *stream = HANDLE(cu_stream, make(0));
    return flags != CU_STREAM_APART || priority != CU_STREAM_FIRST;
}
FUNCTION(cuStreamDestroy_v2, cu_stream stream) { LOCKED; drop(thing_of(stream)); FAILS; return 0; }
FUNCTION(cuStreamSynchronize, cu_stream stream)
{
    LOCKED;
    if (stream && thing_of(stream)->capturing)
        return FAKE_INVALID;
    if (stream)
        finish(thing_of(stream));
    FAILS;
    return 0;
}
FUNCTION(cuStreamBeginCapture_v2, cu_stream stream, int mode)
{
    LOCKED;
    FAILS;
    CURRENT;
    finish(thing_of(stream));
    thing_of(stream)->capturing = true;
    return mode != CU_CAPTURE_THREAD_LOCAL;
}
FUNCTION(cuStreamEndCapture, cu_stream stream, cu_graph *graph)
{
    LOCKED;
    struct thing *s = thing_of(stream);
    if (!s->capturing)
        return FAKE_INVALID;
    s->capturing = false;
    *graph = NULL;
    if (fails(__func__)) {
        s->queued = 0;
        return FAKE_FAILURE;
    }
    struct thing *t = make(0);
    t->queue = s->queue;
    t->queued = s->queued;
    t->room = s->room;
    s->queue = NULL;
    s->queued = s->room = 0;
    *graph = HANDLE(cu_graph, t);
    return 0;
}
FUNCTION(cuGraphInstantiateWithFlags, cu_graph_exec *exec, cu_graph graph, unsigned long long flags)
{
    LOCKED;
    FAILS;
    CURRENT;
    struct thing *t = make(0);
    for (size_t i = 0; i < thing_of(graph)->queued; i++)
        enqueue(t, &thing_of(graph)->queue[i]);
    *exec = HANDLE(cu_graph_exec, t);
    return flags != 0;
}
FUNCTION(cuGraphLaunch, cu_graph_exec exec, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    for (size_t i = 0; i < thing_of(exec)->queued; i++)
        enqueue(thing_of(stream), &thing_of(exec)->queue[i]);
    return 0;
}
FUNCTION(cuGraphExecDestroy, cu_graph_exec exec) { LOCKED; drop(thing_of(exec)); FAILS; return 0; }
FUNCTION(cuGraphDestroy, cu_graph graph) { LOCKED; drop(thing_of(graph)); FAILS; return 0; }
FUNCTION(cuEventCreate, cu_event *event, unsigned flags)
{
    LOCKED;
    FAILS;
    CURRENT;
    *event = HANDLE(cu_event, make(0));
    thing_of(*event)->timing = !(flags & CU_EVENT_NO_TIMING);
    return flags != (CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING) && flags != 0;
}
FUNCTION(cuEventRecord, cu_event event, cu_stream stream)
{
    LOCKED;
    FAILS;
    CURRENT;
    thing_of(event)->recorded = thing_of(stream);
    thing_of(event)->position = stream ? thing_of(stream)->finished + thing_of(stream)->queued : 0;
    thing_of(event)->at = ++fake_cuda.clock;
    return 0;
}
FUNCTION(cuStreamWaitEvent, cu_stream stream, cu_event event, unsigned flags)
{
    LOCKED;
    FAILS;
    CURRENT;
    const struct thing *e = thing_of(event);
    if (e->recorded)
        enqueue(thing_of(stream), &(struct operation){.kind = WAIT, .to = e->recorded, .bytes = e->position});
    return flags != 0;
}
/* A millisecond goes by from one recorded event to the next. */
FUNCTION(cuEventElapsedTime, float *milliseconds, cu_event from, cu_event to)
{
    LOCKED;
    FAILS;
    CURRENT;
    const struct thing *a = thing_of(from), *b = thing_of(to);
    if (!a->recorded || !b->recorded || !a->timing || !b->timing || b->recorded->finished < b->position)
        return FAKE_INVALID;
    *milliseconds = (float)(b->at - a->at);
    return 0;
}
/* Now and then so late that whoever looks gives up and waits. */
FUNCTION(cuEventQuery, cu_event event)
{
    LOCKED;
    FAILS;
    if (++fake_cuda.looks % 100 < 60)
        return CU_NOT_READY;
    if (thing_of(event)->recorded)
        finish_to(thing_of(event)->recorded, thing_of(event)->position);
    return 0;
}
FUNCTION(cuEventSynchronize, cu_event event)
{
    LOCKED;
    if (thing_of(event)->recorded)
        finish_to(thing_of(event)->recorded, thing_of(event)->position);
    FAILS;
    return 0;
}
FUNCTION(cuEventDestroy_v2, cu_event event) { LOCKED; drop(thing_of(event)); FAILS; return 0; }
