/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay measures how far a distorted video or image is from its reference.
 *
 * A score depends on the samples, the format and the options, and on nothing else. It has the same bits at every
 * instruction set, on every device and for every number of threads (docs/numerics.md).
 *
 * Use: make a session, add metrics, start it with the format of the pictures, submit pairs of pictures in order, flush,
 * and read the scores. assay/gpu.h is for pictures that already are on a GPU.
 *
 * - A function that can fail returns ASSAY_OK, which is 0, or a negative ASSAY_E* code, and states the reason in one
 *   line of text: where it has a buffer `error` of `error_size` bytes, there (`error` may be NULL), else where
 *   assay_session_error, or assay_gpu_error of assay/gpu.h, returns it. Functions with a buffer are those that make an
 *   object or need none, and those that any thread may call. A query that can only be given an index or a pointer that
 *   is none returns ASSAY_EUSAGE without a text.
 * - Zero in a field of a configuration stands for the default. Fields called `reserved` are 0. A function fails with
 *   ASSAY_EUSAGE when one is not, and for a name or a number of an enumeration that it does not know.
 * - Strings are UTF-8. Those that functions return belong to the library.
 * - Indices count from 0. A function with an index returns NULL or ASSAY_EUSAGE for one past the end, or 0 where it
 *   returns a number, a direction or a yes or no.
 * - One thread at a time calls functions with the same session. Different sessions may be used at the same time.
 */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(_WIN32)
#define ASSAY_API __attribute__((visibility("default")))
#else
#define ASSAY_API
#endif

/* The exit code of the `assay` command is the same number without its sign. */
enum {
    ASSAY_OK = 0,
    ASSAY_EUSAGE = -2,    /* a wrong argument, an unknown metric or option, a metric that the pair does not allow */
    ASSAY_EINPUT = -3,    /* a file or frame that can't be read, or is not what its header says */
    ASSAY_EDEVICE = -4,   /* a named backend or device that can't run */
    ASSAY_EMISMATCH = -5, /* two inputs that differ in length or kind */
    ASSAY_EINTERNAL = -6, /* no memory, an output that can't be written, or a fault of the library */
};

/* ---- pictures --------------------------------------------------------------------------------------------------- */

/* Planes are Y, Cb, Cr or R, G, B, in this order. The size of a subsampled plane is rounded up. */
typedef enum assay_layout {
    ASSAY_LAYOUT_UNKNOWN = 0,
    ASSAY_LAYOUT_400,
    ASSAY_LAYOUT_420,
    ASSAY_LAYOUT_422,
    ASSAY_LAYOUT_444,
    ASSAY_LAYOUT_411,
    ASSAY_LAYOUT_RGB,
} assay_layout;

typedef enum assay_range {
    ASSAY_RANGE_UNKNOWN = 0,
    ASSAY_RANGE_LIMITED,
    ASSAY_RANGE_FULL,
} assay_range;

typedef enum assay_chroma_location {
    ASSAY_CHROMA_UNKNOWN = 0,
    ASSAY_CHROMA_LEFT,
    ASSAY_CHROMA_CENTER,
    ASSAY_CHROMA_TOP_LEFT,
    ASSAY_CHROMA_TOP,
    ASSAY_CHROMA_BOTTOM_LEFT,
    ASSAY_CHROMA_BOTTOM,
} assay_chroma_location;

typedef enum assay_field_order {
    ASSAY_FIELD_UNKNOWN = 0,
    ASSAY_FIELD_PROGRESSIVE,
    ASSAY_FIELD_TOP_FIRST,
    ASSAY_FIELD_BOTTOM_FIRST,
    ASSAY_FIELD_MIXED,
} assay_field_order;

/*
 * The format of a stream of pictures.
 *
 * Samples of 8 bits are uint8_t. Deeper ones are uint16_t in native byte order with the value in the low bits. A first
 * pair in the host's memory with a code above the largest of the depth, in a plane that is read, is ASSAY_EINPUT. A
 * bit_depth of ASSAY_DEPTH_FLOAT stands for float: linear light (a transfer of 8) of RGB or grey, which may be above 1.
 * Metrics of light alone take it (assay_metric_of_light). Light below 0 counts as 0, light below 2^-60 does as well,
 * and light above 2^59 counts as 2^59. A frame with a sample that is not finite is refused with ASSAY_EINPUT. Alpha is
 * float, too, from 0 to 1. light_largest and light_median are what assay_floats_light (assay/floats.h) measures of the
 * reference; 0: not known.
 *
 * matrix, transfer and primaries are code points of ITU-T H.273. 2 stands for "unspecified", and so does 0, but for a
 * matrix of 0 with ASSAY_LAYOUT_RGB, which is "identity". 255 is none of H.273's:
 *
 * - A transfer of 255 is a function by parameters. With a gamma, light is the code value to the power 100000 / gamma,
 *   as in the chunk gAMA of PNG. Else curve holds g, a, b, c, d, e, f of ICC.1's function type 4, which has the types 0
 *   to 3 in it: light is (a X + b)^g + e for code values X >= d, c X + f below, cut off at 0 and 1. g is 0.125 to 8, d
 *   0 to 1, the others -2 to 2, a + b at most 2. All zeros: the function is unknown, and metrics of colour refuse it.
 * - Primaries of 255: to_bt709 is the matrix, by rows, from the picture's linear light to linear light with the
 *   primaries of BT.709, 1, 1, 1 being the white. The positive elements of a row sum to 8 at most. All zeros: unknown.
 *
 * With alpha, plane 3 has the size and the depth of plane 0. It is straight (not premultiplied); a sample with every
 * bit set is opaque.
 */
