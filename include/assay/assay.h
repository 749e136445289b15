/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay: how far is a distorted picture from its reference?
 *
 * A score is a pure function of the pixels and the options: it has the same bits at every instruction
 * set, on every device, for every number of threads. See docs/numerics.md.
 *
 * Use: make a session, add metrics, submit frame pairs in order, flush, read the scores.
 *
 * Conventions of every function here
 * - The result is 0 (ASSAY_OK) or a negative ASSAY_E* code; after a failure assay_session_error() (or the
 *   buffer that the function takes) holds one line that names the reason.
 * - Zero in a configuration field means "default". Strings are UTF-8 and belong to the library unless said.
 * - A session may be used by one thread at a time; different sessions may run in different threads at once.
 */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_API __attribute__((visibility("default")))
#else
#define ASSAY_API
#endif

/* Results. The `assay` command exits with the same number without its sign. */
enum {
    ASSAY_OK = 0,
    ASSAY_EUSAGE = -2,    /* wrong argument, unknown metric or option, a metric that this pair does not allow */
    ASSAY_EINPUT = -3,    /* a file or a frame that can't be read, or is not what its header says */
    ASSAY_EDEVICE = -4,   /* a named backend or device that can't run */
    ASSAY_EMISMATCH = -5, /* the inputs do not match in length or kind */
    ASSAY_EINTERNAL = -6, /* out of memory, an output that can't be written, or our own fault */
};

/* How samples are arranged. Planes are in the order Y, Cb, Cr or R, G, B; subsampled planes round up. */
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
 * What a stream of pictures is. width and height are those of plane 0, 1 to 65535. bit_depth is 8 to 16; samples of 8
 * bit are uint8_t, deeper ones uint16_t in native byte order with the value in the low bits. matrix, transfer and
 * primaries are ITU-T H.273 code points (2: unspecified; 0 is taken as 2 except that a matrix of 0 is "identity" when
 * layout is RGB). A rate or ratio of 0/0 is unknown. alpha not 0: plane 3 is alpha, of plane 0's size and depth,
 * straight (not premultiplied), opaque where every bit is set. gamma not 0, with a transfer that is none of H.273's
 * (255): light is the code value to the power 100000 / gamma, as in PNG's gAMA.
 */
typedef struct assay_format {
    uint32_t width, height;
    uint32_t bit_depth;
    assay_layout layout;
    assay_range range;
    uint32_t matrix, transfer, primaries;
    assay_chroma_location chroma_location;
    assay_field_order field_order;
    uint32_t rate_num, rate_den; /* frames per second */
    uint32_t sar_num, sar_den;   /* sample aspect ratio */
    uint32_t alpha;              /* 0 or 1 */
    uint32_t gamma;              /* 0, or 12500 to 1000000 */
    uint32_t reserved[6];        /* 0 */
} assay_format;

/* Planes of a layout (1 or 3, without alpha), and the size of one of them: 0 of a plane that there is not. */
ASSAY_API uint32_t assay_format_planes(const assay_format *format);
ASSAY_API uint32_t assay_format_plane_width(const assay_format *format, uint32_t plane);
ASSAY_API uint32_t assay_format_plane_height(const assay_format *format, uint32_t plane);

/* ---- library ------------------------------------------------------------------------------------------------ */

ASSAY_API const char *assay_version(void); /* "0.1.0" */

/* ---- metrics -------------------------------------------------------------------------------------------------- */

/* Metrics are numbered from 0 in the order of `assay --list-metrics`. Name and one line that says what it measures;
 * NULL past the last one. */
ASSAY_API const char *assay_metric_name(uint32_t metric);
ASSAY_API const char *assay_metric_summary(uint32_t metric);

/* Keys that a metric may write, "psnr_y psnr_cb psnr_cr", and when it does, in words. */
typedef struct assay_output {
    const char *keys, *when;
} assay_output;

