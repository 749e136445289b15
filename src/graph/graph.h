/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pass graph: which kernels run on a frame pair, in which order, on which planes. It is plain data. Metrics add
 * passes, executors run them, and neither knows the other. Equal passes are added once: a second metric that asks for
 * the same kernel on the same planes with the same parameters gets the first one's results.
 */
#ifndef ASSAY_GRAPH_GRAPH_H
#define ASSAY_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "host/error.h"
#include "kernels_gen.h"

/* What metrics compare. A frame has sides, too: 0 is the reference, encode k is side k + 1. Behind them come other
 * forms of the reference, one for each depth that encodes are compared at. */
enum graph_side { SIDE_REF, SIDE_DIS };
enum { GRAPH_SIDES = 1 + ASSAY_ENCODES + 9 };

/* The age of an input: 0, or 1 to GRAPH_AGES: it is of that many frames before the one that is scored, and zeros where
 * the sequence begins later. Or an age behind GRAPH_OR_FIRST: where the sequence begins later, its first frame stands
 * in. Or one behind GRAPH_OR_MIRRORED: the sequence is mirrored at its first frame (engine/lead.h). */
enum { GRAPH_AGES = 30, GRAPH_OR_FIRST = GRAPH_AGES, GRAPH_OR_MIRRORED = 2 * GRAPH_AGES,
       GRAPH_HISTORY = 3 * GRAPH_AGES };
static inline uint32_t graph_frames_before(uint32_t age)
{
    return age ? (age - 1) % GRAPH_AGES + 1 : 0;
}

typedef uint32_t graph_plane; /* handles: indices into the graph */
typedef uint32_t graph_pass;

struct graph_plane_info {
    enum sample_type type;
    uint32_t width, height;  /* in samples */
    bool input;              /* a plane of a frame pair, or a table; else `pass` writes it */
    void *table;             /* of a table: its rows, graph_stride bytes apart; NULL for other planes */
    bool view;               /* the rows of plane `of`, which `pass` writes, read as samples of another type */
    graph_plane of;          /* of an input whose age is not 0: the same plane of the frame itself, whose age is 0 */
    uint8_t side, component; /* of an input; the side of the frame */
    uint8_t age;             /* of an input, at most GRAPH_HISTORY */
    graph_pass pass;
    uint32_t storage;        /* after graph_seal: the buffer that holds it; inputs have none */
    graph_pass last_use;     /* the last pass that reads or writes it */
};

struct graph_pass_info {
    uint16_t kernel;                  /* index into assay_kernel_info */
    graph_plane plane[KERNEL_PLANES]; /* those that it reads, then those that it writes */
    union kernel_param param[KERNEL_PARAMS];
    uint32_t grid_w, grid_h;
    uint32_t totals, totals_n;        /* its 64-bit words among a frame's totals: the first, and how many */
    uint32_t extrema, extrema_n;      /* its pairs of value and position among a frame's extrema: first, how many */
    /* After graph_seal: 0, or 1 more than the highest level of the passes whose planes it reads. Passes of a level do
     * not depend on each other. */
    uint32_t level;
    uint32_t behind;                  /* 0, or 1 more than a pass that has a lower level: graph_behind */
    uint32_t encode;                  /* whose passes were being added when it was: graph_begin_encode */
    uint32_t encodes;                 /* after graph_seal: bit k is set where it reads of encode k's pictures, or what
                                       * was made of them; 0: it is of the reference alone */
};

/* n pairs of a value and a position that any item's pair comes before. */
static inline void extrema_clear(uint32_t *pairs, size_t n)
{
    for (size_t i = 0; i < 2 * n; i++)
        pairs[i] = i % 2 ? UINT32_MAX : 0;
}

/* Joins what a tile found to what others did: the largest value, the first position among equals. */
static inline void extremum_join(uint32_t *best, const uint32_t *pair)
{
    if (pair[0] > best[0] || (pair[0] == best[0] && pair[1] < best[1])) {
        best[0] = pair[0];
        best[1] = pair[1];
    }
}

struct graph;

/* Adds the passes that make a component's plane of width x height out of what a frame of an age holds. Passes that are
 * in the graph are not added again. */
typedef int graph_bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component,
                        uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e);

struct graph {
    struct graph_plane_info *plane;
    struct graph_pass_info *pass;
    uint32_t planes, passes;
    uint32_t totals;    /* 64-bit words of a frame's totals */
    uint32_t extrema;   /* pairs of value and position of a frame's extrema; the executor joins those of tiles */
    bool keep;          /* set before graph_seal: each plane has its own buffer and outlives the frame (--dump-stage) */
    bool sealed;
    uint8_t side_of[2]; /* the sides of the frame that SIDE_REF and SIDE_DIS are for passes that are added now */
    uint8_t encodes;    /* the sides of the frame behind these are forms of the reference */
    uint32_t encode;    /* whose passes are added now */
    uint32_t behind;    /* of passes that are added now */
    uint8_t history[GRAPH_SIDES]; /* by side of the frame: how many frames back its oldest input lies */
    uint8_t mirrored;             /* how many frames back the oldest input of an age behind GRAPH_OR_MIRRORED lies */
    graph_bring *bring; /* set before metrics add passes, where frames hold something other than planes; else NULL */
    void *bring_opaque;
    /* After graph_seal: the size of each buffer. Planes share a buffer when their lives don't overlap, neither where
     * passes run in their order nor where they run level by level. */
    uint64_t *storage_bytes;
    uint32_t storages;
};

