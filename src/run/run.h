/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: encodes that one session scores against one reference. A single pair is a run with one encode. The walk
 * (walk.h) takes a run from step to step; all is its caller's thread's, but for the reading of pictures. */
#ifndef ASSAY_RUN_RUN_H
#define ASSAY_RUN_RUN_H

#include "run/borders.h"
#include "run/pair.h"
#include "run/pairing.h"
#include "input/times.h"

/* WAITING: no run has taken the encode yet. RUNNING: a run reads it. DONE: its scores are there, or it has failed. */
enum lane_state { LANE_WAITING, LANE_RUNNING, LANE_DONE };

/* An encode, from its request to its scores. */
struct lane {
    struct request *q;               /* the encode's own */
    enum lane_state state;
    int rc;                          /* the result, negative with the reason in `error` */
    struct assay_error error;
    struct pair pair;
    uint32_t width, height;          /* of the file's pictures; 0: it could not be opened */
    char later[1024];                /* why it is scored in a later run than others, one line; or "" */
    struct pairing *pairing;         /* of --pair time; else NULL */
    struct times times;              /* of the encode's pictures */
    int64_t apart;                   /* the encode's time less the reference's, of the frame before */
    bool has_apart;
    char timing[480];                /* lines for the user about the times of the pictures, or "" */
    struct borders borders;          /* of the encode's pictures that are scored */
    struct assay_error not_taken;    /* why nobody takes its scores */
    uint64_t read, scored;           /* pairs of this part */
    uint64_t total;                  /* pairs of the whole run; 0: the end of the inputs was not seen */
    uint64_t stop;                   /* the first pair without a picture of the encode; UINT64_MAX: none is known */
    struct assay_error ended;        /* why: the failure; its code is 0 where the encode has ended */
    uint64_t limit;                  /* scores of this frame and later ones are not the encode's ... */
    bool whole;                      /* ... or, unless its sequence ends there, those that depend on it */
};

void lane_fail(struct lane *l, int rc, const struct assay_error *why);

struct run {
    const struct request *q;         /* as the user gave it */
    struct pair reference;           /* its side 0 is read; side 1 is not used */
    struct lane *lane[ASSAY_ENCODES];
    uint32_t lanes;
    assay_format distorted[ASSAY_ENCODES]; /* of the encodes' pictures */
    assay_session *session;
    struct times times;              /* of the reference's pictures */
    struct borders borders;          /* of the reference's pictures that are scored */
    struct left_out left_out;        /* metrics, when the session has started */
    bool reads;                      /* pairs are read */
    struct picture kept[2];          /* with request.keep_pictures: of the pair of WALK_PAIR, as pair_side says */
    /* [begin, stop): pairs that are read. Those outside [first, end) are read for scores of their neighbours only */
    uint64_t begin, end, stop;
    uint32_t before, after;          /* earlier and later pairs that a score may depend on */
    uint32_t readers[ASSAY_ENCODES + 1]; /* threads of a side */
};

/* ---- reading (reading.c) ---- */

int run_read_begin(struct run *r, struct assay_error *e);
/* Submits the next pair that is needed. ASSAY_READ_PAIR: `frame`, to be scored. ASSAY_READ_LATE: another one, or none
 * yet. ASSAY_READ_OVER: there is none any more. */
int run_read_next(struct run *r, uint64_t *frame, struct assay_error *e);
/* Ends the reading, and waits for the last scores. `rc`: the failure that it ends with. Sets the result of each lane
 * that has failed. Fails where all have the same cause: the reference, the device, RUN_STOPPED. */
int run_read_end(struct run *r, int rc, struct assay_error *e);

/* The result of what request.stop has ended: no code of assay.h. */
enum { RUN_STOPPED = -128 };

/* Whether the scores of a frame are the encode's. */
bool run_counts(const struct run *r, const struct lane *l, uint64_t frame);

/* Sets how many threads read a side, and in the session's configuration how many pairs are read ahead and in flight. */
void run_plan_readers(struct run *r, assay_config *config);

/* ---- what is said of it (walk.c) ---- */

/* What a user should know of an encode that was read: a line, or "", with a code for programs. Each is asked for once,
 * in this order; false behind the last one. BORDERS: those that only one side has. */
enum run_note { NOTE_ENDING, NOTE_TIMING, NOTE_BORDERS, NOTE_PAIRING, RUN_NOTES };
enum { RUN_NOTE = 800 };
bool run_note(const struct run *r, struct lane *l, enum run_note which, const char **code, char text[RUN_NOTE]);

#endif
