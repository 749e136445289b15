/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay-run scores files: one encode, or several, against one reference, as the command `assay` does, with the same
 * bits. docs/run.md is its guide.
 *
 *     assay_request   what is compared with what, and how; made field by field, or parsed from JSON
 *     assay_run       carries a request out, on threads of its own; its client asks for events
 *     assay_results   what came out, by encode, key and frame; readable while the run goes on; or that of a report
 *
 * Errors, `reserved` and strings are as in assay.h. A pointer may only be NULL where that is said. The library prints
 * nothing, reads no environment and handles no signals. Runs know nothing of each other: any number may go on at once.
 */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include <assay/assay.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A run that was cancelled. A command that ends by SIGINT exits with this number. */
enum { ASSAY_ECANCELLED = -130 };

/* ---- requests --------------------------------------------------------------------------------------------------- */

/*
 * A request is a JSON object. "assay" is its version, "request/1". "reference" and each member of the list "encodes"
 * are sides: objects with fields of their own, such as "file". The other fields are of all sides. A member of an object
 * has a name with a dot: "scale.filter" is {"scale": {"filter": ...}}. A field that is missing has its default; one
 * that is not known is refused by name.
 */
typedef struct assay_request assay_request;

/* Makes an empty request, which is to be filled by assay_request_set. */
ASSAY_API int assay_request_new(assay_request **request, char *error, size_t error_size);

/* Makes a request of the JSON text of `size` bytes. On failure *request is NULL. */
ASSAY_API int assay_request_parse(assay_request **request, const char *text, size_t size, char *error,
                                  size_t error_size);

/* Frees the request and sets *request to NULL. A run that was started with it keeps what it needs. */
ASSAY_API void assay_request_close(assay_request **request);

enum { ASSAY_SIDE_ALL = -1, ASSAY_SIDE_REFERENCE = 0 }; /* encode k, from 0 on, is side k + 1 */

/* Sets a field from its text: "12", "true", "vmaf,psnr" of a list. `side` is the next encode's when there are as many
 * as `side` - 1 of them. After a failure the request is as before. */
ASSAY_API int assay_request_set(assay_request *request, int side, const char *field, const char *value, char *error,
                                size_t error_size);

/* The request as JSON, without fields that were not set. The caller frees it with free(). NULL: no memory. */
ASSAY_API char *assay_request_text(const assay_request *request);

/* A field that requests have. */
typedef struct assay_field {
    const char *name;     /* "scale.filter" */
    const char *help;     /* one line */
    const char *type;     /* "text" "integer" "list" */
    const char *words;    /* that it may be, or members of a list may be, "number, time"; NULL: any */
    const char *fallback; /* the default, in words or as its text; NULL: none */
    int of_sides;         /* 1: sides have it. 0: the request */
    uint64_t least, most; /* of an integer */
    uint32_t reserved[8];
} assay_field;

/* ASSAY_EUSAGE behind the last field. */
ASSAY_API int assay_request_field(uint32_t index, assay_field *field);

/* ---- runs ------------------------------------------------------------------------------------------------------- */

typedef struct assay_run assay_run;

/* Checks the request and starts a thread that carries it out. Fails where the request is wrong in itself; what is wrong
 * with files, metrics and devices comes as events. On failure *run is NULL. */
ASSAY_API int assay_run_start(assay_run **run, const assay_request *request, char *error, size_t error_size);

enum {
    ASSAY_EVENT_NONE = 0, /* the time is up: ask again */
    ASSAY_EVENT_OPENED,   /* an input was opened: `format`; `text` names it and its format */
    ASSAY_EVENT_STARTED,  /* encodes are being scored: `text` names the device */
    ASSAY_EVENT_NOTE,     /* `text` is a line that a user should know; `code` is a word that stays the same */
    ASSAY_EVENT_PROGRESS, /* `done` of `total` pairs, `rate` of them a second */
    ASSAY_EVENT_FRAMES,   /* the rows `first` to `end` - 1 of an encode are final */
    ASSAY_EVENT_ENDED,    /* an encode is done; `result` is 0, or why not, with `text` */
    ASSAY_EVENT_END,      /* the run is over; this is said again and again. `result`: the first failure of an encode */
};