typedef struct assay_format {
    uint32_t width, height;      /* of plane 0, in samples: 1 to 65535 */
    uint32_t bit_depth;          /* 8 to 16, or ASSAY_DEPTH_FLOAT */
    assay_layout layout;
    assay_range range;
    uint32_t matrix, transfer, primaries;
    assay_chroma_location chroma_location;
    assay_field_order field_order;
    uint32_t rate_num, rate_den; /* frames per second; 0/0: unknown */
    uint32_t sar_num, sar_den;   /* sample aspect ratio; 0/0: unknown */
    uint32_t alpha;              /* 0 or 1 */
    uint32_t gamma;              /* 0, or 12500 to 1000000 */
    uint32_t reserved[6];
    double curve[7], to_bt709[9]; /* of a transfer and of primaries of 255; else not looked at */
    double light_largest, light_median; /* of float samples: luminance; else 0 */
} assay_format;

enum { ASSAY_DEPTH_FLOAT = 32 };

/* The number of planes without alpha, 1 or 3, and the size of a plane in samples. A plane that the format lacks has the
 * size 0. */
ASSAY_API uint32_t assay_format_planes(const assay_format *format);
ASSAY_API uint32_t assay_format_plane_width(const assay_format *format, uint32_t plane);
ASSAY_API uint32_t assay_format_plane_height(const assay_format *format, uint32_t plane);

/* ---- library and metrics ---------------------------------------------------------------------------------------- */

ASSAY_API const char *assay_version(void); /* "0.2.0" */

#define ASSAY_NONE 0xffffffffu /* no metric, key or feature has the name */

/* The number of the metric with this name, or ASSAY_NONE. Text behind a '=' is not looked at: `name` may be what
 * assay_session_add_metric takes. */
ASSAY_API uint32_t assay_metric_find(const char *name);

/* The name of a metric, and a line that says what it measures. */
ASSAY_API const char *assay_metric_name(uint32_t metric);
ASSAY_API const char *assay_metric_summary(uint32_t metric);

/* 1: a metric of colour, which compares what displays show and converts each side from its own colour. 0: one of codes,
 * which compares samples, and refuses pairs whose codes stand for different colours. */
ASSAY_API int assay_metric_of_colour(uint32_t metric);

/* 1: a metric of colour that takes pictures of floats, too, whose light may be above 1 (ASSAY_DEPTH_FLOAT). 0: one that
 * takes codes alone. */
ASSAY_API int assay_metric_of_light(uint32_t metric);

/* 1: a metric that takes long and that few ask for. assay_session_add_all leaves it out. */
ASSAY_API int assay_metric_slow(uint32_t metric);

/* Which values of a key are better. */
enum {
    ASSAY_LOWER = -1,  /* lower ones: an error, a number of differing pixels */
    ASSAY_NEUTRAL = 0, /* neither: a coordinate, a brightness, a motion */
    ASSAY_HIGHER = 1,
};

/* Keys that a metric can write, "psnr_y psnr_cb psnr_cr", the case in which it does, in words, and their direction:
 * ASSAY_LOWER, ASSAY_NEUTRAL or ASSAY_HIGHER. */
typedef struct assay_output {
    const char *keys, *when;
    int direction;
    uint32_t reserved[7];
} assay_output;
ASSAY_API int assay_metric_output(uint32_t metric, uint32_t index, assay_output *output);

typedef struct assay_option {
    const char *name;
    const char *alias;       /* a second name, or NULL */
    const char *help;
    const char *type;        /* "bool" "int" "double" "choice" "text" */
    char fallback[40];       /* the default, as text that assay_session_add_metric takes */
    double least, most;      /* of an int or a double; 0 and 1 of a bool; 0 of a text */
    const char *choices[32]; /* of a choice: its names, then NULL */
    uint32_t reserved[8];
} assay_option;
ASSAY_API int assay_metric_option(uint32_t metric, uint32_t index, assay_option *option);

/* ---- models ----------------------------------------------------------------------------------------------------- */

/* The version of a built-in model of the metric vmaf, "vmaf_v0.6.1"; NULL behind the last one. The options of vmaf are
 * those that libvmaf's tool takes behind --model. A model whose file can't be read is refused with ASSAY_EINPUT.
 * version=v1 and v1_hfr choose a model when the format is known; assay_session_configuration names it. */
ASSAY_API const char *assay_model_version(uint32_t index);

/* A model predicts scores of a frame from its features: values that metrics compute, of this library or of others. Any
 * number of threads may use a model at once. */
typedef struct assay_model assay_model;

/* Opens what a session's metric predicts by: `metric` is written as for assay_session_add_metric, "vmaf",
 * "vmaf=version=vmaf_v0.6.1neg:name=neg" or "vmaf=path=my.json". `format` is that of the pictures; NULL: it is not
 * known, and version=v1 and v1_hfr are refused. On failure *model is NULL: ASSAY_EUSAGE, also for a metric that
 * predicts nothing, or ASSAY_EINPUT for a file that is no model. */
ASSAY_API int assay_model_open(assay_model **model, const char *metric, const assay_format *format, char *error,
                               size_t error_size);

/* Frees the model and sets *model to NULL. */
ASSAY_API void assay_model_close(assay_model **model);

typedef struct assay_feature {
    const char *name;    /* libvmaf's: "VMAF_integer_feature_adm2_score" */
    const char *options; /* of the metric that the model states, "name=value:name=value" */
    const char *metric;  /* that computes it, as for assay_session_add_metric, with these options and the user's */
    const char *key;     /* of its value: "integer_adm2_egl_1" */
    uint32_t reserved[8];
} assay_feature;

/* The features of a model, in the order of its values. The strings are valid until the model is closed. Two features
 * may have one name, with different options. */
ASSAY_API uint32_t assay_model_features(const assay_model *model);
ASSAY_API int assay_model_feature(const assay_model *model, uint32_t index, assay_feature *feature);

/* The number of the first feature with this name or key, or ASSAY_NONE. */
ASSAY_API uint32_t assay_model_find_feature(const assay_model *model, const char *name);

/* The keys of the scores: that of the model, and of a collection (a bootstrap model) those of its members,
 * "vmaf_0001", and "vmaf_bagging", "vmaf_stddev", "vmaf_ci_p95_lo", "vmaf_ci_p95_hi". */
