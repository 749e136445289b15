/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A metric is a table of options, the passes that it needs, and what it computes in double from their totals. It
 * knows kernels and integer totals and no device. docs/add-a-metric.md walks through one.
 */
#ifndef ASSAY_METRICS_METRIC_H
#define ASSAY_METRICS_METRIC_H

#include <stddef.h>

#include "host/scores.h"
#include "passes_gen.h"

/* OPTION_TEXT: a word or a path. OPTION_REST: takes what no other option takes and whose name has a point, as it is
 * written ("vif.debug=true"); several stand with ':' between them. */
enum option_type { OPTION_BOOL, OPTION_INT, OPTION_DOUBLE, OPTION_CHOICE, OPTION_TEXT, OPTION_REST };

/* The bytes of an option of text, which has neither ':' nor ',' nor control characters. */
enum { METRIC_TEXT = 1024 };

/* A name that a choice takes and the value that it stands for. */
struct metric_choice {
    const char *name;
    int value;
};

/* One row per option: the parser, --list-metrics, errors and reports all read this. */
struct metric_option {
    const char *name, *alias; /* alias: libvmaf's short name, NULL when there is none */
    enum option_type type;
    uint16_t offset;          /* into the metric's options struct: bool, int (also of a choice), double, or the
                               * METRIC_TEXT bytes of a text */
    double fallback, min, max;
    bool in_key;              /* a value other than the default changes the key, as in libvmaf */
    const char *help;
    const struct metric_choice *choices; /* of OPTION_CHOICE, ended by a NULL name; else NULL */
    const char *text;         /* the default of a text; else NULL */
};

/* The rows of an option table. A file with a table defines OPTIONS as the struct of its fields. A field of another
 * type than the option's does not compile. */
#define FLAG_OPTION(field, name, fallback, help) \
    OPTION_(field, bool, OPTION_BOOL, name, NULL, fallback, 0, 1, false, help)
#define INT_OPTION(field, name, fallback, min, max, help) \
    OPTION_(field, int, OPTION_INT, name, NULL, fallback, min, max, false, help)
#define DOUBLE_OPTION(field, name, fallback, min, max, help) \
    OPTION_(field, double, OPTION_DOUBLE, name, NULL, fallback, min, max, false, help)
#define CHOICE_OPTION(field, name, fallback, choices, help) \
    {name, NULL, OPTION_CHOICE, OPTION_OFFSET_(field, int), fallback, 0, 0, false, help, choices, NULL}
#define TEXT_OPTION(field, name, alias, fallback, help) \
    {name, alias, OPTION_TEXT, (uint16_t)offsetof(OPTIONS, field), 0, 0, 0, false, help, NULL, fallback}
#define REST_OPTION(field, name, help) \
    {name, NULL, OPTION_REST, (uint16_t)offsetof(OPTIONS, field), 0, 0, 0, false, help, NULL, ""}

/* Options whose value becomes part of the score's key, and which have libvmaf's short name (`alias`), too. */
#define KEY_FLAG_OPTION(field, name, alias, fallback, help) \
    OPTION_(field, bool, OPTION_BOOL, name, alias, fallback, 0, 1, true, help)
#define KEY_INT_OPTION(field, name, alias, fallback, min, max, help) \
    OPTION_(field, int, OPTION_INT, name, alias, fallback, min, max, true, help)
#define KEY_DOUBLE_OPTION(field, name, alias, fallback, min, max, help) \
    OPTION_(field, double, OPTION_DOUBLE, name, alias, fallback, min, max, true, help)
#define KEY_CHOICE_OPTION(field, name, alias, fallback, choices, help) \
    {name, alias, OPTION_CHOICE, OPTION_OFFSET_(field, int), fallback, 0, 0, true, help, choices, NULL}

#define OPTION_(field, type, kind, name, alias, fallback, min, max, in_key, help) \
    {name, alias, kind, OPTION_OFFSET_(field, type), fallback, min, max, in_key, help, NULL, NULL}
#define OPTION_OFFSET_(field, type) (uint16_t)(offsetof(OPTIONS, field) + 0 * _Generic(((OPTIONS *)0)->field, type: 1))

/* Keys that a metric may write, when, and which values are better: ASSAY_HIGHER, ASSAY_LOWER or ASSAY_NEUTRAL. */
struct metric_output {
    const char *keys, *when;
    int direction;
};

