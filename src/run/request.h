/* SPDX-License-Identifier: BSD-2-Clause */
/* A request: what is compared with what, and how. Who asks, and what becomes of the scores, is no part of it. */
#ifndef ASSAY_RUN_REQUEST_H
#define ASSAY_RUN_REQUEST_H

#include <assay/assay.h>
#include <stdbool.h>

#include "input/input.h"
#include "input/stream.h"

enum { REQUEST_METRICS = 64 };

/* Differences between the inputs that are refused unless allowed by name. */
enum allow { ALLOW_SIZE, ALLOW_LENGTH, ALLOW_RATE, ALLOW_RANGE, ALLOW_DEPTH, ALLOW_FORMAT, ALLOW_SAR, ALLOW_FIELD_ORDER,
             ALLOW_ROTATION, ALLOW_COLOUR, ALLOW_UNPAIRED, ALLOW_ALPHA, ALLOW_DAMAGE, ALLOW_PLAYLIST, ALLOWS };
extern const char *const allow_name[ALLOWS]; /* "size": the flag is --allow-size */

enum pairing_by { PAIR_NUMBER, PAIR_TIME };

/* --align auto. What was found is set before the first pair is scored, with `skip`. */
struct request_align {
    const char *wish;  /* "auto"; NULL: not asked for */
    bool applied;
    int64_t offset;    /* distorted frame n + offset of the file shows reference frame n */
    double confidence; /* 0.5 to 1 */
};

enum request_form { FORM_AUTO, FORM_CODED, FORM_RAW };

enum request_compare { COMPARE_FRAMES, COMPARE_PICTURES };

/* Sides are 0, the reference, and 1, the distorted one. Strings and lists are borrowed. */
struct request {
    const char *path[2];
    const char *encode[ASSAY_ENCODES]; /* the distorted inputs of a ladder, path[1] the first of them */
    uint32_t encodes;
    bool several;              /* it is of one of several encodes: the others have requests of their own */
    uint32_t decode_threads[2]; /* of an input that is decoded; 0: libav chooses */
    struct input_options raw[2]; /* describe sides that have no header */
    int form[2];               /* enum request_form */
    struct input_crop crop[2]; /* the part of the pictures that is compared */
    const char *colour[2];     /* a word that colour_words.h knows; NULL: as tagged */
    const char *metric[REQUEST_METRICS];
    uint32_t metrics;
    bool all_metrics;          /* "all": each that the pair allows, but for slow ones */
    bool slow_metrics;         /* "everything": those, too */
    uint64_t frames, every, first, skip[2]; /* frames 0: all; first: the first pair of a part of a run */
    const uint64_t *only;      /* not NULL: these frames alone are scored, `onlys` of them and not none, which ascend */
    uint64_t onlys;
    int compare;               /* enum request_compare */
    bool keep_pictures;        /* those of the scored pair that was read last stay in memory (run.kept) */
    bool part;                 /* of a run that others complete: it ends where it was told to, not with a last pair */
    assay_config config;
    bool allow[ALLOWS];
    int pair_by;               /* enum pairing_by */
    bool scale_ref;            /* the reference is scaled to the size of the distorted side */
    enum hwdec_wish hwdec;
    struct request_align align;
    int assume_srgb;           /* of pictures whose colour is not known */
    double tolerance[2];       /* of floats: absolute and relative */
    bool tolerances;           /* one of them was given */
    struct input_stop *stop;   /* ends the reading early; one run at a time has it */
    /* What messages may speak of. */
    bool libvmaf;              /* asked for as libvmaf's command is: it has no options to scale or to crop */
    bool may_pair;             /* by time, too */
    bool seeks_shift;          /* a pair that looks shifted is looked at again */
};

/* Threads of the decoder of one of `files`, which has `share` (0 to 1) of all bytes. Files are read in step, so the one
 * with the most bytes, which takes longest to decode, sets the pace of all: half of the threads go by bytes. */
uint32_t request_decode_threads(uint32_t processors, uint32_t files, double share);

/* The path of an input: that of the reference for 0, then those of the encodes. NULL: there is none. */
static inline const char *request_input(const struct request *q, uint32_t number)
{
    return !number ? q->path[0] : number <= q->encodes ? q->encode[number - 1] : NULL;
}

/* Whether a side's raw pictures are described: their size, format or depth. */
static inline bool request_described(const struct request *q, unsigned side)
{
    const struct input_options *raw = &q->raw[side];
    return raw->width || raw->height || raw->layout || raw->bit_depth;
}

/* Whether a metric of colour was named, or one of codes. One that is not there is neither: adding it says so. */
bool request_names(const struct request *q, bool colour);

/* Whether a metric's text stands for all metrics, "all" or "everything", which the request notes. */
bool request_takes_all(struct request *q, const char *text);

/* Metrics that a session leaves out, in the order in which they were tried. */
struct left_out {
    struct left_out_metric {
        char metric[64], reason[512];
    } of[REQUEST_METRICS];
    uint32_t n;
};

/* Adds them. `left_out` may be NULL. */
int request_add_all(const struct request *q, assay_session *s, const assay_format *format, struct left_out *left_out,
                    struct assay_error *e);

/* Refuses fields that contradict each other, and those without effect. `first`: pair 0 is not the first one. */
int request_check_options(const struct request *q, bool first, struct assay_error *e);

#endif
