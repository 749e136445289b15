/* SPDX-License-Identifier: BSD-2-Clause */
/* What came out of a run beside its table of scores (host/scores.h): what describes it, its figures, gates on them. */
#ifndef ASSAY_RESULTS_RESULTS_H
#define ASSAY_RESULTS_RESULTS_H

#include "host/int128.h"
#include "host/numbers.h"
#include "host/scores.h"

/* A name and a value that describe the run: "backend", "reference_decoder". With `number`, the value is a JSON
 * number, true, false or null; without, it is printed as a string. An `incidental` field (threads, device) can't
 * change a score: parts of a run may differ in it. The block itself has version, width, height, frames, incomplete,
 * reason, bits, gates and percentiles. */
struct report_field {
    const char *name;
    const char *value;
    bool number;
    bool incidental;
};

struct gate;

/* The fields with the rate of the encode that was scored, in kbit/s, or null, and with what has that rate: "video
 * track", "file" where it is not coded, or "image", which has none. */
#define REPORT_BITRATE "distorted_bitrate_kbps"
#define REPORT_BITRATE_OF "distorted_bitrate_of"
#define REPORT_OF_IMAGE "image"
/* The field with the frame of the reference, from 0, that has number 0 in the report. */
#define REPORT_FIRST_REFERENCE "first_reference_frame"
#define REPORT_FIRST_DISTORTED "first_distorted_frame"

struct report_aggregate {
    const char *key;
    double value;
};

/* A picture as an image file's bytes. `size` 0: there is none. */
struct report_picture {
    const void *data;
    size_t size;
    const char *type; /* "image/webp" */
    uint32_t width, height;
};

/* One of the worst frames of a run: its row and the score that chose it, and small pictures of its reference, of its
 * distorted side, and of the map of a metric, "max_diff per pixel". */
struct report_worst {
    uint64_t row;
    uint32_t key;
    struct report_picture picture[3];
    char map[128];
};

/* The sum of the 80-bit limbs of 2^32 pixels fits. */
typedef assay_i128 exact_total;

struct report_total {
    const char *name;
    exact_total value;
};

/* What the report of a part of a run says besides: where it belongs, and the totals of which a metric computes its
 * aggregates. Its figures are exact: written with REPORT_HEX. */
struct report_part {
    uint64_t first, count; /* it has the pairs [first, first + count) of the whole run */
    uint64_t every;        /* pairs whose number is a multiple of this have scores, one row each */
    uint64_t total;        /* pairs in the whole run; 0: this part has not seen the end of the inputs */
    uint32_t totals;
    const struct report_total *exact;
};

struct report_run {
    const char *version;            /* of assay */
    const char *libvmaf;            /* not NULL: the version that the head states, of a report that has nothing in it
                                     * but what libvmaf's has, up to assay's block: no times, and always a rate */
    bool bare;                      /* there is no block of assay's, either */
    const double *pooled;           /* of each key min, max, mean and harmonic mean, scores_no_value() where there is
                                     * none. NULL: those of all rows */
    const char *compared;           /* shown to the user, "a.mkv against b.mkv"; may be NULL */
    uint32_t width, height;
    uint32_t fields;
    const struct report_field *field;
    uint32_t aggregates;            /* known at the end */
    const struct report_aggregate *aggregate;
    double fps;                     /* 0: not stated (--reproducible, merged reports). Negative in reporter_open: known
                                     * at the end, and then stated if the report is a regular file */
    const uint32_t *metric;         /* each key's metric in its session: the table sets metrics apart. Or NULL */
    const bool *hidden;             /* of each key, whether the table leaves it out. Or NULL */
    uint32_t gates;                 /* known at the end */
    const struct gate *gate;
    uint32_t worsts;                /* known at the end: the worst frames, the worst first */
    const struct report_worst *worst;
    const char *pictures;           /* of the worst frames: how they were made, or why there are none. Or NULL */
    const struct report_part *part; /* of a part of a run, in JSON. Or NULL */
    bool incomplete;                /* frames are missing; `reason` says why in one line */
    const char *reason;
};

/* The value of a field; NULL: the run has no such field. */
const char *report_run_field(const struct report_run *run, const char *name);

/* A figure of the whole run by its key; NULL: the run has no such figure. */
const struct report_aggregate *report_run_aggregate(const struct report_run *run, const char *key);

/* True for a key that every report can hold: a letter or _, then letters, digits, _ . and -. */
bool report_key_valid(const char *key);

/* Whether a key is the position of a pixel. A position has no mean, so it has no row in a table of several frames, and
 * no plot. */
bool report_key_is_place(const char *key);

/* Sets the rate of a coded video, in kbit/s. False where none is known. Files that are not coded have one that says
 * nothing of an encode. */
bool report_bitrate(const struct report_run *run, double *kbps);

/* Decimals: the shortest decimal that reads back exactly. In JSON alone: exact figures in the form of C's %a, as texts,
 * so that what is no number (an infinity) is there, too; times then are texts as well. */
enum { REPORT_SHORTEST = -1, REPORT_HEX = -3 };

/* The names of the pools in reports, which pool_parse takes: those of libvmaf, and assay's own. */
enum { REPORT_COMMON_POOLS = 4, REPORT_EXTRA_POOLS = 9 };
extern const char *const report_common_pools[REPORT_COMMON_POOLS], *const report_extra_pools[REPORT_EXTRA_POOLS];

