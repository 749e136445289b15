/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a GPU API supplies, and what the executor in this folder makes of it.
 *
 * A device has buffers, and commands that are put into slots. A slot is one frame pair in flight. Its commands
 * come in three parts, each put between begin and end, and run by submit: the upload of a frame from the host, the
 * passes, and work beside them (images brought from the device, a plane read back). A device that records commands
 * (`replays`) runs a part again without its commands being put again; another one starts them at once, in the
 * order in which they are put.
 *
 * Functions without a result keep their first failure until `end` or `submit`, which return it. All functions
 * but `close` and `run` itself are called inside `run`. No type of an API stands here: devices may come from
 * a library that is loaded.
 */
#ifndef ASSAY_EXECUTORS_GPU_DEVICE_H
#define ASSAY_EXECUTORS_GPU_DEVICE_H

#include "executors/gpu/images.h"
#include "executors/gpu/plan.h"

enum gpu_memory {
    GPU_MEMORY_DEVICE,   /* for kernels */
    GPU_MEMORY_INPUTS,   /* the same, which uploads fill */
    GPU_MEMORY_UPLOAD,   /* mapped: the host writes, the device copies from it */
    GPU_MEMORY_READBACK, /* mapped: the device copies into it, the host reads */
};

struct gpu_buffer {
    uint64_t handle;    /* VkBuffer, OpenGL's name, CUDA's address; 0: there is only `map` */
    uint64_t memory;    /* VkDeviceMemory */
    uint64_t bytes;
    uint64_t allocated; /* of the memory behind it */
    uint64_t serial;    /* no two buffers of an executor have the same one */
    void *map;          /* of mapped memory */
    bool coherent;      /* flush and invalidate have nothing to do */
};

struct gpu_copy {
    const struct gpu_buffer *from; /* NULL: memory of the host, at `host` */
    const struct gpu_buffer *to;
    const void *host;
    uint64_t from_offset, to_offset, bytes;
    uint64_t serial;               /* of `from` */
};

enum gpu_part { GPU_UPLOAD, GPU_BRING, GPU_PASSES, GPU_PARTS };

/* Where commands wait for those before them. */
enum gpu_barrier {
    GPU_INPUTS_THERE,   /* copies from the slot's inputs may follow, in this slot and (see `follow`) in others */
    GPU_BEFORE_PASSES,  /* passes follow what was copied and cleared */
    GPU_BETWEEN_PASSES, /* a pass follows whose planes earlier ones wrote or read */
    GPU_AFTER_PASSES,   /* copies follow of what passes wrote */
    GPU_BEFORE_HOST,    /* the host reads what was copied */
};

/* Times of a frame: begin and end of the upload, of the passes. */
enum { GPU_MARKS = 4 };

struct gpu_slot {
    uint32_t number;
    struct gpu_buffer inputs, results, readback;
    struct gpu_buffer *storage;   /* by storage of the graph: intermediate planes */
    /* for planes that can't be copied from where they lie; made when the first one comes */
    struct gpu_buffer staging;
    struct gpu_buffer foreign[2]; /* by side: texels that another API wrote; made when the first ones come */
    struct gpu_copy *copy;        /* of the upload, as it was recorded */
    uint32_t copies;
    struct gpu_place *place;      /* by plane: where a kernel reads an input that lies elsewhere than in `inputs` */
    const struct image_frame *frame; /* while it is submitted */
    bool direct;                  /* passes of this frame read inputs elsewhere: they can't be replayed */
    bool recorded[GPU_PARTS];
    bool in_flight, timed;
    uint32_t dispatches;          /* in the passes */
    uint32_t submissions;         /* that the last submit took */
    uint32_t *extrema;
    void *own;                    /* the device's */
};

struct gpu_place {
    uint64_t address; /* 0: in the slot's inputs */
    uint32_t stride;
};

typedef int gpu_work(void *opaque, struct assay_error *e);

/* When the device can't be entered: frames are waited for and things are given back all the same,
 * as far as the API allows. */
enum gpu_urgency { GPU_OR_FAIL, GPU_WAITING, GPU_CLOSING };

struct gpu_device;

struct gpu_device_ops {
    const char *api; /* "Vulkan", in messages */

    /* Runs `work` where the device can be used: on its thread, in its context. One call at a
     * time runs; any thread calls. */
    int (*run)(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque, struct assay_error *e);
    void (*close)(struct gpu_device **d);

    int (*free_bytes)(struct gpu_device *d, uint64_t *bytes, struct assay_error *e); /* NULL: nobody knows */
    /* The kernel's code and schedule that fit the device. */
    int (*kernel)(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out, struct assay_error *e);

    int (*buffer_create)(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                         struct assay_error *e);
    void (*buffer_destroy)(struct gpu_device *d, struct gpu_buffer *b); /* of zeroes, too */
    /* Makes the host's writes to a mapped buffer visible to the device, or the device's to the host. */
    int (*flush)(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);
    int (*invalidate)(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);