ASSAY_API uint32_t assay_model_scores(const assay_model *model);
ASSAY_API const char *assay_model_score(const assay_model *model, uint32_t index);

/* Predicts the scores of a frame: `scores` gets a value for each key, from a value for each feature. They are those
 * that a session has, bit for bit. */
ASSAY_API int assay_model_predict(const assay_model *model, const double *features, double *scores);

/* ---- devices ---------------------------------------------------------------------------------------------------- */

enum {
    ASSAY_SELF_TEST_FAILED = -1, /* the device is refused */
    ASSAY_SELF_TEST_NOT_RUN = 0, /* it runs when the device is first used */
    ASSAY_SELF_TEST_PASSED = 1,  /* as far as it ran: kernels are tested when they are first needed */
};

typedef struct assay_device {
    const char *backend;  /* as in assay_config */
    const char *missing;  /* why the backend has no device here; the fields below are empty then. NULL: it has */
    unsigned number;      /* as in assay_config.device */
    const char *name, *driver;
    uint64_t memory;      /* bytes; 0: unknown */
    int software;         /* not 0: runs on the CPU, and is used only when it is named */
    int usable;           /* 0: lacks something that every kernel needs */
    int self_test;        /* ASSAY_SELF_TEST_* */
    unsigned kernels_passed, kernels; /* of the library's kernels: those that have passed, and all */
    uint32_t reserved[8];
} assay_device;

/* The strings are valid during the call. */
typedef void assay_device_callback(void *opaque, const assay_device *device);

/* Calls `show` for every device of `backend`, NULL: of every backend, and once for a backend that has none. */
ASSAY_API int assay_list_devices(const char *backend, assay_device_callback *show, void *opaque, char *error,
                                 size_t error_size);

/* Finds what `device` names in a backend, both as in assay_config: the number of devices, and the number of the first
 * one. Fails with ASSAY_EDEVICE when there is no such device. */
ASSAY_API int assay_find_device(const char *backend, const char *device, unsigned *count, unsigned *first, char *error,
                                size_t error_size);

/* ---- a session -------------------------------------------------------------------------------------------------- */

/*
 * A session compares frames of a reference with one distorted picture each, or with several: the encodes of a ladder.
 * Every encode has the scores of a session of its own, bit for bit. What depends on the reference alone is computed
 * once for all of them. A frame has sides: 0 is the reference, encode k, from 0 on, is side k + 1. A pair is a frame of
 * the reference with those of all encodes.
 */
typedef struct assay_session assay_session;

enum { ASSAY_ENCODES = 16 /* the most encodes of a session */ };

/* How a session computes. Only rgb_matrix, rgb_range, distorted and scale* can change a score. What pointers point to
 * must be valid until assay_session_start has returned. */
typedef struct assay_config {
    const char *backend;   /* "cpu" "cuda" "vulkan" "opengl" "sycl"; NULL: "cpu"; "auto": the one that is expected to be
                            * the fastest */
    const char *device;    /* number, part of a name, "0,2" or "all"; NULL: the first */
    const char *cpu_level; /* "scalar" "sse4" "avx2" "avx512" "avx512vnni" "neon", not with a GPU; NULL: the best that
                            * there is */
    unsigned threads;      /* that compute on the CPU; 0: one for each processor that the process may use. From 8 on
                            * groups of at least 4 have a pair each, where metrics and memory allow it and no device is
                            * named. They take more memory, and the score of one pair takes longer */
    uint32_t frames_in_flight; /* pairs that the session holds at once, 1 to 256, beside those that metrics look back
                                * at, and a few more where several devices or groups of threads get as many each. 1: all
                                * threads score one pair. A number that does not fit into the device's memory is
                                * refused. 0: what suits the device, or what its memory holds where that is less */
    uint32_t tile_width, tile_height; /* of kernels on the CPU, for tests: powers of two from 16 and from 4 on; 0:
                                       * those of kernels.txt */
    const char *rgb_matrix; /* "bt709" or "bt601": metrics of luma score RGB, converted as docs/metrics/README.md says;
                             * NULL: they refuse it */
    assay_range rgb_range;  /* of that luma; 0: full */
    uint32_t keep_planes;   /* not 0: intermediate planes can be read, which takes more memory */
    uint32_t strip_height;  /* rows that the CPU takes through all passes at once, for tests; 0: what suits the size */
    uint32_t prefetch_frames; /* pairs that are filled at once beside those that are computed; 0: 1. For
                               * assay_session_take and assay_session_read, where frames_in_flight is 0. A session on
                               * the CPU takes fewer, at least one, where they would be more than 48 MiB */
    uint32_t least_frames;  /* pairs that the session has memory for at least, where frames_in_flight is 0 and the
                             * device's memory holds them: assay_session_work says how many there are */
    uint32_t gpu_sides;     /* sides that assay_session_fill_gpu (assay/gpu.h) fills: 1 << side of each, added */
    uint32_t allow_colour;  /* not 0: metrics of codes, and cvvdp, compare codes that stand for different colours */
    const assay_format *distorted; /* of the distorted pictures, an array with a format for each encode: matrix, range,
                             * transfer, primaries, chroma location and alpha may differ from the format that the
                             * session starts with, the reference's. Metrics of colour convert each side from its own.
                             * With the flags below bit_depth and layout may differ, too. NULL: all sides have the same
                             * format */
    uint32_t allow_depth;   /* not 0: bit depths may differ. Codes with fewer bits, a to b bits, become codes of b bits:
                             * times 2^(b - a) in limited range. In full range, and of alpha, 0 to 2^a - 1 become 0 to
                             * 2^b - 1 in proportion, to the nearest code; chroma is in proportion around 2^(a - 1) */
    uint32_t allow_format;  /* not 0: layouts other than RGB may differ. Only luma is compared then, as of
                             * ASSAY_LAYOUT_400. RGB against another layout is always refused */
    const char *scale;      /* "bicubic" "lanczos" "bilinear" "spline": the distorted pictures may have another size
                             * than the reference's. The pictures of a side of another size than scale_width x
                             * scale_height are scaled by this filter (docs/scaling.md): YUV and grey of 8, 9, 10, 12,
                             * 14 or 16 bits, without alpha. NULL: nothing is scaled, and sizes are equal */
    uint32_t scale_width, scale_height; /* the size that is compared; 0: the reference's */
    uint32_t scale_siting;  /* ASSAY_SCALE_* */
    uint32_t encodes;       /* distorted pictures of each frame, 1 to ASSAY_ENCODES; 0: 1. All are compared with one
                             * reference at one size, and each has the same keys */
    uint32_t maps;          /* not 0: metrics make the maps of where the pictures differ that no score needs, too
                             * (docs/maps.md). Refused without keep_planes, which is for reading them */
    uint32_t stills;        /* not 0: pairs are pictures that have nothing to do with each other. A metric of video that
                             * takes pictures, too, takes each as one (cvvdp) */
    uint32_t frames;        /* pairs that will come, as far as the application knows; 0: not known. It changes no score.
                             * Below 1000 a Vulkan device has fewer queues, below 64 a GPU 4 slots, below 16 a CPU no
                             * groups of threads */
    uint32_t reserved[15];
} assay_config;

