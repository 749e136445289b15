/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An executor runs sealed pass graphs on one kind of device. It knows kernels, planes and totals, never metrics.
 * Arguments are valid: the engine has checked them.
 *
 * A slot is one frame pair in flight. The engine calls submit and wait for the slots in the same order; between submit
 * and wait of a slot the input planes, those of earlier frames too, stay valid and unchanged. A slot whose submit
 * failed is not waited for: when submit returns, nothing reads its planes any more. One thread calls an executor at a
 * time, but for `take`.
 */
#ifndef ASSAY_EXECUTORS_EXECUTOR_H
#define ASSAY_EXECUTORS_EXECUTOR_H

#include "graph/graph.h"
#include "executors/device_picture.h"

/* bytes of stack that the thread that calls submit has: a kernel's tile memory lies there, 1 MiB at most */
enum { EXECUTOR_STACK = 4 << 20 };

struct executor_config {
    const char *device;  /* name or number as the user gave it, NULL: the first */
    unsigned threads;    /* 0: all allowed CPUs */
    const char *level;   /* instruction set by name, NULL: the best */
    uint32_t tile_w, tile_h; /* 0: the schedule's own; for tests: results never depend on it */
    /* rows that the CPU takes through all passes at once; 0: its choice; for tests, likewise */
    uint32_t strip_h;
};

enum { INPUT_PLANES = 4 };

struct frame_inputs {
    struct kernel_plane plane[2][INPUT_PLANES]; /* [side][component]; 3 is alpha */
    /* [age - 1]; of the sides and ages that the graph asks for */
    struct kernel_plane before[GRAPH_HISTORY][2][INPUT_PLANES];
    /* [age - 1]: 1 + the slot that those planes were submitted in, which has not been submitted again since; 0: none of
     * this executor's slots has them */
    uint32_t held[GRAPH_HISTORY];
    bool taken[2]; /* the side's samples are in the slot already, by `take`; its planes above are not looked at */
};

/* Where an input plane of the graph lies. */
static inline const struct kernel_plane *frame_input(const struct frame_inputs *f, const struct graph_plane_info *p)
{
    return p->age ? &f->before[p->age - 1][p->side][p->component] : &f->plane[p->side][p->component];
}

/* When the parts of a frame ran: begin and end, in nanoseconds of the device's clock, which starts anywhere. */
struct frame_times {
    uint64_t upload[2], passes[2]; /* the passes with clearing and reading back the results */
    uint64_t submit;               /* nanoseconds of a processor for handing the frame over */
    uint32_t device;               /* of an executor that has several, each with its own clock */
};

/* Owned by the executor, valid until the slot is submitted again. */
struct frame_results {
    const int64_t *totals;     /* graph->totals words, each modulo 2^64 */
    const uint32_t *extrema;   /* graph->extrema (value, position) pairs */
    struct frame_times times;  /* of a frame that was submitted while the executor was `timed`, else all 0 */
};

struct executor {
    const struct executor_ops *ops;
    char device[128];   /* what runs: "AVX-512, 2 threads", the name of a GPU */
    char driver[128];   /* driver name and version, "" on a CPU */
    unsigned threads;   /* host threads that compute */
    uint32_t depth;     /* frames that are worth having in flight at once */
    uint32_t devices;   /* slot n runs on device n % devices: slots are best a multiple; 0 stands for 1 */
    bool keeps;         /* earlier frames' planes that it holds are not uploaded again */
    bool timed;         /* set by the caller while nothing is in flight: frames carry their times */
    uint64_t passes_run;/* counts passes that ran on the device, for tests */
    uint64_t submissions; /* counts what was handed to the device as one: a queue submission, a graph, a flush */
};

/* Copies that executor_ops.copy_rate measures. */
enum executor_copy {
    COPY_UPLOAD /* from host_alloc's memory to the device */,
    COPY_DEVICE /* within the device's memory */
};

/* A device that --device can name; the strings live for the call that shows it. */
struct executor_device {
    unsigned number;
    const char *name, *driver;
    bool software; /* runs on the CPU: taken only when named, or when there is no other */
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
    const char *missing; /* why this build can't open it: the functions are NULL then. NULL: it can */

    /* Opens the device. A device that can't run is an error that says why; there is no other device instead. */
    int (*open)(struct executor **out, const struct executor_config *config, struct assay_error *e);

    /* Optional, before prepare. What frames of a sealed graph take of the device's memory; NULL where the device's
     * memory does not limit them. */
    int (*room)(struct executor *x, const struct graph *g, struct executor_room *room, struct assay_error *e);

    /* Takes a sealed graph (borrowed until close) and allocates everything for `slots` frames in flight. Called
     * once. */
    int (*prepare)(struct executor *x, const struct graph *g, uint32_t slots, struct assay_error *e);

    /* Memory for input planes of `slot` that this executor reads fastest (page-locked on a GPU), 64-byte aligned. */
    void *(*host_alloc)(struct executor *x, uint32_t slot, size_t bytes);
    void (*host_free)(struct executor *x, uint32_t slot, void *memory);

    /* Optional, NULL where pictures can't come from the device's memory. Copies a side's picture into the slot, which
     * is not in flight, when the device's default stream has come to here. The picture's memory is its owner's again
     * when this returns. Any thread may call it, beside the one that submits and beside itself for the other side. */
    int (*take)(struct executor *x, uint32_t slot, unsigned side, const struct device_picture *picture,
                struct assay_error *e);

    int (*submit)(struct executor *x, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e);
    int (*wait)(struct executor *x, uint32_t slot, struct frame_results *results, struct assay_error *e);

    /* Copies an intermediate plane of the slot that was waited for last (stage dumps, heatmaps); a plane survives to
     * the end of the frame only when the graph was sealed with `keep`. */
    int (*read_plane)(struct executor *x, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                      struct assay_error *e);

    /* After prepare: bytes that it allocated on the device for this graph and number of slots;
     * printed before the first frame. */
    uint64_t (*memory)(const struct executor *x, const struct graph *g, uint32_t slots);

    /* Optional, likewise. What that memory holds, for people, where it is not the graph's own plan. */
    void (*print_memory)(const struct executor *x, const struct graph *g, FILE *out);

    void (*close)(struct executor **x);

    /* Optional. Copies `bytes` `times` times over, with nothing else on the device, and says how long all of it
     * took. */
    int (*copy_rate)(struct executor *x, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                     struct assay_error *e);

    /* Optional. One line: the oldest driver that runs what this build holds for the device. */
    const char *(*needs)(void);

    /* A digest of the kernels' code as this build holds it and the environment restricts it: a device is tested anew
     * when it changes. NULL where the kernels are the library's own machine code. */
    uint64_t (*modules)(void);

    /* Optional. Images that are on an application's device (gpu/images.h). */
    const struct image_ops *images;

    /* Shows every device of this machine in the order of their numbers; NULL where there is only one. */
    int (*list)(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);
};

/* Executors of this build in the order of preference, NULL-terminated. */
extern const struct executor_ops *const assay_executors[];

#endif