/* An option. `fallback`, the default, is text that assay_session_add_metric takes. */
typedef struct assay_option {
    const char *name, *alias, *help; /* alias: a short name that is taken as well, or NULL */
    const char *type;                /* "bool" "int" "double" "choice" */
    char fallback[40];
    double least, most;              /* of int and double; 0 and 1 of bool */
    const char *choices[32];         /* names, NULL behind the last one; none unless it is a choice */
} assay_option;

/* The outputs and the options of a metric, each numbered from 0: ASSAY_EUSAGE past the last one. */
ASSAY_API int assay_metric_output(uint32_t metric, uint32_t index, assay_output *output);
ASSAY_API int assay_metric_option(uint32_t metric, uint32_t index, assay_option *option);

/* ---- devices -------------------------------------------------------------------------------------------------- */

enum {
    ASSAY_SELF_TEST_FAILED = -1, /* the device is refused */
    ASSAY_SELF_TEST_NOT_RUN = 0, /* it runs at first use */
    ASSAY_SELF_TEST_PASSED = 1,  /* everything that was tested so far; `assay doctor` tests all of it */
};

/* The strings live for the call that shows them. */
typedef struct assay_device {
    const char *backend;  /* as in assay_config.backend */
    const char *missing;  /* NULL, or why this backend has no device here; the fields below are empty then */
    unsigned number;      /* as in assay_config.device */
    const char *name, *driver;
    uint64_t memory;      /* bytes; 0: unknown */
    int software;         /* runs on the CPU: used only when it is named */
    int usable;           /* 0: lacks something that every kernel needs */
    int self_test;        /* ASSAY_SELF_TEST_* */
    unsigned kernels_passed, kernels; /* how many of the library's kernels passed so far */
    uint32_t reserved[8];
} assay_device;

typedef void assay_device_callback(void *opaque, const assay_device *device);

/* Shows every device of a backend, or of all when `backend` is NULL, and the backends that have none. On failure
 * `error` (of `error_size` bytes, may be NULL) holds the reason. */
ASSAY_API int assay_list_devices(const char *backend, assay_device_callback *show, void *opaque, char *error,
                                 size_t error_size);

/* What `device`, as in assay_config, names of a backend: how many devices, and the number of the first one.
 * NULL names one, number 0. ASSAY_EDEVICE when there is no such device. For who prepares pictures on the
 * device that will score them. */
ASSAY_API int assay_find_device(const char *backend, const char *device, unsigned *count, unsigned *first, char *error,
                                size_t error_size);

/* ---- session -------------------------------------------------------------------------------------------------- */

typedef struct assay_session assay_session;

/* How a session computes. None of these fields but rgb_matrix and rgb_range can change a score. The strings are
 * borrowed until assay_session_start has returned. */
typedef struct assay_config {
    const char *backend;   /* "cpu", ...; NULL: "cpu"; "auto": a GPU when it is expected to be faster, else the CPU */
    const char *device;    /* number or name within the backend; NULL: the first */
    const char *cpu_level; /* "scalar" "sse4" "avx2" "avx512" "neon"; NULL: the best one */
    unsigned threads;      /* 0: every CPU that this process may use */
    /* 0: what suits the device; 1 to 256. Metrics that look at earlier frames keep those in memory beside them */
    uint32_t frames_in_flight;
    uint32_t tile_width, tile_height; /* 0: the schedule's own; smaller tiles for tests */
    const char *rgb_matrix; /* "bt709" or "bt601": metrics of luma may score RGB through the integer conversion of
                               docs/metrics/README.md; NULL: they refuse it */
    assay_range rgb_range;  /* range of that luma; 0: full */
    /* not 0: intermediate planes survive the frame, for assay_session_read_plane (more memory) */
    uint32_t keep_planes;
    /* rows that the CPU takes through all passes at once; 0: what suits the size; others for tests */
    uint32_t band_height;
    /* pairs that are filled at once, beside those in flight (assay_session_take, assay_session_read); 0: 1 */
    uint32_t frames_ahead;
    /* where frames_in_flight is 0: at least so many pairs have memory in the session at once; 0:
     * what the above ask for */
    uint32_t least_frames;
    uint32_t gpu_sides; /* whose pictures assay_session_fill_gpu brings (assay/gpu.h): 1 the reference's, 2 the
                           distorted one's, added; with a backend that has them in its memory: "cuda", one device */
    uint32_t reserved[4];
} assay_config;