typedef struct assay_event {
    int kind;
    uint32_t encode;      /* from 0 on; ASSAY_NONE: none, or the reference */
    const char *code;     /* of a note: "input" "decoding" "difference" "metric" "left-out" "device" "later" "ending"
                           * "timing" "borders" "pairing" "bitrate" "damage" "lost" */
    const char *text;     /* one line; NULL: none. Valid until the next call for an event of this run */
    const assay_format *format;
    int result;
    uint64_t first, end;  /* rows */
    uint64_t done, total; /* pairs; total 0: not known */
    double rate;
    uint32_t reserved[8];
} assay_event;

/* Gets the next event and returns its kind; waits for it for `milliseconds` at most. One thread at a time asks. The run
 * never waits for its client: rows and progress that were not fetched in time become one event, and beyond 1000 notes a
 * note "lost" says how many are missing. */
ASSAY_API int assay_run_next(assay_run *run, uint32_t milliseconds, assay_event *event);

/* Ends the run early. What is scored stays. Any thread may call this, and a signal handler may, too. */
ASSAY_API void assay_run_cancel(assay_run *run);

/* Cancels the run, waits for its end, frees it with its results and sets *run to NULL. */
ASSAY_API void assay_run_close(assay_run **run);

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Any thread may ask for results, from the start of the run until it is closed. Strings and rows that are handed out
 * stay as they are until then. */
typedef struct assay_results assay_results;

ASSAY_API const assay_results *assay_run_results(const assay_run *run);

ASSAY_API uint32_t assay_results_encodes(const assay_results *results);
ASSAY_API const char *assay_results_name(const assay_results *results, uint32_t encode);

/* 1: the encode is being scored, or waits. 0: it is complete. Else the failure, as ASSAY_EVENT_ENDED has it, with the
 * reason in *reason, which may be NULL. */
ASSAY_API int assay_results_state(const assay_results *results, uint32_t encode, const char **reason);

/* The scores of frames that an encode has, from its session's start on, and whether a metric was asked for them: as
 * assay_session_keys and the functions beside it. */
ASSAY_API uint32_t assay_results_keys(const assay_results *results, uint32_t encode);
ASSAY_API const char *assay_results_key(const assay_results *results, uint32_t encode, uint32_t key);
ASSAY_API int assay_results_key_direction(const assay_results *results, uint32_t encode, uint32_t key);
ASSAY_API int assay_results_key_feature(const assay_results *results, uint32_t encode, uint32_t key);
ASSAY_API uint32_t assay_results_find_key(const assay_results *results, uint32_t encode, const char *key);

/* Rows come in the order of the frames. A row has a value for each key; *frame is its frame's number, *time when that
 * is shown, in nanoseconds, INT64_MIN: not known. Both may be NULL. NULL: there is no such row yet. */
ASSAY_API uint64_t assay_results_rows(const assay_results *results, uint32_t encode);
ASSAY_API const double *assay_results_row(const assay_results *results, uint32_t encode, uint64_t row, uint64_t *frame,
                                          int64_t *time);

/* Copies the rows `first` to `end` - 1, as many as there are: the values of a key, or, of a `key` of ASSAY_NONE, none;
 * the numbers of their frames; and when those are shown. Each may be NULL. Returns how many rows there are; 0 of a key
 * that is none. */
ASSAY_API uint64_t assay_results_column(const assay_results *results, uint32_t encode, uint32_t key, uint64_t first,
                                        uint64_t end, double *values, uint64_t *frames, int64_t *times);

/* The value of a frame. ASSAY_EUSAGE: the encode has no such key, or no scores of the frame. */
ASSAY_API int assay_results_value(const assay_results *results, uint32_t encode, const char *key, uint64_t frame,
                                  double *value);

/* Pools the values of the frames with the numbers `first` to `end` - 1; pools are those of assay_session_pooled. NaN
 * when none has scores. */
ASSAY_API int assay_results_pool(const assay_results *results, uint32_t encode, const char *key, const char *pool,
                                 uint64_t first, uint64_t end, double *value);

/* An aggregate over all frames of an encode that is complete: its key, NULL behind the last one, and its value. */
ASSAY_API const char *assay_results_aggregate(const assay_results *results, uint32_t encode, uint32_t index,
                                              double *value);

