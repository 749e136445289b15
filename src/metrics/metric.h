/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A metric: an option table, the passes it needs as plain data, and the combine in double on the host. It knows kernels and
 * integer totals, never a device. docs/add-a-metric.md walks through one.
 */
#ifndef ASSAY_METRICS_METRIC_H
#define ASSAY_METRICS_METRIC_H

#include <stddef.h>

#include "passes_gen.h"

enum option_type { OPTION_BOOL, OPTION_INT, OPTION_DOUBLE, OPTION_CHOICE };

/* A name that a choice takes and the value that it stands for. */
struct metric_choice {
    const char *name;
    int value;
};

/* One row per option: the parser, --list-metrics, errors and reports all read this. */
struct metric_option {
    const char *name, *alias; /* alias: libvmaf's short name, NULL when there is none */
    enum option_type type;
    uint16_t offset;          /* into the metric's options struct: bool, int (also of a choice) or double */
    double fallback, min, max;
    bool in_key;              /* a value other than the default changes the key, as in libvmaf */
    const char *help;
    const struct metric_choice *choices; /* of OPTION_CHOICE, ended by a NULL name; else NULL */
};

/* The rows of an option table. A file with a table defines OPTIONS as the struct of its fields. A field of another type than the
 * option's does not compile. */
#define FLAG_OPTION(field, name, fallback, help) OPTION_(field, bool, OPTION_BOOL, name, NULL, fallback, 0, 1, false, help)
#define INT_OPTION(field, name, fallback, min, max, help) OPTION_(field, int, OPTION_INT, name, NULL, fallback, min, max, false, help)
#define DOUBLE_OPTION(field, name, fallback, min, max, help) \
    OPTION_(field, double, OPTION_DOUBLE, name, NULL, fallback, min, max, false, help)
#define CHOICE_OPTION(field, name, fallback, choices, help) \
    {name, NULL, OPTION_CHOICE, OPTION_OFFSET_(field, int), fallback, 0, 0, false, help, choices}

/* The same of options that change the key, with libvmaf's short name. */
#define KEY_FLAG_OPTION(field, name, alias, fallback, help) OPTION_(field, bool, OPTION_BOOL, name, alias, fallback, 0, 1, true, help)
#define KEY_INT_OPTION(field, name, alias, fallback, min, max, help) \
    OPTION_(field, int, OPTION_INT, name, alias, fallback, min, max, true, help)
#define KEY_DOUBLE_OPTION(field, name, alias, fallback, min, max, help) \
    OPTION_(field, double, OPTION_DOUBLE, name, alias, fallback, min, max, true, help)

#define OPTION_(field, type, kind, name, alias, fallback, min, max, in_key, help) \
    {name, alias, kind, OPTION_OFFSET_(field, type), fallback, min, max, in_key, help, NULL}
#define OPTION_OFFSET_(field, type) (uint16_t)(offsetof(OPTIONS, field) + 0 * _Generic(((OPTIONS *)0)->field, type: 1))

/* For --list-metrics only: what may come out, and when. */
struct metric_output {
    const char *keys, *when;
};

/* What the pair is, after overrides. Planes of the reference and the distorted picture have the same sizes. */
struct metric_pair {
    assay_format format;
    bool has_luma; /* YUV, or RGB with a stated conversion */
    /* Conversion of RGB to luma, when asked: Y = (r R + g G + b B + 2^15) / 2^16 + offset, in integers. */
    bool rgb_to_luma;
    int32_t rgb_weight[3], rgb_offset;
};

enum { METRIC_KEYS = 128, METRIC_ACCUMULATORS = 8, METRIC_AGGREGATES = 8, METRIC_KEY_SIZE = 320, METRIC_MAPS = 4, METRIC_NOTE_SIZE = 160 };

/* Frames around one that a metric's figures of it may take in. */
enum { METRIC_BEFORE = 4, METRIC_AFTER = 2 };

/* An intermediate plane that shows where the pictures differ, for heatmaps: larger is worse, 0 is equal. */
struct metric_map {
    char name[32];
    graph_plane plane;
};