/* A picture of the session's format. Strides are in bytes, at least the row's. Without `release` the samples are copied
 * before submit returns; with it they are used in place and release(opaque) is called, on a thread of the session, when
 * they are no longer needed: once for every picture of a submit that succeeded, also when the session fails or is
 * closed early. When submit fails, the pictures stay the caller's and nothing is released. A metric that compares a
 * frame with earlier ones (motion: the reference with the one or two before) holds those until the later frame is
 * scored, or the sequence is ended. */
typedef struct assay_picture {
    const void *plane[4]; /* those of the layout; [3] is alpha, only read when the format has it */
    ptrdiff_t stride[4];
    void (*release)(void *opaque);
    void *opaque;
} assay_picture;

/* Memory of the session for one picture, to be filled in place. */
typedef struct assay_buffer {
    void *plane[4]; /* as in assay_picture */
    ptrdiff_t stride[4];
    uint32_t slot;  /* which memory of the session this is, from 0; the same numbers come again */
} assay_buffer;

/* Scores of one frame, in the order of assay_session_key. Called in frame order from a thread of the session,
 * as soon as the frame and those behind it that a metric looks at are computed (assay_session_reach), the last
 * ones during flush; `values` lives for the call. A result other than 0 stops the session. Must not call
 * functions of the same session. */
typedef int (*assay_frame_callback)(void *opaque, uint64_t frame, const double *values);

/* On failure *session is NULL and `error` (of `error_size` bytes, may be NULL) holds the reason. `config` may be
 * NULL. */
ASSAY_API int assay_session_new(assay_session **session, const assay_config *config, char *error, size_t error_size);

/* Waits for frames in flight, releases everything and sets *session to NULL. */
ASSAY_API void assay_session_close(assay_session **session);

/* Why the last call on this session failed: one line, "" when nothing did. */
ASSAY_API const char *assay_session_error(const assay_session *session);

/* "psnr", "float_ssim=enable_db=true:scale=1". Before start. */
ASSAY_API int assay_session_add_metric(assay_session *session, const char *metric);

/* Whether a metric, named with its options as above, can score pictures of this format: ASSAY_OK, or ASSAY_EUSAGE and
 * the reason in `error`. Of `config` (may be NULL) rgb_matrix and rgb_range count. */
ASSAY_API int assay_metric_allows(const char *metric, const assay_config *config, const assay_format *format,
                                  char *error, size_t error_size);

/* Adds every metric that pictures of this format allow and that was not added before; `left_out`, when not NULL, is
 * called for each one that they don't allow. */
ASSAY_API int assay_session_add_all(assay_session *session, const assay_format *format,
                                    void (*left_out)(void *opaque, const char *metric, const char *reason),
                                    void *opaque);

/* Frames are delivered through `callback` instead of assay_session_poll. Before start. */
ASSAY_API int assay_session_set_callback(assay_session *session, assay_frame_callback callback, void *opaque);

/* Fixes the format of all pictures (that of the reference and the distorted one), checks every metric against it, plans
 * and allocates all memory. ASSAY_EUSAGE when a metric can't score such pictures. A session is started once: one whose
 * start failed, here or in assay/gpu.h, is closed. */
ASSAY_API int assay_session_start(assay_session *session, const assay_format *format);