/* A gate, "key.pool=value" or "key=value" (the mean, or the one figure of an aggregate). */
struct gate {
    char key[128];
    enum pool pool;
    double percent;
    double limit;
    bool over;       /* fails above the limit instead of below */
    bool of_pixels;  /* the limit ended in "%": it is in percent of a picture's pixels */
    bool any_way;    /* it may be against the score's direction */
    bool pool_named; /* the text named the pool, as `pool_name` */
    char pool_name[32];
};
int gate_parse(struct gate *g, const char *text, bool over, struct assay_error *e);
/* The part before "=" alone, "key.pool" or "key", of `length` bytes: a figure of a run. `option` is for messages. */
int gate_figure(struct gate *g, const char *option, const char *text, size_t length, struct assay_error *e);
/* The names that gates may be on, `keys` scores of frames and behind them figures of the whole run, each with its
 * direction of assay.h. A list of directions that is NULL: none is known. */
struct gate_names {
    uint32_t names, keys;
    const char **name;
    signed char *direction;
};
/* The place of a name; names->names: it is none of them. */
uint32_t gate_names_find(const struct gate_names *names, const char *name);
/* Refuses a gate whose key is none of the names, and one against a direction: it would pass what is worse. Called
 * before the first frame. */
int gate_validate(const struct gate *g, const struct gate_names *names, struct assay_error *e);
/* The second half of it, for a score of a known direction. */
int gate_check_direction(const struct gate *g, int direction, struct assay_error *e);
bool gate_passes(const struct gate *g, double v); /* a NaN never does */
/* What became of a gate. ABSENT: the run has no such score, as an encode of a ladder may lack one that others have.
 * UNCHECKED: frames are missing. */
struct gate_result {
    enum { GATE_PASSED, GATE_FAILED, GATE_ABSENT, GATE_UNCHECKED } verdict;
    double value;     /* the figure that it is on; NaN: not known */
    const char *pool; /* its name; NULL: of an aggregate, which has no pools */
    const char *why;  /* ABSENT or UNCHECKED, in words; else NULL */
    uint64_t frame;   /* of the value, */
    bool at_frame;    /* where it is that of one frame */
};
/* Prints a line: a value with six decimals, or with all digits where six would make it look equal to its limit, and the
 * limit with all digits. `where` comes before the gate's name. */
void gate_print(void *out /* FILE* */, const struct gate *g, const char *where, const struct gate_result *r);
struct stored;
struct gate_result gate_judge(const struct gate *g, const struct stored *x);
/* Prints a line with each gate and its value; `where` comes before its name. Returns how many did not pass, or a
 * negative code. A gate may be on an aggregate (apsnr_y), then without a pool. NaN fails; +inf passes a lower limit. */
int gates_check(const char *where, const struct gate *g, uint32_t gates, const struct stored *x,
                void *stream /* FILE* */, struct assay_error *e);

/* Results of an encode: those of a run, of a report, or those that parts of a run make together. They own what they
 * point to, but for `path`. Of a run, keys and rows are its session's, and gates are the caller's. */
struct stored {
    const char *path;        /* for messages */
    const char *name;        /* what reports on several encodes call it: its file, without folder and ending */
    const char *file;        /* as the user named it */
    const char *label;       /* what tables, gates and CSV call it: its file, or a name that was given */
    uint32_t width, height;  /* of the file's pictures; 0: not known */
    const char *failed;      /* why it failed, in one line; NULL: it did not */
    int exit_code;           /* of a run that scores the encode alone */
    struct report_run run;   /* without `part`. `version` is NULL where none is stated */
    struct scores scores;    /* without directions. `key` NULL: nothing was scored */
    struct report_part part; /* `every` 0: of a whole run */
    const uint64_t *bits;    /* the digest of the exact values of each key, then of each aggregate, as a report states
                              * it. NULL: it does not, or values are exact */
    struct report_field *field; /* run.field, where stored_field adds to it */
    bool rounded;            /* of a report whose values are not the exact ones, or that does not say */
    struct stored_memory *memory;
    bool lost;               /* there was not enough of it */
};

/* Fails where there was no memory for something of the results. Whoever fills them asks once, at the end. */
int stored_lost(const struct stored *s, const char *what, struct assay_error *e);

/* Zeroed memory that lives as long as the results. NULL: there is none. */
void *stored_alloc(struct stored *s, size_t count, size_t size);
/* Without memory a copy is empty. That of NULL is NULL, and no failure. */
char *stored_copy(struct stored *s, const char *text);

/* Adds a field, one of REPORT_FIELDS at most, with copies of its texts. */
enum { REPORT_FIELDS = 256 };
void stored_field(struct stored *s, struct report_field f);

/* Names the encode and its file, with copies; for a name of NULL, after the file. Takes the size of its pictures from
 * the fields, if they state it. */
void stored_name(struct stored *s, const char *name, const char *file);

/* The scores of an encode: those of frames, then figures of the whole run. stored_find: false where there is none with
 * this name. */
uint32_t stored_scores(const struct stored *s);
const char *stored_score(const struct stored *s, uint32_t i);
bool stored_find(const struct stored *s, const char *name, uint32_t *i);
/* The digest of the values of one of them. `instead` takes the place of NaN. */
uint64_t stored_digest(const struct stored *s, uint32_t i, double instead);
/* Common pool number `pool` of a key: that of the rows, or what the run states. */
double stored_pooled(const struct stored *s, uint32_t key, unsigned pool);

/* Makes the sentence that says which files were compared, where fields name them. */
void stored_compared(struct stored *s);

/* Leaves it empty. */
void stored_free(struct stored *s);

#endif