/* Where the chroma of scaled pictures lies. CENTRED: in the middle of its luma samples before and after, whatever the
 * formats say, as ffmpeg's scale filter takes it. TAG: where chroma_location says; scaled pictures get that of the side
 * that is not scaled, or the reference's. A side without a location is taken to be like the other one. */
enum { ASSAY_SCALE_CENTRED = 0, ASSAY_SCALE_TAG = 1 };

/* Copies `config`, which may be NULL. What is wrong with it, a name that is not known for example, is refused by
 * assay_session_plan and assay_session_start. On failure, for lack of memory, *session is NULL. */
ASSAY_API int assay_session_new(assay_session **session, const assay_config *config, char *error, size_t error_size);

/* Waits for the frames in flight, frees everything and sets *session to NULL. */
ASSAY_API void assay_session_close(assay_session **session);

/* Why the last call with this session failed; "" when it did not. */
ASSAY_API const char *assay_session_error(const assay_session *session);

/* Adds a metric with its options: "psnr", "float_ssim=enable_db=true:scale=1". Before the start. */
ASSAY_API int assay_session_add_metric(assay_session *session, const char *metric);

/* Adds, with default options, every metric that pictures of `format`, with those of every encode, allow and that is not
 * there yet; slow ones (assay_metric_slow) only with assay_session_add_everything. Calls `left_out`, unless it is NULL,
 * for each one that is left out. Before the start. */
ASSAY_API int assay_session_add_all(assay_session *session, const assay_format *format,
                                    void (*left_out)(void *opaque, const char *metric, const char *reason),
                                    void *opaque);
ASSAY_API int assay_session_add_everything(assay_session *session, const assay_format *format,
                                           void (*left_out)(void *opaque, const char *metric, const char *reason),
                                           void *opaque);

/* Whether a metric, written as for assay_session_add_metric, can score pictures of `format`. Fails with ASSAY_EUSAGE
 * and the reason when it can't, and with ASSAY_EMISMATCH where it compares codes and those of the two sides stand for
 * different colours, or where the two sides differ in bit depth or layout and no flag allows it. Of `config`, which
 * may be NULL, rgb_matrix, rgb_range, encodes, distorted, allow_colour, allow_depth, allow_format and scale* count. */
ASSAY_API int assay_metric_allows(const char *metric, const assay_config *config, const assay_format *format,
                                  char *error, size_t error_size);

/* The keys of the values that a metric, written as for assay_session_add_metric, has for each frame of such pictures,
 * as one text: "psnr_y psnr_cb psnr_cr". They are in the order of a session's, without those of other metrics that it
 * predicts from. The caller frees *keys with free(). Fails, and sets *keys to NULL, as assay_session_add_metric and
 * assay_session_plan do. `config` may be NULL. */
ASSAY_API int assay_metric_keys(const char *metric, const assay_config *config, const assay_format *format, char **keys,
                                char *error, size_t error_size);

/* Receives the scores of a frame: a value for each key, NaN for those of an encode that ended before. Called in the
 * order of the frames, by a thread of the session, as soon as no later frame can change the values. A result other than
 * 0 stops the session. The callback must not call functions with the session, but for assay_session_row: call n,
 * from 0 on, is for row n of each encode that has the frame. */
typedef int (*assay_frame_callback)(void *opaque, uint64_t frame, const double *values);

/* Scores go to `callback` and not to assay_session_poll. Before the start. */
ASSAY_API int assay_session_set_callback(assay_session *session, assay_frame_callback callback, void *opaque);

/* Fixes the format of both pictures of every pair, opens the device and allocates all memory. `format` is that of the
 * reference; the distorted pictures have the same, or assay_config.distorted. Fails with ASSAY_EUSAGE when a metric
 * can't score such pictures, and where pictures of a depth or layout that is to be converted lie in a device's memory
 * (assay/gpu.h). Fails with ASSAY_EMISMATCH as assay_metric_allows does. A session whose start failed can only be
 * closed. */
ASSAY_API int assay_session_start(assay_session *session, const assay_format *format);

/* Prepares what is known without a device and without pictures: keys, totals, configuration, notes, planes and the pass
 * graph. assay_session_add_totals works on such a session. It can't be started. */
ASSAY_API int assay_session_plan(assay_session *session, const assay_format *format);

/* After the start or plan: the keys of a frame's values, and of the aggregates over all frames. They come encode by
 * encode; each encode has the same names in the same order, and `encode` functions return its number, from 0 on. The
 * metric of a key is its number in the order in which the metrics were added. A direction is ASSAY_LOWER, ASSAY_NEUTRAL
 * or ASSAY_HIGHER. */