/* The format that both pictures of a pair have, after the overrides of the user. */
struct metric_pair {
    assay_format format;   /* with alpha if a side has it. Colour and chroma location are the reference's */
    assay_format side[2];  /* by enum graph_side: the same size, layout and depth, with its own colour and alpha */
    assay_format given[2]; /* of the pictures as the session gets them, which may be of two layouts, depths and sizes */
    assay_format held[2];  /* as `side`, before passes scale them: of the planes that a frame holds */
    bool stills;           /* frames have nothing to do with each other */
    bool allow_colour;     /* codes are compared that stand for different colours */
    bool has_luma; /* YUV, or RGB with a stated conversion */
    /* RGB becomes luma when the user asks for it: Y = (r R + g G + b B + 2^15) / 2^16 + offset, in integers. */
    bool rgb_to_luma;
    int32_t rgb_weight[3], rgb_offset;
    /* The size of the frames that are scored. Which passes there are may depend on it. The self-test builds the same
     * passes for smaller frames: the sizes of planes follow from the format. */
    uint32_t whole_width, whole_height;
};

enum { METRIC_KEYS = 128, METRIC_ACCUMULATORS = 8, METRIC_AGGREGATES = 8, METRIC_MAPS = 10, METRIC_FILES = 5 };
enum { METRIC_KEY_SIZE = 320, METRIC_NOTE_SIZE = 720 };

/* The most frames before and after a frame that its values may depend on. */
enum { METRIC_BEFORE = GRAPH_AGES, METRIC_AFTER = 2 };

/* A plane of a graph that shows where the pictures differ: 0 is equal, larger is worse. For heatmaps. Those of one kind
 * have one scale of colours: from 0 to `full`. A `full` of 0 stands for the largest value of the plane. */
enum { METRIC_MAP_NAME = METRIC_KEY_SIZE + 32 };
struct metric_map {
    char name[METRIC_MAP_NAME];
    graph_plane plane;
    double full;
    uint32_t colours; /* ASSAY_COLOURS_* */
};

/* A file that an option asks for, of the whole part of `scale` times each value of a plane: assay_plane_file. */
struct metric_file {
    const char *folder; /* in the metric's options */
    char name[64];
    graph_plane plane;
    double scale;
};

/* A value that a metric predicts from: a key of another metric. */
enum { METRIC_NEED = 1200 };
struct metric_need {
    const char *name;          /* libvmaf's for the value; outlives the need */
    const char *options;       /* that the model states, "name=value:name=value"; outlives the need */
    char metric[METRIC_NEED];  /* as for metric_new */
    char key[METRIC_KEY_SIZE];
    uint32_t column;           /* of the key among an encode's keys of a frame; set by the engine */
};

struct metric {
    const struct metric_ops *ops;
    char keys[METRIC_KEYS][METRIC_KEY_SIZE]; /* of the values of a frame, in the order that `frame` writes them */
    signed char direction[METRIC_KEYS]; /* of each key */
    bool detail[METRIC_KEYS]; /* of each key: aggregates are made of it, and tables leave it out; set by `build` */
    uint32_t n_keys;
    char aggregates[METRIC_AGGREGATES][METRIC_KEY_SIZE];
    signed char aggregate_direction[METRIC_AGGREGATES];
    uint32_t n_aggregates;
    char accumulators[METRIC_ACCUMULATORS][METRIC_KEY_SIZE]; /* exact integer sums over frames */
    uint32_t n_accumulators;
    uint32_t before, after;      /* how many frames before and after one `resolve` looks at; set by `build` */
    struct metric_map maps[METRIC_MAPS];
    uint32_t n_maps;
    struct metric_file files[METRIC_FILES];
    uint32_t n_files;
    char note[METRIC_NOTE_SIZE]; /* what it assumes where the pair has no tag, or "" */
    struct metric_need *need;    /* of a metric that predicts; set by `open` */
    uint32_t n_needs;
    bool feature;                /* was added because another metric needs it; set by the engine */
    bool several;                /* another metric of the session is like it; set before `build` */
    void *options, *state;
};

struct metric_build {
    struct graph *graph;
    const struct metric_pair *pair;
    struct metric *metric;
    bool maps; /* the passes that make maps alone are wanted, too */
    struct assay_error *error;
};

struct metric_ops {
    const char *name;
    const char *alias; /* another name that metric_find takes; NULL: there is none */
    const char *summary;
    const struct metric_option *options;
    uint32_t n_options;
    const struct metric_output *outputs;
    uint32_t n_outputs;
    size_t options_size, state_size;
    size_t given; /* in the options: a uint64_t with a bit for each row that was stated; 0: they have none */
    bool of_colour; /* compares what a display shows: each side by its own colour and alpha. Else it compares codes */
    bool of_display; /* of_colour, but for the transfer function and the primaries: one display's, for both sides */
    bool slow; /* takes long, and few ask for it: by its name or with `everything` */
    bool of_light;  /* of colour: takes pictures of floats, too */
    uint32_t least; /* defined on luma, of at least so many columns and rows; 0: nothing is said here */