/* In the place of start: everything that is known without a device and without frames. Keys, totals, configuration,
 * notes, planes and the pass graph can be asked for; assay_session_add_totals puts parts of a video together. Such a
 * session is never started. */
ASSAY_API int assay_session_plan(assay_session *session, const assay_format *format);

/* Keys of the values per frame and of the aggregates over the sequence; valid after start or plan, until close. A key's
 * metric is the number of the metric that writes it, counted from 0 in the order in which metrics were added. */
ASSAY_API uint32_t assay_session_keys(const assay_session *session);
ASSAY_API const char *assay_session_key(const assay_session *session, uint32_t index);
ASSAY_API uint32_t assay_session_key_metric(const assay_session *session, uint32_t index);
ASSAY_API uint32_t assay_session_aggregates(const assay_session *session);
ASSAY_API const char *assay_session_aggregate_key(const assay_session *session, uint32_t index);

/* Submits a pair. `frame` is the number that the scores carry: larger than the one before. Blocks while too many frames
 * are in flight. To metrics that look at other frames, pairs follow each other in the order in which they are
 * submitted, whatever their numbers. */
ASSAY_API int assay_session_submit(assay_session *session, uint64_t frame, const assay_picture *reference,
                                   const assay_picture *distorted);

/* How many pairs before and after one the metrics of the session look at; 0 and 0 when none looks at any. After
 * start. */
ASSAY_API int assay_session_reach(assay_session *session, uint32_t *before, uint32_t *after);

/* Submits a pair that is there for the ones beside it and has no scores of its own. Who scores a part of a video, or
 * every n-th frame, has the scores of the whole when each scored pair has the pairs within reach beside it, as far as
 * the video has them. */
ASSAY_API int assay_session_submit_neighbour(assay_session *session, uint64_t frame, const assay_picture *reference,
                                             const assay_picture *distorted);

/* The same without a copy: take the session's own buffers (blocks while too many frames are in flight), fill them,
 * commit them. Several pairs may be taken before the first is committed, up to frames_in_flight, or frames_ahead, and
 * filled by several threads; commit is of the pair that was taken first. With ASSAY_UNUSED, or when it fails, that pair
 * goes back unscored and with it all that were taken after it. */
enum {
    ASSAY_UNUSED = 0,
    ASSAY_SCORED = 1,
    ASSAY_NEIGHBOUR = 2, /* as assay_session_submit_neighbour */
};
ASSAY_API int assay_session_take(assay_session *session, assay_buffer *reference, assay_buffer *distorted);
ASSAY_API int assay_session_commit(assay_session *session, uint64_t frame, int use);

/* Two streams of pictures, for assay_session_read. `side` is 0 for the reference and 1 for the distorted one. Pairs
 * have numbers, which are those of the frames. find and read return 1; 0 when the side has ended before this pair; or a
 * negative code and the reason in `error`. */
typedef struct assay_reader {
    /* Finds the next picture of a side; `used` 0: passes over it. *place is handed to read: where a file has the
     * picture, for example. Called in the order of the pairs, by one thread at a time. NULL: read finds them. */
    int (*find)(void *opaque, unsigned side, uint64_t pair, int used, uint64_t *place, char *error, size_t error_size);
    /* Reads the picture into `to`. Several threads may read pictures of one side at once, and end in any order. Without
     * find: one thread per side reads in the order of the pairs, and passes over the picture where `to` is NULL. */
    int (*read)(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                size_t error_size);
    /* What becomes of a pair: ASSAY_SCORED, ASSAY_NEIGHBOUR, or ASSAY_UNUSED: it is passed over. Called by several
     * threads, and answers the same each time. NULL: every pair is scored. */
    int (*use)(void *opaque, uint64_t pair);
    /* Called after each pair by the thread that called assay_session_read; may call functions of the session. What is
     * not 0 ends the reading and is its result. NULL: nothing is called. */
    int (*submitted)(void *opaque, uint64_t pair, int use);
    /* Called when no more pictures are needed: a find or read that waits for data shall return. NULL: none waits. */
    void (*abandon)(void *opaque);
    void *opaque;
    uint32_t threads[2]; /* that read a side, when there is a find: at most 16; 0: 1 */
} assay_reader;