struct metric {
    const struct metric_ops *ops;
    char keys[METRIC_KEYS][METRIC_KEY_SIZE];  /* of the values per frame, in the order that `frame` writes */
    uint32_t n_keys;
    char aggregates[METRIC_AGGREGATES][METRIC_KEY_SIZE];
    uint32_t n_aggregates;
    char accumulators[METRIC_ACCUMULATORS][METRIC_KEY_SIZE]; /* exact integers summed over frames, mergeable in any order */
    uint32_t n_accumulators;
    uint32_t before, after;      /* frames on either side that `settle` looks at; set by `build` */
    struct metric_map maps[METRIC_MAPS];
    uint32_t n_maps;
    char note[METRIC_NOTE_SIZE]; /* what it took for granted of this pair, or "" */
    void *options, *state;
};

struct metric_build {
    struct graph *graph;
    const struct metric_pair *pair;
    struct metric *metric;
    struct assay_error *error;
};

struct metric_ops {
    const char *name;
    const char *summary;
    const struct metric_option *options;
    uint32_t n_options;
    const struct metric_output *outputs;
    uint32_t n_outputs;
    size_t options_size, state_size;

    /* Can this pair be scored? If not, the error says what is missing ("needs at least 176x176"). */
    int (*allows)(const struct metric_pair *pair, const void *options, struct assay_error *e);

    /* Adds passes and names keys. */
    int (*build)(struct metric_build *b);

    /* One frame: totals of the graph in, one value per key out, sums added to the accumulators. */
    void (*frame)(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators);

    /* The frame's values that come from extrema, (value, position) pairs of the graph; called after `frame`. NULL when there
     * are none. */
    void (*extremes)(const struct metric *m, const uint32_t *extrema, double *values);

    /* The frame's values again, when those of the frames around it are there: row[k] is what `frame` and `extremes` left for the
     * frame k later (k from -before to after, row[0] its own), NULL where the sequence begins later or ends earlier. Accumulators
     * are done by then. NULL when a frame stands alone. What a frame that begins the sequence got from planes of earlier frames
     * means nothing. */
    void (*settle)(const struct metric *m, const double *const *row, double *values);

    /* The whole run, from the accumulators alone: aggregates. NULL when there are none. */
    void (*finish)(const struct metric *m, uint64_t frames, const assay_i128 *accumulators, double *aggregates);
};

/* All metrics, NULL-terminated, in the order of --list-metrics and of -m all. */
extern const struct metric_ops *const assay_metrics[];
const struct metric_ops *metric_find(const char *name, size_t length);

/* "psnr" or "psnr=enable_mse=true:min_sse=0.5". */
int metric_new(struct metric **out, const char *text, struct assay_error *e);
void metric_free(struct metric **m);

/* "name=value" of option i in a stable form, as reports print it. `text` holds at least 64 bytes. */
const char *metric_option_value(const struct metric *m, uint32_t i, char *text);

/* ---- for metrics ---- */

__attribute__((format(printf, 2, 3))) int metric_add_key(struct metric_build *b, const char *format, ...);
__attribute__((format(printf, 2, 3))) int metric_add_aggregate(struct metric_build *b, const char *format, ...);
__attribute__((format(printf, 2, 3))) int metric_add_accumulator(struct metric_build *b, const char *format, ...);
__attribute__((format(printf, 2, 3))) void metric_note(struct metric_build *b, const char *format, ...);

int metric_add_map(struct metric_build *b, const char *name, graph_plane plane);

/* A plane of samples; the luma plane, converted from RGB by a pass of its own when the user asked for that. */
int metric_plane(struct metric_build *b, enum graph_side side, uint32_t component, graph_plane *plane);
int metric_luma(struct metric_build *b, enum graph_side side, graph_plane *plane);

/* Luma of the frame `age` frames earlier: for metrics with `settle` and `before` at least `age`. */
int metric_luma_before(struct metric_build *b, uint32_t age, enum graph_side side, graph_plane *plane);

/* "y" "cb" "cr" or "r" "g" "b": the tail of a key. */
const char *metric_component_name(const struct metric_pair *pair, uint32_t component);

int metric_needs_luma(const struct metric_pair *pair, const char *name, struct assay_error *e);
int metric_needs_size(const struct metric_pair *pair, const char *name, uint32_t size, struct assay_error *e);

/* The sum that limbs hold, limb[i] counting 2^-(scale + LIMB_BITS i), rounded once to double. With more than four limbs the first
 * three and the others are rounded apart. */
double metric_join_limbs(const int64_t *limb, uint32_t limbs, uint32_t scale);

/* The same of a sum among a pass's totals, an array of its limbs. */
#define METRIC_JOIN(sum, scale) metric_join_limbs(sum, sizeof(sum) / sizeof(sum)[0], scale)

#endif