    /* Reads what the options name into the state, and lists what the metric needs (metric_add_need). NULL: nothing. */
    int (*open)(struct metric *m, struct assay_error *e);
    void (*close)(struct metric *m); /* frees that; called after a failure, too */

    /* Chooses what depends on the pair, and lists what the metric needs then. Called once, before `allows`. NULL:
     * nothing depends on it. */
    int (*settle)(struct metric *m, const struct metric_pair *pair, struct assay_error *e);

    /* Whether two metrics of this kind would write the same keys. NULL: no matter. */
    bool (*alike)(const struct metric *a, const struct metric *b);

    /* Fails if the pair can't be scored. The error says what is missing ("needs at least 176x176"). Called by
     * metric_allows, which asks the metrics that this one needs, too. NULL: every pair can be scored. */
    int (*allows)(const struct metric_pair *pair, const void *options, struct assay_error *e);

    /* Adds the passes to the graph and names the keys. */
    int (*build)(struct metric_build *b);

    /* Work of a frame that comes before `frame` and that threads share: `part` is called once for each of 0 to
     * parts - 1, in any order, on several threads at once. It writes to what the state has for this part alone.
     * 0, NULL: none. */
    uint32_t parts;
    void (*part)(const struct metric *m, uint32_t part, const int64_t *totals);

    /* Writes one value per key from the totals of a frame, and adds to the accumulators. NULL of one that predicts. */
    void (*frame)(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators);

    /* Writes the values that come from the extrema of a frame. Called after `frame`. NULL: there are none. */
    void (*extremes)(const struct metric *m, const uint32_t *extrema, double *values);

    /* Writes the values of a frame that depend on other frames. row[k] holds what `frame` and `extremes` wrote for
     * the frame k frames later, k from -before to after; row[0] is the frame's own. It is NULL outside the sequence.
     * At the beginning of the sequence planes of earlier frames are all zeros. NULL: no value depends on other
     * frames' values. */
    void (*resolve)(const struct metric *m, const double *const *row, double *values);

    /* Writes the values of a frame from final values of other metrics: needed[i] is that of need[i]. Called when every
     * other metric's values of the frame are there. NULL: the metric predicts nothing. */
    void (*predict)(const struct metric *m, const double *needed, double *values);

    /* Writes the aggregates of the sequence from the accumulators alone. NULL: there are none, or `fold`. */
    void (*finish)(const struct metric *m, uint64_t frames, const assay_i128 *accumulators, double *aggregates);

    /* Writes the aggregates of the sequence from the final values of its frames, in frame order, for those that no
     * exact sum gives. `column` is that of the metric's first key. */
    void (*fold)(const struct metric *m, const struct scores *scores, uint32_t column, double *aggregates);
};

/* The members of metric_ops that say what options, outputs and state a metric has: struct NAME_options and struct
 * NAME_state, and two arrays. */