ASSAY_API uint32_t assay_session_keys(const assay_session *session);
ASSAY_API const char *assay_session_key(const assay_session *session, uint32_t index);
ASSAY_API uint32_t assay_session_key_encode(const assay_session *session, uint32_t index);
ASSAY_API uint32_t assay_session_key_metric(const assay_session *session, uint32_t index);
ASSAY_API int assay_session_key_direction(const assay_session *session, uint32_t index);

/* 1: nobody asked for the key. Its metric was added because another one, such as vmaf, predicts from its values, and
 * comes behind those that were added by name; or the key is a detail from which an aggregate is made, such as
 * xpsnr_wsse_y. Else 0. */
ASSAY_API int assay_session_key_feature(const assay_session *session, uint32_t index);

ASSAY_API uint32_t assay_session_aggregates(const assay_session *session);
ASSAY_API const char *assay_session_aggregate_key(const assay_session *session, uint32_t index);
ASSAY_API uint32_t assay_session_aggregate_encode(const assay_session *session, uint32_t index);
ASSAY_API int assay_session_aggregate_direction(const assay_session *session, uint32_t index);

/* ---- submitting pairs ------------------------------------------------------------------------------------------- */

/*
 * A picture of its side's format. A stride is the number of bytes from a row to the next; its magnitude is at least
 * a row's bytes.
 *
 * Without `release` the samples are copied before assay_session_submit returns. With it they are read where they are,
 * but for those of a side whose depth or layout is converted, which are copied, too. The session calls release(opaque)
 * from one of its threads when it needs the samples no longer: once for each picture of a pair whose submission
 * succeeded, also when the session fails or is closed. A picture that a metric looks back at from a later frame is
 * needed until that frame is computed or the sequence ends.
 */
typedef struct assay_picture {
    const void *plane[4]; /* [3] is alpha */
    ptrdiff_t stride[4];
    void (*release)(void *opaque);
    void *opaque;
    uint32_t reserved[4];
} assay_picture;

/* Submits a pair and waits while too many are in flight. `distorted` points to a picture of each encode. The scores
 * carry the number `frame`, which is larger than the one before. For a metric that looks at other frames, the pairs
 * follow each other as they are submitted, whatever their numbers are. */
ASSAY_API int assay_session_submit(assay_session *session, uint64_t frame, const assay_picture *reference,
                                   const assay_picture *distorted);

/* How many pairs before and behind a pair the metrics look at. After the start. Where a metric takes a video as
 * mirrored at its first frame (cvvdp's padding=symmetric), the first pairs look as far behind themselves as others look
 * back, and wait for the pairs there, or for the end of the sequence. */
ASSAY_API int assay_session_reach(assay_session *session, uint32_t *before, uint32_t *after);

/* Whether a score or a kept plane depends on a plane (0 to 3) of the pictures of a side (0: the reference): 1 or 0. A
 * plane with 0 need not be filled in the memory that assay_session_take and assay_session_read hand out. After the
 * start. */
ASSAY_API int assay_session_reads(assay_session *session, unsigned side, unsigned plane);

/* Submits a pair that gets no scores: other pairs look at it. The scores of a part of a video, or of every n-th frame,
 * are those of the whole video when each scored pair has the pairs within its reach beside it. */
ASSAY_API int assay_session_submit_neighbour(assay_session *session, uint64_t frame, const assay_picture *reference,
                                             const assay_picture *distorted);

/* Memory of the session for a picture of its side's format, in the place that its device reads fastest. Where the depth
 * or layout of the side is converted, it is ordinary memory from which the library converts the picture. */
typedef struct assay_buffer {
    void *plane[4]; /* as in assay_picture; NULL of a side in gpu_sides */
    ptrdiff_t stride[4];
    uint32_t slot;  /* the number of this memory, from 0. Pairs use slots again: in turn where frames_in_flight or
                     * least_frames is set, else any slot that is free */
    uint32_t lends; /* 1: instead of filling the planes, assay_session_lend has a picture read where it is */
    uint32_t reserved[4];
} assay_buffer;

/* What a pair is for. */
enum {
    ASSAY_UNUSED = 0,
    ASSAY_SCORED = 1,
    ASSAY_NEIGHBOUR = 2, /* as assay_session_submit_neighbour */
};

/* Takes the memory for a pair, `distorted` of each encode, to fill it without a copy, and waits while too many pairs
 * are in flight. Several pairs can be taken before the first one is committed, and filled by any threads. */
ASSAY_API int assay_session_take(assay_session *session, assay_buffer *reference, assay_buffer *distorted);

/* Submits the pair that was taken first. With ASSAY_UNUSED, or when this fails, all pairs that are taken go back. */
ASSAY_API int assay_session_commit(assay_session *session, uint64_t frame, int use);

/*
 * Has the picture of a side read where it is, instead of in its buffer `to`, which lends. Any thread may call this
 * before the pair is committed, also the read of a reader. The picture has a `release`, which is called once: as that
 * of a submitted one, or where the pair is not scored, the encode has ended or another picture is lent in its place, by
 * the thread that calls commit, lend or close. ASSAY_EUSAGE, and release is not called: the buffer does not lend, the
 * picture has no release, or submit would refuse it.
 */
ASSAY_API int assay_session_lend(assay_session *session, unsigned side, const assay_buffer *to,
                                 const assay_picture *picture);

/* ---- an encode's end -------------------------------------------------------------------------------------------- */

/* How an encode ends. BREAKS_OFF: the video goes on behind its last picture, which can't be read: frames whose values
 * depend on later ones get no scores. */
enum { ASSAY_ENCODE_ENDS = 1, ASSAY_ENCODE_BREAKS_OFF = 2 };

/* Ends an encode behind the pairs that are submitted, for which it waits: its last picture is the last one of its
 * video, as behind assay_session_flush, and its scores, aggregates and totals are final when this returns. Later pairs
 * are those of the other encodes, and a device need not compute anything for this one: planes of its passes hold
 * nothing. Its pictures are not looked at any more, those that the session has are released, and its buffers have no
 * planes; so it is for pairs that are taken and not committed yet. When every encode has ended, no pair can be
 * submitted. */
