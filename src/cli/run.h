/* SPDX-License-Identifier: BSD-2-Clause */
/* A run: encodes that one session scores against one reference. A single pair is a run with one encode. */
#ifndef ASSAY_CLI_RUN_H
#define ASSAY_CLI_RUN_H

#include "cli/borders.h"
#include "cli/cli.h"
#include "cli/pairing.h"
#include "cli/times.h"
#include "cli/thumbs.h"
#include "report/progress.h"

/* WAITING: no run has taken the encode yet. RUNNING: a run reads it. DONE: its scores are there, or it has failed. */
enum rung_state { RUNG_WAITING, RUNG_RUNNING, RUNG_DONE };

/* An encode, from its arguments to its scores. */
struct rung {
    struct cli *cli;                 /* with the encode's own paths */
    char *name;                      /* of the file, without folder and ending */
    char *path[CLI_OUTPUTS + 1];     /* of outputs that have the encode's name in them */
    enum rung_state state;
    int rc;                          /* the result: 0, 1 when a gate failed, or negative with the reason in `error` */
    struct assay_error error;
    bool told;                       /* the user knows of its failure */
    struct pair pair;
    uint32_t width, height;          /* of the file's pictures; 0: it could not be opened */
    uint32_t columns;                /* of the scores */
    uint32_t *column;                /* the session's key that each one is */
    uint32_t *alone_column;          /* the key in a session of this encode alone */
    double *row;                     /* of a frame, by column */
    const char **key;                /* by column */
    signed char *direction;          /* by column */
    struct pairing *pairing;         /* of --pair time; else NULL */
    struct times times;              /* of the encode's pictures */
    int64_t apart;                   /* the encode's time less the reference's, of the frame before */
    bool has_apart;
    char timing[480];                /* lines for the user about the times of the pictures, or "" */
    struct borders borders;          /* of the encode's pictures that are scored, and at the end of the reference's */
    struct scores scores;            /* written by the session's thread, read after flush */
    struct worst_run worst;
    struct thumbs thumbs;
    struct cli_results results;
    struct description description;
    struct report_run report;
    struct assay_error report_error; /* written by the session's thread, read after flush */
    uint64_t read, scored;           /* pairs of this part; `scored` belongs to the session's thread until flush */
    uint64_t total;                  /* pairs of the whole run; 0: the end of the inputs was not seen */
    /* Guarded by the run's lock. */
    uint64_t stop;                   /* the first pair without a picture of the encode; UINT64_MAX: none is known */
    int got;                         /* why: 0, the encode has ended; else the failure, with its reason in `why` */
    char why[1024];
    uint64_t limit;                  /* scores of this frame and later ones are not the encode's ... */
    bool whole;                      /* ... or, unless its sequence ends there, those that depend on it */
    char reason[1024];
    char *kept;                      /* texts that outlive the session */
};

struct run {
    const struct cli *cli;           /* as the user gave it */
    struct pair reference;           /* its side 0 is read; side 1 is not used */
    struct rung *rung[ASSAY_ENCODES];
    uint32_t rungs;
    assay_format distorted[ASSAY_ENCODES]; /* of the rungs' pictures */
    assay_session *session;
    struct times times;              /* of the reference's pictures */
    struct borders borders;          /* of the reference's pictures that are scored */
    struct progress progress;
    struct plane_codes codes;
    struct assay_error look_error;   /* why a plane or a heatmap could not be written */
    /* [begin, stop): pairs that are read. Those outside [first, end) are read for scores of their neighbours only */
    uint64_t begin, end, stop;
    uint32_t before, after;          /* earlier and later pairs that a score may depend on */
    uint64_t scored;                 /* pairs; belongs to the session's thread until flush */
    uint64_t started;                /* of clock_ns */
    double seconds;                  /* that reading and scoring took */
    uint32_t readers[ASSAY_ENCODES + 1]; /* threads of a side */
    pthread_mutex_t lock;            /* guards the state of reading of the rungs */
};

/* Prints lines to standard error, behind `name` and a colon unless it is NULL. */
void run_show(const struct run *r, const char *name, const char *lines);

/* The name that messages about an encode begin with; NULL of a single pair. */
const char *run_name(const struct run *r, const struct rung *g);

/* Reads and scores all pairs (reading.c). Sets the result of each rung that has failed. Fails where all have the same
 * cause: the reference, the device, a signal. */
int run_read(struct run *r, struct assay_error *e);

/* Whether the scores of a frame are the encode's. */
bool run_counts(struct run *r, const struct rung *g, uint64_t frame);

/* How many threads read a side, and how many pairs are read ahead. */
void run_plan_readers(struct run *r);
uint32_t run_prefetch(const struct run *r);

#endif