    /* Makes what all slots share of d->plan: the kernels. Called once; `close` gives it back. */
    int (*prepare)(struct gpu_device *d, struct assay_error *e);
    /* What a slot has of the device; without a plan when it is made for measuring. Destroyed also when half made. */
    int (*slot_create)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    void (*slot_destroy)(struct gpu_device *d, struct gpu_slot *s);

    int (*begin)(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
    void (*copy)(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *copy);
    void (*clear)(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b);
    void (*dispatch)(struct gpu_device *d, struct gpu_slot *s, graph_pass pass);
    void (*barrier)(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier);
    /* other's inputs are there; NULL: always so */
    void (*follow)(struct gpu_device *d, struct gpu_slot *s, struct gpu_slot *other);
    void (*mark)(struct gpu_device *d, struct gpu_slot *s, unsigned mark);            /* of a slot that is timed */
    int (*end)(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);

    /* Runs the part that was put, or GPU_PASSES and the one of the other two (`first`) before it. */
    int (*submit)(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e);
    int (*wait)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    /* Waits for all that the slot began, also after a failure; nothing reads or writes its memory afterwards. */
    int (*finish)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    /* Of the frame that was waited for, in nanoseconds. */
    int (*times)(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e);

    /* Optional. Puts the commands that bring both images of s->frame to the slot's inputs, or sets s->place. */
    int (*bring)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    /* Optional: executor_ops.take. */
    int (*take)(struct gpu_device *d, struct gpu_slot *s, unsigned side, const struct device_picture *picture,
                struct assay_error *e);
    /* Optional. A buffer that another API of the device can write, and a file descriptor of its
     * memory, which the caller owns. */
    int (*share)(struct gpu_device *d, uint64_t bytes, struct gpu_buffer *out, int *fd, struct assay_error *e);
    /* Optional. The UUIDs by which other APIs know the device and its driver. */
    void (*uuids)(struct gpu_device *d, uint8_t device[16], uint8_t driver[16]);
};

/* The beginning of every device. */
struct gpu_device {
    const struct gpu_device_ops *ops;
    char name[128], driver[128];
    struct gpu_limits limits;
    uint32_t depth;          /* frames that are worth having in flight */
    bool replays[GPU_PARTS];
    bool keeps;              /* a slot's upload may copy from the inputs of slots submitted before */
    bool reads_host;         /* uploads copy from any memory of the host as fast as from their own */
    /* Set by the executor before `prepare`. */
    const struct graph *graph;
    const struct gpu_plan *plan;
    uint32_t slots;
};

/* ---- for devices ------------------------------------------------------------------------------------------------- */

/* What binding i of a pass is: planes, then totals, then extrema. Returns their number. */
struct gpu_binding {
    const struct gpu_buffer *buffer;
    uint64_t offset, bytes;
};
enum { GPU_BINDINGS = KERNEL_PLANES + 2 };
unsigned gpu_slot_bindings(const struct gpu_device *d, const struct gpu_slot *s, graph_pass p,
                           struct gpu_binding binding[GPU_BINDINGS]);

/* ---- the executor's functions (executor.c) ----------------------------------------------------------------------- */

/* Takes the device, also when it fails. */
int gpu_executor_open(struct executor **out, const struct executor_ops *ops, struct gpu_device *device,
                      struct assay_error *e);
struct gpu_device *gpu_executor_device(struct executor *x);

int gpu_executor_room(struct executor *x, const struct graph *g, struct executor_room *room, struct assay_error *e);
int gpu_executor_prepare(struct executor *x, const struct graph *g, uint32_t slots, struct assay_error *e);
void *gpu_executor_host_alloc(struct executor *x, uint32_t slot, size_t bytes);
void gpu_executor_host_free(struct executor *x, uint32_t slot, void *memory);
int gpu_executor_submit(struct executor *x, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e);
int gpu_executor_submit_images(struct executor *x, uint32_t slot, const struct image_frame *frame,
                               struct assay_error *e);
int gpu_executor_take(struct executor *x, uint32_t slot, unsigned side, const struct device_picture *picture,
                      struct assay_error *e);
int gpu_executor_wait(struct executor *x, uint32_t slot, struct frame_results *results, struct assay_error *e);
int gpu_executor_read_plane(struct executor *x, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                            struct assay_error *e);
uint64_t gpu_executor_memory(const struct executor *x, const struct graph *g, uint32_t slots);
int gpu_executor_copy_rate(struct executor *x, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                           struct assay_error *e);
int gpu_executor_can_share(struct executor *x, struct executor *from, struct assay_error *e);
void gpu_executor_close(struct executor **x);

/* Of executor_ops, what every GPU has alike. */
#define GPU_EXECUTOR_OPS \
    .room = gpu_executor_room, .prepare = gpu_executor_prepare, .host_alloc = gpu_executor_host_alloc, \
    .host_free = gpu_executor_host_free, \
    .submit = gpu_executor_submit, .wait = gpu_executor_wait, .read_plane = gpu_executor_read_plane, \
    .memory = gpu_executor_memory, .copy_rate = gpu_executor_copy_rate, .close = gpu_executor_close

#endif