/* For one encode. */
struct graph *graph_new(struct assay_error *e);
void graph_free(struct graph **g);

/* The passes that are added now compare encode `encode`, side `encode` + 1, with the form of the reference that side
 * `reference` holds. The passes of an encode run when those of the encodes before it are done, so that their planes
 * share memory. Passes of the reference alone are those of the first encode that asked for them. */
void graph_begin_encode(struct graph *g, uint32_t encode, uint32_t reference);

/* Passes that are added from now on run when the one that writes `plane` is done, although they may not read it: what a
 * metric does several times, one after the other, takes the memory of once. graph_behind_none ends that. */
void graph_behind(struct graph *g, graph_plane plane);
void graph_behind_none(struct graph *g);

/* The plane of a component of the frame pair that is scored: an input, or where frames hold no planes, what `bring`
 * makes. Asking twice gives the same handle. */
int graph_input(struct graph *g, enum graph_side side, uint32_t component, enum sample_type type, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e);

/* As graph_input, of an age of 0 to GRAPH_HISTORY. The plane of age 0 becomes an input as well, so that a device may
 * keep it for the frames to come. */
int graph_input_before(struct graph *g, uint32_t age, enum graph_side side, uint32_t component, enum sample_type type,
                       uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e);

/* As graph_input_before, without `bring`: a plane that the frame itself holds. Passes that `bring` adds read these. */
int graph_frame(struct graph *g, uint32_t age, enum graph_side side, uint32_t component, enum sample_type type,
                uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e);

/* A table: a plane that the host fills once, the same for all frames. Its rows are copied from `rows`, where they lie
 * `stride` bytes apart. A table of the same size with the same contents is found again. */
int graph_table(struct graph *g, const void *rows, size_t stride, enum sample_type type, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e);

/* The plane `words`, which a pass writes, read as samples of a smaller type, `width` in a row. The first sample of a
 * word is in its lowest bits; the last word of a row need not be full. */
int graph_view(struct graph *g, graph_plane words, enum sample_type type, uint32_t width, graph_plane *plane,
               struct assay_error *e);

struct graph_pass_request {
    enum kernel_family family; /* the type of the first plane chooses the variant */
    graph_plane in[KERNEL_PLANES];
    /* Sizes of the planes that it writes. 0: the grid's width, and its height times the layers that the kernel
     * states. */
    struct { uint32_t width, height; } out[KERNEL_PLANES];
    union kernel_param param[KERNEL_PARAMS];
    uint32_t grid_w, grid_h;   /* 0: those of the first plane */
};

/* Adds a pass, or finds the equal one. `out` receives the planes that it writes, in order; NULL when there are none. */
int graph_add(struct graph *g, const struct graph_pass_request *request, graph_pass *pass, graph_plane *out,
              struct assay_error *e);

/* Plans the memory of the planes that passes write. Nothing may be added afterwards. */
int graph_seal(struct graph *g, struct assay_error *e);

/*
 * Chooses the buffer of a plane of `bytes` bytes that is first written at the time `now`. Buffer i is free when
 * busy_until[i] is less than `now`; with busy_until NULL none is. It is the smallest free buffer that the plane fits
 * into, else the largest free one, which grows, else a new one: both arrays have room for one more.
 */
uint32_t graph_pick_storage(uint64_t *storage_bytes, uint32_t *storages, const uint32_t *busy_until, uint32_t now,
                            uint64_t bytes);

/* Bytes from a row to the next of a plane that a pass writes. */
size_t graph_stride(const struct graph_plane_info *plane);

/* The plane whose rows these are: a view has those of the plane that it reads as other samples. */
static inline graph_plane graph_rows_of(const struct graph *g, graph_plane plane)
{
    return g->plane[plane].view ? g->plane[plane].of : plane;
}

/* Bytes of all buffers. */
uint64_t graph_memory(const struct graph *g);

/* Bytes of a frame's own inputs. */
uint64_t graph_input_bytes(const struct graph *g);

/* "u8" ... "f32". */
const char *graph_type_name(enum sample_type type);

/* The name of a pass, at most GRAPH_NAME bytes: "halve_f32", or "halve_f32.0" and "halve_f32.1" where two passes run
 * the same kernel. */
enum { GRAPH_NAME = 64 };
void graph_name(const struct graph *g, graph_pass pass, char *text);

/* Print a line for each pass (--dump-graph), a line for each buffer (--dump-memory). */
void graph_print(const struct graph *g, FILE *out);
void graph_print_memory(const struct graph *g, FILE *out);

#endif