typedef struct assay_read_end {
    uint64_t pairs; /* that were read, unused ones too */
    int ended[2];   /* whether a side had no picture behind those */
} assay_read_end;

/* Reads pairs from `first` on, until a side ends or `end` is the next one, and submits them. Each side is read by
 * threads of its own, as far ahead of the scores as frames_ahead says: 3 hides most of the time of one thread, with
 * more it is their number and 1. Returns when all is submitted; assay_session_flush ends the sequence. */
ASSAY_API int assay_session_read(assay_session *session, const assay_reader *reader, uint64_t first, uint64_t end,
                                 assay_read_end *result);

/* Waits until every submitted frame is computed. The sequence goes on: frames whose scores depend on
 * later ones are not scored yet. */
ASSAY_API int assay_session_wait(assay_session *session);

/* Waits until every submitted frame is scored. To metrics that look at other frames, the sequence ends here: its last
 * frames are scored as the last of a video. More frames may follow; they begin another sequence. */
ASSAY_API int assay_session_flush(assay_session *session);

/* The next frame's scores in order: 1 and the frame in *frame and `values` (assay_session_keys doubles); 0 when none is
 * ready; negative after a failure. */
ASSAY_API int assay_session_poll(assay_session *session, uint64_t *frame, double *values);

/* A figure over all frames scored so far, after flush: key "psnr_y", pool "mean" "harmonic_mean" "min" "max" "stddev"
 * "median" "perc5" ... NaN when there are none. */
ASSAY_API int assay_session_pooled(assay_session *session, const char *key, const char *pool, double *value);

/* An aggregate over all frames submitted so far (apsnr_y); waits for them. NaN when there are none. */
ASSAY_API int assay_session_aggregate(assay_session *session, uint32_t index, double *value);

/* Totals: exact integers of 128 bits, summed over the scored frames, of which aggregates are made. Totals of parts of a
 * video add up to the totals of the whole, bit for bit and in any order. A name is "psnr.sse_y"; it lives until close.
 * assay_session_total waits for the submitted frames. */
typedef struct assay_total {
    uint64_t low; /* in two's complement: bits 0 to 63 ... */
    int64_t high; /* ... and 64 to 127 */
} assay_total;
ASSAY_API uint32_t assay_session_totals(const assay_session *session);
ASSAY_API const char *assay_session_total_name(const assay_session *session, uint32_t index);
ASSAY_API int assay_session_total(assay_session *session, uint32_t index, assay_total *total);

/* Adds what another session with the same metrics and format has of `frames` scored frames: all of its
 * totals, in order. assay_session_aggregate is of all together. ASSAY_EUSAGE, with nothing added, when a
 * sum has more than 128 bits. */
ASSAY_API int assay_session_add_totals(assay_session *session, uint64_t frames, const assay_total *totals);

/* Intermediate planes, to look at what a metric saw: which there are, in the order in which
 * assay_session_describe_graph names them; valid after start or plan. */
typedef struct assay_plane {
    const char *type;                    /* "u8" "u16" "u32" "i32" or "f32" */
    uint32_t width, height, sample_size; /* sample_size in bytes */
    char pass[64];                       /* the pass that writes it, as assay_session_describe_graph names it */
    uint32_t pass_number, output;        /* the pass's number, and the plane's among those that it writes, from 0 */
    uint32_t view;                       /* not 0: that output once more, its bytes read as samples of this type */
    /* NULL, or what a metric calls it: a map of where the pictures differ. Larger is worse, 0 is equal */
    const char *map;
} assay_plane;
ASSAY_API uint32_t assay_session_planes(const assay_session *session);
ASSAY_API int assay_session_plane(assay_session *session, uint32_t index, assay_plane *plane);

