/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device: the functions that a GPU API supplies. The executor in this folder is built on them.
 *
 * A slot holds one frame pair in flight. Its commands form three parts: the upload of a frame from the host, the
 * passes, and other copies (an application's images, a plane that is read back). The executor gives the commands of a
 * part between begin and end, then submits the part. A device that records commands (`replays`) can submit a recorded
 * part again. Any other device starts each command when it is given.
 *
 * A function without a result keeps its first failure until `end` or `submit`, which return it. All functions but
 * `close` and `run` itself are called inside `run`. No API's type is named here, so a device may live in a library that
 * is loaded.
 */
#ifndef ASSAY_EXECUTORS_GPU_DEVICE_H
#define ASSAY_EXECUTORS_GPU_DEVICE_H

#include "executors/gpu/images.h"
#include "executors/gpu/plan.h"

enum gpu_memory {
    GPU_MEMORY_DEVICE,   /* kernels read and write it */
    GPU_MEMORY_INPUTS,   /* uploads write it, kernels read it */
    GPU_MEMORY_UPLOAD,   /* mapped: the host writes it, the device copies from it */
    GPU_MEMORY_READBACK, /* mapped: the device copies into it, the host reads it */
    GPU_MEMORY_SHARED,   /* of `share`: another API writes it */
};

struct gpu_buffer {
    uint64_t handle;    /* VkBuffer, OpenGL buffer name, CUDA or SYCL address; 0: host memory at `map` */
    uint64_t memory;    /* VkDeviceMemory */
    uint64_t bytes;     /* of the buffer */
    uint64_t allocated; /* bytes of the memory behind it */
    uint64_t serial;    /* unique in an executor */
    void *map;          /* the host's address of mapped memory */
    bool coherent;      /* the memory needs no flush and no invalidate */
};

struct gpu_copy {
    const struct gpu_buffer *from; /* NULL: host memory at `host` */
    const struct gpu_buffer *to;
    const void *host;
    uint64_t from_offset, to_offset, bytes;
    uint64_t serial;               /* of `from` */
};

enum gpu_part { GPU_UPLOAD, GPU_BRING, GPU_PASSES, GPU_PARTS };

/* A barrier orders the commands after it behind those before it. */
enum gpu_barrier {
    GPU_INPUTS_THERE,   /* from copies into the slot's inputs to copies from them, here and (`follow`) in other slots */
    GPU_BEFORE_PASSES,  /* from copies and clears to passes */
    GPU_BETWEEN_PASSES, /* from passes of a level to those of the next level */
    GPU_AFTER_PASSES,   /* from passes to copies of what they wrote */
    GPU_BEFORE_HOST,    /* from copies to the host, which reads what they wrote */
};

/* Timestamps of a frame: 0 and 1 are begin and end of the upload, 2 and 3 of the passes. */
enum { GPU_MARKS = 4 };

struct gpu_slot {
    uint32_t number;
    struct gpu_buffer inputs, results, readback;
    struct gpu_buffer kept;       /* of plan->twins */
    const struct gpu_slot *before[GRAPH_HISTORY]; /* [age - 1]: that of the earlier frame, if its `kept` is read */
    struct gpu_buffer *storage;   /* [storage of the graph]: intermediate planes */
    struct gpu_buffer staging;    /* for host planes that the device can't copy; created for the first such plane */
    struct gpu_buffer foreign[2]; /* [side]: texels that another API wrote; created for the first ones */
    struct gpu_copy *copy;        /* the copies of the recorded upload */
    uint32_t copies;
    struct gpu_place *place;      /* [plane of the graph]: where a kernel reads an input that is not in `inputs` */
    const struct image_frame *frame; /* an application's images, during submit */
    bool direct;                  /* passes read inputs at `place`: this frame's commands can't be replayed */
    bool recorded[GPU_PARTS];     /* the part can be submitted again */
    bool in_flight, timed;
    bool waits;                   /* uploaded; its passes will be submitted with those of other frames */
    uint32_t dispatches;          /* passes that one submit runs */
    uint32_t submissions;         /* executor.submissions of the last submit */
    uint32_t *extrema;            /* frame_results.extrema */
    void *own;                    /* the device's part of the slot */
};

struct gpu_place {
    uint64_t address; /* 0: in the slot's inputs */
    uint32_t stride;
};

typedef int gpu_work(void *opaque, struct assay_error *e);

/* What `run` does when the device can't be entered: it fails; or it runs the work all the same, so that frames are
 * waited for (GPU_WAITING) or memory is given back (GPU_CLOSING) as far as the API allows. */
enum gpu_urgency { GPU_OR_FAIL, GPU_WAITING, GPU_CLOSING };

enum { GPU_MOST_TOGETHER = 8 };

struct gpu_device;

struct gpu_device_ops {
    const char *api; /* "Vulkan", in messages */

    /* Runs `work` on the thread or in the context that the device needs. Any thread may call it; one call runs at a
     * time. */
    int (*run)(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque, struct assay_error *e);
    void (*close)(struct gpu_device **d);

    int (*free_bytes)(struct gpu_device *d, uint64_t *bytes, struct assay_error *e); /* NULL: the API can't say */
    /* The code and the schedule of a kernel that fit the device. */
    int (*kernel)(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out, struct assay_error *e);

    /* A buffer is all zeroes after a failure, and when it was destroyed; one that is may be destroyed, too. */
    int (*buffer_create)(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                         struct assay_error *e);
    void (*buffer_destroy)(struct gpu_device *d, struct gpu_buffer *b);
    /* flush makes the host's writes to a mapped buffer visible to the device, invalidate the device's to the host. */
    int (*flush)(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);
    int (*invalidate)(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);

    /* Creates the kernels of d->plan, which all slots share. Called once; `close` frees them. */
    int (*prepare)(struct gpu_device *d, struct assay_error *e);
    /* Creates s->own. There is no plan when the slot only measures copies. A slot whose creation failed is destroyed,
     * too. */
    int (*slot_create)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    void (*slot_destroy)(struct gpu_device *d, struct gpu_slot *s);

    int (*begin)(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
    void (*copy)(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *copy);
    void (*clear)(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b);
    void (*dispatch)(struct gpu_device *d, struct gpu_slot *s, graph_pass pass);
    void (*barrier)(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier);
    /* Orders the commands that follow behind `other`'s GPU_INPUTS_THERE. NULL: they are in order anyway. */
    void (*follow)(struct gpu_device *d, struct gpu_slot *s, struct gpu_slot *other);
    void (*mark)(struct gpu_device *d, struct gpu_slot *s, unsigned mark); /* takes a timestamp of a timed slot */
    int (*end)(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);

    /* Runs the part `first`, and with `passes` GPU_PASSES behind it. */
    int (*submit)(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e);
    int (*wait)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    /* Waits for all work of the slot, also after a failure. Nothing reads or writes the slot's memory afterwards. */
    int (*finish)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    /* The timestamps of the frame that was waited for, in nanoseconds. */
    int (*times)(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e);

    /* Optional. Gives the commands that copy both images of s->frame into the slot's inputs, or sets s->place. */
    int (*bring)(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
    /* Optional: executor_ops.take. */
    int (*take)(struct gpu_device *d, struct gpu_slot *s, unsigned side, const struct device_picture *picture,
                struct assay_error *e);
    /* Optional. Creates a buffer that another API of the same device can write. *fd is a file descriptor of its memory,
     * which the caller closes. */
    int (*share)(struct gpu_device *d, uint64_t bytes, struct gpu_buffer *out, int *fd, struct assay_error *e);
    /* Optional: executor_ops.depth. NULL: gpu_device.depth suits every graph. */
    uint32_t (*depth)(const struct gpu_device *d, const struct graph *g);
    /* Optional. The UUIDs by which other APIs know the device and its driver. */
    void (*uuids)(struct gpu_device *d, uint8_t device[16], uint8_t driver[16]);
};

/* The first member of every device. */
struct gpu_device {
    const struct gpu_device_ops *ops;
    char name[128], driver[128];
    uint64_t build; /* of the driver, where the API tells it beside `driver`, for kept kernels; 0: it does not */
    struct gpu_limits limits;
    uint32_t depth;          /* executor.depth */
    /* The passes of so many frames, at most GPU_MOST_TOGETHER, are given level by level: a barrier of one of the slots
     * is for all. 0 and 1: each frame's alone, as a device that replays passes needs it. */
    uint32_t together;
    bool replays[GPU_PARTS]; /* a recorded part can be submitted again */
    bool in_order;           /* with plan->twins, passes of a frame run behind those of the frames before it */
    bool keeps;              /* an upload may copy from the inputs of slots that were submitted before */
    bool reads_host;         /* uploads are as fast from any host memory as from GPU_MEMORY_UPLOAD */
    /* The executor sets these before `prepare`. */
    const struct graph *graph;
    const struct gpu_plan *plan;
    struct gpu_buffer tables; /* of the graph; created before the slots where there are some */
    uint32_t slots;
};

/* ---- for devices ------------------------------------------------------------------------------------------------- */

/* Fills in the buffers that a pass binds: its planes, then totals, then extrema. Returns how many there are. */
struct gpu_binding {
    const struct gpu_buffer *buffer;
    uint64_t offset, bytes;
};
enum { GPU_BINDINGS = KERNEL_PLANES + 2 };
unsigned gpu_slot_bindings(const struct gpu_device *d, const struct gpu_slot *s, graph_pass p,
                           struct gpu_binding binding[GPU_BINDINGS]);

/* The number of the application's streams of a frame: both sides may have the same one. */
static inline unsigned gpu_slot_streams(const struct gpu_slot *s)
{
    return !s->frame ? 0 : s->frame->order[0].stream == s->frame->order[1].stream ? 1 : 2;
}

/* ---- the executor's functions (executor.c) ----------------------------------------------------------------------- */

/* The executor owns the device from here on, also when this fails. */
int gpu_executor_open(struct executor **out, const struct executor_ops *ops, struct gpu_device *device,
                      struct assay_error *e);
struct gpu_device *gpu_executor_device(struct executor *x);

int gpu_executor_room(struct executor *x, const struct graph *g, struct executor_room *room, struct assay_error *e);
uint32_t gpu_executor_depth(const struct executor *x, const struct graph *g);
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

/* The functions `open` and `adopt` of an API's executor. `opening` fills in `device` by `config`, `adopting` by what
 * the application has `lent`. */
#define GPU_EXECUTOR_MAKE(name, argument, executor_ops, making) \
    static int name(struct executor **out, argument, struct assay_error *e) \
    { \
        struct gpu_device *device; \
        *out = NULL; \
        TRY(making); \
        return gpu_executor_open(out, &executor_ops, device, e); \
    }
#define GPU_EXECUTOR_OPENS(api, executor_ops, opening, adopting) \
    GPU_EXECUTOR_MAKE(api##_executor_open, const struct executor_config *config, executor_ops, opening) \
    GPU_EXECUTOR_MAKE(api##_executor_adopt, const struct image_device *lent, executor_ops, adopting)
/* The function `modules` of one. */
#define GPU_EXECUTOR_MODULES(api, module) \
    static uint64_t api##_modules(void) { return module_digest(module); }

/* gpu_device_ops.flush and .invalidate of memory that is coherent. */
int gpu_no_flush(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);
/* gpu_device_ops.run of an API whose devices any thread may use at any time. */
int gpu_run_anywhere(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque,
                     struct assay_error *e);

/* The members of executor_ops that are the same for every GPU. */
#define GPU_EXECUTOR_OPS \
    .room = gpu_executor_room, .depth = gpu_executor_depth, .prepare = gpu_executor_prepare, \
    .host_alloc = gpu_executor_host_alloc, .host_free = gpu_executor_host_free, \
    .submit = gpu_executor_submit, .wait = gpu_executor_wait, .read_plane = gpu_executor_read_plane, \
    .memory = gpu_executor_memory, .copy_rate = gpu_executor_copy_rate, .close = gpu_executor_close

#endif