ASSAY_API int assay_session_end_encode(assay_session *session, uint32_t encode, int how);

/* ---- reading pairs ---------------------------------------------------------------------------------------------- */

/*
 * Reads the streams of pictures. Side 0 is the reference, side k + 1 encode k; `pair` is the number of a frame. find
 * and read return 1 for success, 0 when the side has ended before this pair, or a negative code with the reason in
 * `error`. No function here may call functions with the session, but for `submitted`.
 */
typedef struct assay_reader {
    /* Finds the next picture of a side, or passes over it when `used` is 0. *place is a number for read. Called for
     * each side by one thread at a time, in the order of the pairs. NULL: read does this. */
    int (*find)(void *opaque, unsigned side, uint64_t pair, int used, uint64_t *place, char *error, size_t error_size);
    /* Reads the picture that was found at `place` into `to`. With a find, several threads may read pictures of one side
     * at the same time and finish in any order. Without one, each side is read by one thread in the order of the pairs,
     * and a picture is passed over when `to` is NULL. */
    int (*read)(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                size_t error_size);
    /* Returns ASSAY_SCORED, ASSAY_NEIGHBOUR, or ASSAY_UNUSED for a pair that is passed over: for each pair always the
     * same. Called by several threads. NULL: every pair is scored. */
    int (*use)(void *opaque, uint64_t pair);
    /* Called by the thread that called assay_session_read, after each pair. A result other than 0 ends the reading and
     * is its result. May be NULL. */
    int (*submitted)(void *opaque, uint64_t pair, int use);
    /* Says how an encode ends that has no picture for `pair`: `got` is 0 or the failure of find or read, with its
     * reason. Called by the thread that called assay_session_read; not where the reference ends there, too, and `got`
     * is 0. A result of ASSAY_ENCODE_ENDS or _BREAKS_OFF ends the encode as assay_session_end_encode does, and the
     * others are read on while the reference and one of them have pictures. A negative one ends the reading and is its
     * result. NULL: the reading ends when a side does. */
    int (*ended)(void *opaque, uint32_t encode, uint64_t pair, int got, const char *error);
    /* Called when no further picture is needed: a find or read that waits for data returns. May be NULL. */
    void (*abandon)(void *opaque);
    void *opaque;
    uint32_t threads[ASSAY_ENCODES + 1]; /* that read each side, with a find: at most 16; 0: 1 */
    uint32_t reserved[15];
} assay_reader;

typedef struct assay_read_end {
    uint64_t pairs; /* that were read or passed over */
    int ended[ASSAY_ENCODES + 1]; /* [side] 1: it has no further picture */
    uint64_t had[ASSAY_ENCODES + 1]; /* [side] the pair behind the last one that has its picture */
    uint64_t reserved[8];
} assay_read_end;

/* Reads and submits the pairs `first` to `end` - 1, or fewer when a side ends. Encodes that have ended are not read.
 * Each side has threads of its own, which read as many pairs ahead as prefetch_frames says: it is best one more than a
 * side has threads, and 3 where pictures take different times. Returns when the last pair is submitted. */
ASSAY_API int assay_session_read(assay_session *session, const assay_reader *reader, uint64_t first, uint64_t end,
                                 assay_read_end *result);

/*
 * The same a pair at a time, for an application that asks for each one: `submitted` of the reader is not called. From
 * the beginning to the stop functions that submit, take or end something can't be called with the session, and others,
 * of scores and of planes, can.
 *
 * assay_session_read_next submits the next pair, sets *pair and *use to what it is, and returns ASSAY_READ_PAIR; of
 * ASSAY_UNUSED nothing is submitted. It returns ASSAY_READ_LATE when the pictures were not there after so many
 * milliseconds, ASSAY_READ_OVER behind the last pair, or a negative code, behind which reading is over, too.
 * assay_session_read_stop ends the threads, wherever reading is, and leaves the error of the last failure. `result` may
 * be NULL.
 */
enum { ASSAY_READ_OVER = 0, ASSAY_READ_PAIR = 1, ASSAY_READ_LATE = 2 };
ASSAY_API int assay_session_read_begin(assay_session *session, const assay_reader *reader, uint64_t first,
                                       uint64_t end);
ASSAY_API int assay_session_read_next(assay_session *session, uint32_t milliseconds, uint64_t *pair, int *use);
ASSAY_API int assay_session_read_stop(assay_session *session, assay_read_end *result);

/* ---- scores ----------------------------------------------------------------------------------------------------- */

/* Waits until every submitted pair is computed, and leaves the sequence open: frames whose values depend on later ones
 * get no scores yet. */
ASSAY_API int assay_session_wait(assay_session *session);

/* Waits until every submitted pair has its scores, and ends the sequence: for metrics that look at other frames, the
 * last pair is the last one of a video. More pairs may follow, and begin another sequence. */
ASSAY_API int assay_session_flush(assay_session *session);

/* Waits until every submitted pair is computed, and frees the device, the pictures and the planes. No pair can follow.
 * What was scored and its keys, aggregates, totals, configuration and notes can be asked until the session is closed.
 * The sequence is not ended: a flush does that. */
ASSAY_API int assay_session_finish(assay_session *session);

/* The scores of the next frame, a value for each key. Returns 1, 0 when there are none yet, or a negative code. */
ASSAY_API int assay_session_poll(assay_session *session, uint64_t *frame, double *values);

/*
 * A session keeps its scores until it is closed: for each frame and encode 8 bytes for each key and 32 more, and
 * nothing else that grows with the video. They can be read between the other calls, while threads of the session go on
 * scoring, by the thread that calls functions with the session; also in `submitted` of an assay_reader. A row is a
 * frame whose scores of an encode are final. Rows count from 0 in the order of the frames, and an encode that has ended
 * gets no further ones. Neither polling nor a callback takes rows away.
 */