#define METRIC_PARTS(name, list_of_options, list_of_outputs) \
    .options = list_of_options, .n_options = sizeof list_of_options / sizeof list_of_options[0], \
    .outputs = list_of_outputs, .n_outputs = sizeof list_of_outputs / sizeof list_of_outputs[0], \
    .options_size = sizeof(struct name##_options), .state_size = sizeof(struct name##_state)

extern const struct metric_ops metric_vmaf, metric_psnr, metric_float_psnr, metric_ssim, metric_float_ssim,
    metric_float_ms_ssim, metric_float_moment, metric_adm, metric_float_adm, metric_vif, metric_float_vif,
    metric_motion, metric_motion_v2, metric_float_motion, metric_psnr_hvs, metric_cambi, metric_speed_chroma,
    metric_speed_temporal, metric_ciede2000, metric_ssimulacra2, metric_diff, metric_xpsnr,
    metric_flip, metric_butteraugli, metric_cvvdp;

/* All metrics in the order of --list-metrics and of -m all, then NULL. */
extern const struct metric_ops *const assay_metrics[];
const struct metric_ops *metric_find(const char *name, size_t length);

/* Makes a metric of "psnr" or "psnr=enable_mse=true:min_sse=0.5". */
int metric_new(struct metric **out, const char *text, struct assay_error *e);
void metric_free(struct metric **m);

/* Another one with the same options, which has been neither settled nor built yet. */
int metric_again(struct metric **out, const struct metric *m, struct assay_error *e);

/* Has the metric choose what depends on the pair. Called once, before metric_allows. */
int metric_settle(struct metric *m, const struct metric_pair *pair, struct assay_error *e);

/* Fails if the metric can't score the pair: with ASSAY_EMISMATCH, if it compares codes and those of the two sides stand
 * for different colours. The error says why. */
int metric_allows(const struct metric *m, const struct metric_pair *pair, struct assay_error *e);

/* Whether `m` writes the values that `wanted` would write: its options are equal, or it writes debug output as well. */
bool metric_serves(const struct metric *m, const struct metric *wanted);

/* ---- for metrics ------------------------------------------------------------------------------------------------- */

/* A key, and a key over the sequence, of a row of the metric's outputs, whose direction it has. */
PRINTF_LIKE(3, 4) int metric_add_key(struct metric_build *b, const struct metric_output *row, const char *format, ...);
/* Those of a quotient at scales; where `all` is given, also that of all scales, and numerators and denominators. */
int metric_add_scale_keys(struct metric_build *b, const char *name, unsigned scales, const struct metric_output *each,
                          const struct metric_output *all, const struct metric_output *sums);
/* motion3 of a motion: what is above the offset counts by the factor, and `most` is the largest value. */
double metric_blended_motion(double motion, double factor, double offset, double most);
/* The values from key `all` on. */
void metric_write_scale_sums(double *values, unsigned scales, double all, double sum_num, double sum_den,
                             const double *num, const double *den);
PRINTF_LIKE(3, 4) int metric_add_aggregate(struct metric_build *b, const struct metric_output *row,
                                                               const char *format, ...);
PRINTF_LIKE(2, 3) int metric_add_accumulator(struct metric_build *b, const char *format, ...);
PRINTF_LIKE(2, 3) void metric_note(struct metric_build *b, const char *format, ...);

/* For `open`: adds a need with its name, options, metric and key, to which the key's end that the options of its metric
 * give is added (options_key_tail). */
int metric_add_need(struct metric *m, const struct metric_need *need, struct assay_error *e);

/* The name of a map is that of a file. Where options change the metric's keys, their end (options_key_tail) is added to
 * it. */
int metric_add_map(struct metric_build *b, const char *name, graph_plane plane, double full);
int metric_add_file(struct metric_build *b, struct metric_file file);

/* metric_plane: a plane of one side's samples. metric_luma: the luma plane of one side. Of RGB, where rgb_matrix is
 * set, a pass computes it. */
int metric_plane(struct metric_build *b, enum graph_side side, uint32_t component, graph_plane *plane);
int metric_luma(struct metric_build *b, enum graph_side side, graph_plane *plane);

/* The luma of one side, or another of its planes, as 32-bit samples; luma as floats, times `factor`. For maps. */
int metric_plane_u32(struct metric_build *b, enum graph_side side, uint32_t component, graph_plane *plane);
int metric_luma_f32(struct metric_build *b, enum graph_side side, float factor, graph_plane *plane);

/* The input of the frame `age` frames earlier. `before` of the metric is at least `age`. */
int metric_plane_before(struct metric_build *b, uint32_t age, enum graph_side side, uint32_t component,
                        graph_plane *plane);
int metric_luma_before(struct metric_build *b, uint32_t age, enum graph_side side, graph_plane *plane);

/* 2^-(depth - 8), which times a sample is on the 8-bit scale. */
float metric_sample_unit(const struct metric_build *b);

/* The end of a component's keys: "y", "cb", "cr" or "r", "g", "b". */
const char *metric_component_name(const struct metric_pair *pair, uint32_t component);

int metric_needs_luma(const struct metric_pair *pair, const char *name, struct assay_error *e);
int metric_needs_size(const struct metric_pair *pair, const char *name, uint32_t size, struct assay_error *e);

/* The sum that limbs hold, as a double. limb[i] counts 2^-(scale + LIMB_BITS i). Up to four limbs are joined exactly
 * and rounded once; of more, the first three and the others are joined apart. */
double metric_join_limbs(const int64_t *limb, uint32_t limbs, uint32_t scale);

/* metric_join_limbs for `sum`, the array of limbs that a member of a pass's totals is. */
#define METRIC_JOIN(sum, scale) metric_join_limbs(sum, sizeof(sum) / sizeof(sum)[0], scale)

#endif