/* Copies one as the frame that was submitted last left it; waits for that frame. Only with keep_planes. */
ASSAY_API int assay_session_read_plane(assay_session *session, uint32_t index, void *to, size_t stride);

/* ---- measuring ------------------------------------------------------------------------------------------------ */

/* When the parts of a frame ran: begin and end, in nanoseconds of the device's clock, which starts anywhere. 0 and 0:
 * the device has no clock for it, or there was no such part. */
typedef struct assay_frame_times {
    uint64_t upload[2], passes[2]; /* passes: with clearing before them and reading the results after them */
    uint64_t submit;               /* nanoseconds that a processor took to hand the frame over */
    uint32_t device;               /* which of assay_work.devices; each has a clock of its own */
    uint32_t reserved[3];
} assay_frame_times;
typedef void assay_times_callback(void *opaque, uint64_t frame, const assay_frame_times *times);

/* Frames that are submitted from now on are timed, which may make them slower: `callback` is called for each one, in
 * the thread that delivers its scores and before them. NULL: no more. Waits for the frames in flight. After start. */
ASSAY_API int assay_session_set_times(assay_session *session, assay_times_callback *callback, void *opaque);

typedef struct assay_work {
    /* pairs that have memory in the session: assay_session_take hands out one after the other, again and again */
    uint32_t frames;
    uint32_t in_flight;    /* pairs that are on the devices at once, at most */
    uint32_t devices;      /* that take turns */
    uint32_t passes;       /* of the pass graph */
    uint64_t upload_bytes; /* per pair: of the planes that the passes read and the device does not have */
    uint64_t pass_bytes;   /* per pair: that passes read and write, a plane once for each pass */
    uint64_t dispatches;   /* passes that ran since the start */
    /* what was handed to a device at once since the start: a queue submission, a graph, a flush */
    uint64_t submissions;
    uint64_t reserved[4];
} assay_work;
/* What the session does per pair, and has done so far: waits for the frames in flight. After start. */
ASSAY_API int assay_session_work(assay_session *session, assay_work *work);

/* How fast `bytes` are copied `times` times over, with nothing else on the device: bytes per second, of several devices
 * all together, or 0 where that is not measured. Waits for the frames in flight. After start. */
enum {
    ASSAY_COPY_UPLOAD = 0, /* from the session's memory for pictures to the device */
    ASSAY_COPY_DEVICE = 1, /* within the device's memory; each byte counts once */
};
ASSAY_API int assay_session_copy_rate(assay_session *session, int kind, size_t bytes, unsigned times, double *rate);

/* ---- what runs -------------------------------------------------------------------------------------------------- */

/* What runs: "cpu", "CPU (AVX-512)", driver or "". Valid after start. */
ASSAY_API const char *assay_session_backend(const assay_session *session);
ASSAY_API const char *assay_session_device(const assay_session *session);
ASSAY_API const char *assay_session_driver(const assay_session *session);
ASSAY_API unsigned assay_session_threads(const assay_session *session);

/* With backend "auto": what was chosen and why, one line; else "". Valid after start. */
ASSAY_API const char *assay_session_choice(const assay_session *session);

/* The full configuration that decides the scores as one line: metrics with every option. Valid after start. */
ASSAY_API const char *assay_session_configuration(const assay_session *session);

/* What metrics took for granted where the format doesn't say (colour of untagged video), a line each; ""
 * when nothing. After start. */
ASSAY_API const char *assay_session_notes(const assay_session *session);

/* The pass graph (after start or plan) and the memory plan (after start) as text; the caller frees it with free(). NULL
 * when out of memory. */
ASSAY_API char *assay_session_describe_graph(const assay_session *session);
ASSAY_API char *assay_session_describe_memory(const assay_session *session);
#ifdef __cplusplus
}
#endif
#endif