/* What a report says of how an encode was scored, "reference_file" for example; NULL: nothing, or it is not known
 * yet. */
ASSAY_API const char *assay_results_fact(const assay_results *results, uint32_t encode, const char *name);

/* Writes a report to a file: "json" "csv" "html" "svg", and of one encode "xml" and "sub" (docs/output.md). `encode`
 * ASSAY_NONE: of all encodes. Behind the end of the encode. `decimals` is 0 to 17, or -1 for the shortest that reads
 * back exactly. A path of an input of the run is refused; any other file is overwritten. */
ASSAY_API int assay_results_write(const assay_results *results, uint32_t encode, const char *form, int decimals,
                                  const char *path, char *error, size_t error_size);

/* ---- results that are kept -------------------------------------------------------------------------------------- */

/* Reads the results of a JSON report: of one encode or of several, of a part of a run (--shard), or of libvmaf. They
 * are those of a run that is over. Values are what the report states; where they are rounded (--precision max writes
 * exact ones), no JSON can be written of them. On failure *results is NULL. */
ASSAY_API int assay_results_read(assay_results **results, const char *path, char *error, size_t error_size);

/* Makes the results of a whole run of those of its parts, in any order. They are those of one run over everything, bit
 * for bit. ASSAY_EINPUT: results that are of no part; ASSAY_EMISMATCH: a gap, an overlap, or parts of different runs.
 * Where the end of the inputs is in no part, they are incomplete. */
ASSAY_API int assay_results_merge(assay_results **results, const assay_results *const *parts, uint32_t count,
                                  char *error, size_t error_size);

/* Frees results that were read or merged, and sets *results to NULL. Those of a run are the run's. */
ASSAY_API void assay_results_free(assay_results **results);

/* A score of two encodes: a key of frames, or a figure of the whole run, whose value counts as one of frame 0. */
typedef struct assay_comparison {
    const char *score;
    int in[2];             /* whether each of them has it */
    int equal;             /* whether both have it, of the same frames and with the same bits; of a report with rounded
                            * values, by the digests of the exact ones that it states */
    uint64_t common;       /* frames that both have ... */
    uint64_t differ;       /* ... and those of them with different values */
    uint64_t first;        /* the first of these, else of those, and its values */
    double value[2];
    double largest;        /* the largest difference */
    uint32_t reserved[8];
} assay_comparison;

/* Compares score number `index`, from 0, of those that one of two encodes has at least. ASSAY_EUSAGE: there is no such
 * encode, or no further score. */
ASSAY_API int assay_results_compare(const assay_results *a, uint32_t encode_a, const assay_results *b,
                                    uint32_t encode_b, uint32_t index, assay_comparison *comparison);

/* ---- rates ------------------------------------------------------------------------------------------------------ */

/* A point of a rate-distortion curve: an encode with its rate in kbit/s; 0: the one that its results state. */
typedef struct assay_rate_point {
    const assay_results *results;
    uint32_t encode;
    double kbps;
    uint32_t reserved[4];
} assay_rate_point;

/* Bjontegaard's deltas (docs/bdrate.md) of a test to an anchor. */
typedef struct assay_bdrate {
    double rate;           /* by how many per cent the rates of the test differ at equal figures; less than 0: it needs
                            * less */
    double figure;         /* by how much its figures differ at equal rates; NaN where the rates do not overlap */
    double figures[2], figures_share; /* where both curves are, and which part that is of where one of them is */
    double rates[2], rates_share;
    int cross;             /* at some figures the test needs less, at others more */
    uint32_t reserved[8];
} assay_bdrate;

/* Compares two curves of at least 4 points each by `figure`, "vmaf" or "vmaf.p5", with a `method` of "pchip" "akima"
 * "aom" "cubic". ASSAY_EUSAGE: too few points, one without the figure or without a rate; ASSAY_EMISMATCH: points that
 * are not of one reference, size and list of frames, or curves that can't be compared. */
ASSAY_API int assay_results_bdrate(const assay_rate_point *anchor, uint32_t anchors, const assay_rate_point *test,
                                   uint32_t tests, const char *figure, const char *method, assay_bdrate *bdrate,
                                   char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
