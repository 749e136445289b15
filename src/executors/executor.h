/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An executor runs sealed pass graphs on one kind of device. It knows kernels, planes and totals, never metrics.
 * Arguments are valid: the engine has checked them.
 *
 * A slot holds one frame pair in flight. The engine waits for slots in the order in which it submitted them. Between
 * submit and wait of a slot its input planes stay valid and unchanged, including those of earlier frames. The engine
 * does not wait for a slot whose submit failed: when submit returns, nothing reads that slot's planes any more. One
 * thread at a time calls an executor; `take` alone may run beside other calls.
 */
#ifndef ASSAY_EXECUTORS_EXECUTOR_H
#define ASSAY_EXECUTORS_EXECUTOR_H

#include "graph/graph.h"
#include "executors/device_picture.h"

struct executor_config {
    const char *device;  /* name or number as the user gave it, NULL: the first */
    unsigned threads;    /* 0: all allowed CPUs */
    uint32_t groups, group; /* not 0: this executor is one of so many that share the threads, and its number */
    const char *level;   /* instruction set by name, NULL: the best */
    uint32_t frames;     /* that will come; 0: not known */
    uint32_t in_flight;  /* frames at most; 0: the executor's choice */
    const struct graph *graph; /* that will run, sealed; NULL: not known */
    /* For tests; results never depend on them. 0: the executor's choice. */
    uint32_t tile_w, tile_h; /* items of a kernel's tile on the CPU */
    uint32_t strip_h;        /* rows that the CPU takes through all passes at once */
};

enum { INPUT_PLANES = 4 };

struct frame_inputs {
    struct kernel_plane plane[GRAPH_SIDES][INPUT_PLANES]; /* [side][component]; 3 is alpha */
    /* [age - 1]: the planes of an earlier frame as those of `plane`, for the sides and ages that the graph reads. Zeros
     * where there is no such frame: all their rows are one, with a stride of 0 */
    struct kernel_plane (*before[GRAPH_HISTORY])[INPUT_PLANES];
    /* [age - 1]: 1 + the number of the slot that still holds that frame, or 0 when no slot of this executor holds it */
    uint32_t held[GRAPH_HISTORY];
    /* Bit k: nothing needs the passes of encode k (graph_pass_info.encodes), and its planes are blank. */
    uint32_t without;
    bool taken[GRAPH_SIDES]; /* [side]: `take` has put the samples into the slot; `plane` of that side is ignored */
};

/* A table of the graph as the host has it. */
static inline struct kernel_plane frame_table(const struct graph_plane_info *p)
{
    return (struct kernel_plane){.data = p->table, .stride = (ptrdiff_t)graph_stride(p), .width = (int32_t)p->width,
                                 .height = (int32_t)p->height};
}

/* The host's plane for an input plane of the graph, which is no table. The blank planes of an encode are those of all
 * ages. */
static inline const struct kernel_plane *frame_input(const struct frame_inputs *f, const struct graph_plane_info *p)
{
    const bool blank = p->side && p->side <= ASSAY_ENCODES && f->without >> (p->side - 1) & 1;
    return p->age && !blank ? &f->before[p->age - 1][p->side][p->component] : &f->plane[p->side][p->component];
}

/* When the parts of a frame ran. The device's clock counts nanoseconds from an arbitrary start. */
struct frame_times {
    uint64_t upload[2], passes[2]; /* begin and end; `passes` includes clearing and reading back the results */
    uint64_t submit;               /* nanoseconds that the host's thread spent in submit */
    uint32_t device;               /* index of the device; each device has its own clock */
};

/* The executor owns the memory. It is valid until the slot is submitted again. */
struct frame_results {
    const int64_t *totals;     /* graph->totals words, each modulo 2^64 */
    const uint32_t *extrema;   /* graph->extrema (value, position) pairs */
    struct frame_times times;  /* all 0 unless the executor was `timed` when the frame was submitted */
};

struct executor {
    const struct executor_ops *ops;
    char device[128];   /* what runs: "AVX-512, 2 threads", the name of a GPU */
    char driver[128];   /* driver name and version, "" on a CPU */
    char notice[256];   /* what this build lacks for the device and how to get it, "": nothing */
    unsigned threads;   /* host threads that compute */
    uint32_t depth;     /* frames in flight that keep the device busy */
    uint32_t devices;   /* slot n runs on device n % devices, so the number of slots is best a multiple; 0 means 1 */
    bool keeps;         /* earlier frames' planes that a slot still holds are not uploaded again */
    bool timed;         /* the caller sets it while nothing is in flight: frames then carry their times */
    uint64_t passes_run;  /* passes that ran on the device, for tests */
    uint64_t submissions; /* hand-overs to the device: queue submissions, graph launches or flushes */
};