/* The number of an encode's key, for the functions with an index of a key, or ASSAY_NONE. After the start or plan. */
ASSAY_API uint32_t assay_session_find_key(const assay_session *session, uint32_t encode, const char *key);

/* How many rows an encode has now. */
ASSAY_API uint64_t assay_session_rows(assay_session *session, uint32_t encode);

/* The values of a row, one for each key of the encode in their order, and the number of its frame; `frame` may be NULL.
 * They stay where they are, and as they are, until the session is closed: any thread may read them. NULL: there is no
 * such row yet. */
ASSAY_API const double *assay_session_row(assay_session *session, uint32_t encode, uint64_t row, uint64_t *frame);

/* The value of a key for a frame: 1 when it is there; it may be NaN or infinite. 0: there is none yet, because the
 * frame or one that it depends on is still to come. ASSAY_EUSAGE: there will be none, because the frame is a neighbour
 * or was left out, or its encode ended before. Else the failure that ended the session. */
ASSAY_API int assay_session_value(assay_session *session, uint32_t index, uint64_t frame, double *value);

/* Pools the values of a key, of the first encode, over the frames that have scores, after a flush. `pool` is "mean"
 * "harmonic_mean" "geometric_mean" "min" "max" "stddev" "variance" "rms" "median" or "perc5", with any number from 0 to
 * 100. NaN when no frame has scores. */
ASSAY_API int assay_session_pooled(assay_session *session, const char *key, const char *pool, double *value);

/* As assay_session_pooled, of the key with this number. Keys of all encodes have numbers of their own. */
ASSAY_API int assay_session_pooled_at(assay_session *session, uint32_t index, const char *pool, double *value);

/* As assay_session_pooled_at, over the frames `first` to `end` - 1. An `end` of UINT64_MAX stands for all frames from
 * `first` on. NaN when none has scores. */
ASSAY_API int assay_session_pooled_range(assay_session *session, uint32_t index, const char *pool, uint64_t first,
                                         uint64_t end, double *value);

/* An aggregate over all frames of its encode that were submitted, for which it waits. NaN when there are none. Those of
 * xpsnr are of the frames that have scores: of all after a flush. */
ASSAY_API int assay_session_aggregate(assay_session *session, uint32_t index, double *value);

/* ---- parts of a video ------------------------------------------------------------------------------------------- */

/* A total: an exact integer that is summed over the scored frames. Aggregates are computed from totals. The totals of
 * the parts of a video add up to those of the whole, in any order. */
typedef struct assay_total {
    uint64_t low; /* bits 0 to 63 of 128, in two's complement */
    int64_t high; /* bits 64 to 127 */
} assay_total;

/* After the start or plan. The name of a total is "psnr.sse_y"; assay_session_total waits for the submitted pairs. Like
 * keys, totals come encode by encode, with the same names. */
ASSAY_API uint32_t assay_session_totals(const assay_session *session);
ASSAY_API const char *assay_session_total_name(const assay_session *session, uint32_t index);
ASSAY_API uint32_t assay_session_total_encode(const assay_session *session, uint32_t index);
ASSAY_API int assay_session_total(assay_session *session, uint32_t index, assay_total *total);

/* Adds `frames` scored frames of another session with the same metrics and format: all of its totals, by their indices.
 * Fails with ASSAY_EUSAGE, and adds nothing, when a sum does not fit into 128 bits. */
ASSAY_API int assay_session_add_totals(assay_session *session, uint64_t frames, const assay_total *totals);

/* Adds the scores of a frame of another session with the same metrics and format, a value for each key, to a session
 * that was planned and is not started. Frames come in ascending order. Aggregates that are made of the scores of
 * frames, those of xpsnr, need them. Adds nothing to the totals. */
ASSAY_API int assay_session_add_scores(assay_session *session, uint64_t frame, const double *values);

/* ---- passes and intermediate planes ------------------------------------------------------------------------------ */

typedef struct assay_plane {
    const char *type;       /* of its samples: "u8" "u16" "u32" "i32" "f32" */
    uint32_t width, height; /* in samples */
    uint32_t sample_size;   /* in bytes */
    char pass[64];          /* the name of the pass that writes it, as in assay_session_describe_graph */
    uint32_t pass_number;   /* its number there */
    uint32_t output;        /* the plane's number among those that the pass writes */
    uint32_t view;          /* not 0: the bytes of that output again, as samples of another type */
    const char *map;        /* the name of a map of where the pictures differ, 0 where they are equal; NULL: none */
    uint32_t encode;        /* of a map: the encode that it compares with the reference */
    double map_full;        /* the value of a map that gets the last colour of its scale; 0: its largest value */
    uint32_t map_colours;   /* of a map: ASSAY_COLOURS_* */
    uint32_t reserved[7];
} assay_plane;

/* The colours in which a map is usually drawn: those of the command, or a colour map by its name. */
enum { ASSAY_COLOURS_OWN = 0, ASSAY_COLOURS_MAGMA = 1, ASSAY_COLOURS_VIRIDIS = 2, ASSAY_COLOURS_BUTTERAUGLI = 3,
       ASSAY_COLOURS_THRESHOLD = 4 };

/* After the start or plan, in the order of the passes. */
ASSAY_API uint32_t assay_session_planes(const assay_session *session);
ASSAY_API int assay_session_plane(assay_session *session, uint32_t index, assay_plane *plane);

/* A file that an option of a metric asks for, such as heatmaps_path of cambi. The library writes no file: a session
 * with such an option has one encode, and starts only with keep_planes, by which the caller says that it writes the
 * files of the planes. A frame has width x height samples of 16 bits, little-endian, rows from the top, which begin at
 * the frame's number times their size. A sample is the whole part of scale times the plane's value, at most 65535. */
