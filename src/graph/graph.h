/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pass graph: which kernels run on a frame pair, in which order, on which planes. Plain data: metrics add passes,
 * executors run them, and neither knows the other. Equal passes are added once: a second metric that asks for the same
 * kernel on the same planes with the same parameters gets the first one's results.
 */
#ifndef ASSAY_GRAPH_GRAPH_H
#define ASSAY_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "host/error.h"
#include "kernels_gen.h"

enum graph_side { SIDE_REF, SIDE_DIS };
enum { GRAPH_HISTORY = 2 }; /* how many frames back an input may lie */

typedef uint32_t graph_plane; /* handles: indices into the graph */
typedef uint32_t graph_pass;

struct graph_plane_info {
    enum sample_type type;
    uint32_t width, height;
    bool input;             /* a plane of the frame pair, else written by `pass` */
    bool view;              /* another name of plane `of`, which `pass` writes: the same rows, read as other samples */
    graph_plane of;         /* of an earlier frame's input: the frame's own plane that it was */
    uint8_t side, component;/* of an input */
    uint8_t age;            /* of an input: that of the frame so many frames earlier, at most GRAPH_HISTORY */
    graph_pass pass;        /* that writes it */
    uint32_t storage;       /* after graph_seal: which buffer holds it (inputs: none) */
    graph_pass last_use;
};

struct graph_pass_info {
    uint16_t kernel;                      /* index into assay_kernel_info */
    graph_plane plane[KERNEL_PLANES];     /* in, then out */
    union kernel_param param[KERNEL_PARAMS];
    uint32_t grid_w, grid_h;
    uint32_t totals, totals_n;            /* 64-bit words of this pass in the totals of a frame */
    uint32_t extrema, extrema_n;          /* (value, position) pairs of this pass in the extrema of a frame */
};

struct graph;

/* Makes the plane that stands for a plane of the pair `age` frames earlier: adds what is missing of the passes that write it. */
typedef int graph_bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component, graph_plane *plane,
                        struct assay_error *e);

struct graph {
    struct graph_plane_info *plane;
    struct graph_pass_info *pass;
    uint32_t planes, plane_capacity, passes, pass_capacity;
    uint32_t totals;    /* 64-bit words of a frame's totals */
    uint32_t extrema;   /* pairs of a frame's extrema, one per output: tiles are joined by the executor */
    bool keep;          /* set before graph_seal: every plane gets its own buffer and survives the frame (stage dumps) */
    bool sealed;
    uint8_t history[2]; /* by side: the age of its oldest input */
    graph_bring *bring; /* set before metrics ask: frames hold something else than planes. NULL: they hold planes */
    void *bring_opaque;
    uint64_t *storage_bytes; /* after graph_seal: the buffers of intermediate planes, reused when a plane is dead */
    uint32_t storages;
};

struct graph *graph_new(struct assay_error *e);
void graph_free(struct graph **g);

/* A plane of the frame pair, or what stands for it. Asking twice gives the same handle. */
int graph_input(struct graph *g, enum graph_side side, uint32_t component, enum sample_type type, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e);

/* The same of the pair `age` frames earlier in the sequence, 0 to GRAPH_HISTORY; where the sequence begins later, its first pair
 * stands in. The frame's own plane becomes an input, too: a device may keep it for later frames. */
int graph_input_before(struct graph *g, uint32_t age, enum graph_side side, uint32_t component, enum sample_type type, uint32_t width,
                       uint32_t height, graph_plane *plane, struct assay_error *e);

/* The same of what a frame pair holds in any case: for what stands between the frame and its planes. */
int graph_frame(struct graph *g, uint32_t age, enum graph_side side, uint32_t component, enum sample_type type, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e);

/* A plane of words, which a pass writes, as a plane of smaller samples, the first in the lowest bits of a word: `width` of them
 * are a row of words, of which the last need not be full. */
int graph_view(struct graph *g, graph_plane words, enum sample_type type, uint32_t width, graph_plane *plane,
               struct assay_error *e);

struct graph_pass_request {
    enum kernel_family family; /* the variant is chosen by the type of the first plane */
    graph_plane in[KERNEL_PLANES];
    /* Sizes of the planes it writes. 0: as wide as the grid, as many rows as the grid times the layers that the kernel states. */
    struct { uint32_t width, height; } out[KERNEL_PLANES];
    union kernel_param param[KERNEL_PARAMS];
    uint32_t grid_w, grid_h;   /* 0: the size of the first plane */
};

/* Adds a pass (or finds the equal one). out receives the planes it writes, in order; may be NULL when there are none. */
int graph_add(struct graph *g, const struct graph_pass_request *request, graph_pass *pass, graph_plane *out,
              struct assay_error *e);

/* Ends building: plans the memory of intermediate planes. Nothing may be added afterwards. */
int graph_seal(struct graph *g, struct assay_error *e);

/* The storage for a plane that is first written at the time `now`: a dead one (busy until before then) that `bytes` fit into best, else
 * the largest dead one, which grows, else a new one; with busy_until NULL always a new one. There is room for one more. */
uint32_t graph_pick_storage(uint64_t *storage_bytes, uint32_t *storages, const uint32_t *busy_until, uint32_t now, uint64_t bytes);

/* Row stride in bytes of an intermediate plane. */
size_t graph_stride(const struct graph_plane_info *plane);

/* Bytes of all intermediate planes after sharing. */
uint64_t graph_memory(const struct graph *g);

/* "u8" ... "f32". */
const char *graph_type_name(enum sample_type type);

/* "halve_f32", or "halve_f32.0", "halve_f32.1" when passes run the same kernel: the name of a pass, GRAPH_NAME bytes at most.
 * graph_find takes such a name, or the number of a pass. */
enum { GRAPH_NAME = 64 };
void graph_name(const struct graph *g, graph_pass pass, char *text);
bool graph_find(const struct graph *g, const char *text, graph_pass *pass);

/* For people: one line per pass (--dump-graph), one line per buffer (--dump-memory). */
void graph_print(const struct graph *g, FILE *out);
void graph_print_memory(const struct graph *g, FILE *out);

#endif