/* Copies that executor_ops.copy_rate measures. */
enum executor_copy {
    COPY_UPLOAD, /* from host_alloc's memory to the device */
    COPY_DEVICE, /* within the device's memory */
};

/* A device that --device can name. The strings are valid during the call that shows it. */
struct executor_device {
    unsigned number;
    const char *name, *driver;
    bool software; /* runs on the CPU: used only when it is named or the only one */
    bool usable;
    uint64_t memory; /* bytes, 0: unknown */
};

struct image_ops;

/* Memory of a device, in bytes. */
struct executor_room {
    uint64_t slot; /* that a slot takes; at least 1 */
    uint64_t free; /* that can be taken now */
};

struct executor_ops {
    const char *name; /* as in --backend */
    const char *missing; /* why this build lacks the executor; all functions are NULL then. NULL: it has it */

    /* Opens the device, or fails and says why. No other device is opened instead. */
    int (*open)(struct executor **out, const struct executor_config *config, struct assay_error *e);

    /* Optional. In how many groups the host's threads score config->graph best; 0 is one. Each group scores a frame of
     * its own: executor_open opens an executor for each, as one (multi.h). */
    uint32_t (*groups)(const struct executor_config *config);

    /* Optional, before prepare. What frames of a sealed graph take of the device's memory; NULL where the device's
     * memory does not limit them. */
    int (*room)(struct executor *x, const struct graph *g, struct executor_room *room, struct assay_error *e);

    /* Optional, before prepare. How many frames of a sealed graph in flight keep the device busy; the engine sets
     * executor.depth to it. NULL: executor.depth suits every graph. */
    uint32_t (*depth)(const struct executor *x, const struct graph *g);

    /* Allocates everything for `slots` frames of a sealed graph, which must live until close, and brings the graph's
     * tables to where kernels read them. Called once. */
    int (*prepare)(struct executor *x, const struct graph *g, uint32_t slots, struct assay_error *e);

    /* Memory for input planes of `slot`, 64-byte aligned: the kind that this executor reads fastest (page-locked on a
     * GPU). */
    void *(*host_alloc)(struct executor *x, uint32_t slot, size_t bytes);
    void (*host_free)(struct executor *x, uint32_t slot, void *memory);

    /* Optional; NULL where pictures can't come from the device's memory. Copies a side's picture into a slot that is
     * not in flight, after the work that is on the device's default stream now. When it returns, nothing reads the
     * picture any more. Any thread may call it while another one submits, and several threads may take sides at
     * once. */
    int (*take)(struct executor *x, uint32_t slot, unsigned side, const struct device_picture *picture,
                struct assay_error *e);

    int (*submit)(struct executor *x, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e);
    int (*wait)(struct executor *x, uint32_t slot, struct frame_results *results, struct assay_error *e);

    /* Copies an intermediate plane of the slot that was waited for last (stage dumps, heatmaps). Planes survive to the
     * end of the frame only when the graph was sealed with `keep`. */
    int (*read_plane)(struct executor *x, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                      struct assay_error *e);

    /* After prepare: bytes of the device that `slots` slots of this graph take. */
    uint64_t (*memory)(const struct executor *x, const struct graph *g, uint32_t slots);

    /* Optional, after prepare. Prints what that memory holds. NULL: graph_print_memory says it. */
    void (*print_memory)(const struct executor *x, const struct graph *g, FILE *out);

    void (*close)(struct executor **x);

    /* Optional. Copies `bytes` bytes `times` times, with nothing else on the device. *seconds is the time of all copies
     * together. */
    int (*copy_rate)(struct executor *x, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                     struct assay_error *e);

    /* Optional. One line: the oldest driver that runs this build's kernels. */
    const char *(*needs)(void);

    /* A digest of the kernels' code in this build and of the environment that restricts it. The self-test runs again
     * when it changes. NULL where the kernels are the library's own machine code. */
    uint64_t (*modules)(void);

    /* Optional. Images that are on an application's device (gpu/images.h). */
    const struct image_ops *images;

    /* Shows every device of this machine in the order of their numbers. NULL where there is only one. */
    int (*list)(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);
};

/* All executors in the order of preference, NULL-terminated. What a build lacks has `missing`. */
extern const struct executor_ops *const assay_executors[];
extern const struct executor_ops executor_cpu, executor_cuda, executor_opengl, executor_sycl, executor_vulkan;

#endif