typedef struct assay_plane_file {
    uint32_t plane;     /* index for assay_session_plane; of the type "f32", no value is negative */
    const char *folder; /* as the option states it */
    const char *name;   /* of the file in it */
    double scale;
    uint32_t reserved[4];
} assay_plane_file;

/* After the start or plan. ASSAY_EUSAGE behind the last file. */
ASSAY_API int assay_session_plane_file(assay_session *session, uint32_t index, assay_plane_file *file);

/* Copies a plane of the frame that was submitted last, for which it waits. `stride` is in bytes. With keep_planes. */
ASSAY_API int assay_session_read_plane(assay_session *session, uint32_t index, void *to, size_t stride);

/* What a pass writes beside planes, for each frame. A total is a 64-bit integer, exact modulo 2^64. An extremum is the
 * largest of 32-bit values, with its first position. Metrics make scores of them, and what assay_session_total adds. */
typedef struct assay_pass {
    char name[64];            /* as in assay_session_describe_graph */
    uint32_t totals, extrema; /* how many it writes */
    uint32_t reserved[6];
} assay_pass;

/* After the start or plan. ASSAY_EUSAGE behind the last pass. */
ASSAY_API int assay_session_pass(assay_session *session, uint32_t index, assay_pass *pass);

/* Copies what a pass wrote for the frame that was submitted last, for which it waits. `totals` gets a number for each
 * total. `extrema` gets two for each extremum: the value, and the position y * width + x, where the width is that of
 * the pass's grid; 0 and 0xffffffff where it met no value. Either may be NULL. Without keep_planes, too. */
ASSAY_API int assay_session_read_pass(assay_session *session, uint32_t index, int64_t *totals, uint32_t *extrema);

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* When the parts of a frame began, [0], and ended, [1], in nanoseconds of the device's clock, whose zero is arbitrary.
 * Both are 0 for a part that did not run, and on a device without a clock. */
typedef struct assay_frame_times {
    uint64_t upload[2];
    uint64_t passes[2];    /* clearing and reading back their results included */
    uint64_t submit;       /* nanoseconds that a processor took to hand the frame to the device */
    uint32_t device;       /* an index: of several devices, which have clocks of their own, or of groups of threads */
    uint32_t reserved[7];
} assay_frame_times;

/* Called by a thread of the session before the scores of the frame are delivered. */
typedef void assay_times_callback(void *opaque, uint64_t frame, const assay_frame_times *times);

/* Takes the times of frames that are submitted later, which can make them slower; NULL ends that. After the start.
 * Waits for the frames in flight. */
ASSAY_API int assay_session_set_times(assay_session *session, assay_times_callback *callback, void *opaque);

typedef struct assay_work {
    uint32_t frames;       /* pairs that the session has memory for: the number of slots */
    uint32_t in_flight;    /* pairs that are on the devices at once, at most */
    uint32_t devices;      /* that get the pairs in turn, or groups of the CPU's threads */
    uint32_t passes;       /* of the pass graph */
    uint64_t upload_bytes; /* of a pair: planes that passes read and that are not on the device yet */
    uint64_t pass_bytes;   /* of a pair: that the passes read and write, each plane once per pass */
    uint64_t dispatches;   /* passes that have run since the start */
    uint64_t submissions;  /* to a device since the start: queue submissions, graphs, flushes */
    uint64_t picture_bytes; /* of the host's memory: the pictures of all frames */
    uint64_t device_bytes; /* of all devices' memory, of the host's on the CPU: what the passes write, and on a GPU the
                            * pictures */
    uint64_t reserved[8];
} assay_work;

/* The work of a pair, and what was done so far. After the start. Waits for the frames in flight. */
ASSAY_API int assay_session_work(assay_session *session, assay_work *work);

enum {
    ASSAY_COPY_UPLOAD = 0, /* from the session's memory for pictures to the device */
    ASSAY_COPY_DEVICE = 1, /* within the memory of the device */
};

/* Copies `bytes` bytes `times` times, with nothing else on the device. *rate is in bytes per second, the sum of all
 * devices, or groups of threads; 0 where it can't be measured. After the start. Waits for the frames in flight. */
ASSAY_API int assay_session_copy_rate(assay_session *session, int kind, size_t bytes, unsigned times, double *rate);

/* ---- what a session is ------------------------------------------------------------------------------------------ */

/* After the start: "cuda", "NVIDIA H200", the driver with its version or "", the number of threads on the CPU. */
ASSAY_API const char *assay_session_backend(const assay_session *session);
ASSAY_API const char *assay_session_device(const assay_session *session);
ASSAY_API const char *assay_session_driver(const assay_session *session);
ASSAY_API unsigned assay_session_threads(const assay_session *session);

/* After the start: what the library was built without though the device would be faster with it, and how to get it, one
 * line; "": nothing. The scores have the same bits. */
ASSAY_API const char *assay_session_notice(const assay_session *session);

/* After a start with the backend "auto": what it chose and why, one line. Else "". */
ASSAY_API const char *assay_session_choice(const assay_session *session);

/* After the start or plan: the number of encodes. */
ASSAY_API uint32_t assay_session_encodes(const assay_session *session);

/* After the start or plan: one line with the metrics and all of their options. */
ASSAY_API const char *assay_session_configuration(const assay_session *session);

/* After the start or plan: what metrics took for granted where the format says nothing, for example of colour, and how
 * pictures of two depths or layouts are compared. A line each, "" when there is none: those of all encodes, which begin
 * with "encode K: " where they are not the same, or those of one encode; NULL behind the last one. */
ASSAY_API const char *assay_session_notes(const assay_session *session);
ASSAY_API const char *assay_session_encode_notes(const assay_session *session, uint32_t encode);

/* The passes (after the start or plan) and the memory (after the start) as text. The caller frees it with free(). NULL
 * when there is no memory for it. */
ASSAY_API char *assay_session_describe_graph(const assay_session *session);
ASSAY_API char *assay_session_describe_memory(const assay_session *session);

#ifdef __cplusplus
}
#endif
#endif
