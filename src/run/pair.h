/* SPDX-License-Identifier: BSD-2-Clause */
/* The two inputs of a run: opened, compared with each other, and read. Results are those of assay.h. */
#ifndef ASSAY_RUN_PAIR_H
#define ASSAY_RUN_PAIR_H

#include <stdio.h>

#include "host/recode.h"
#include "report/report.h"
#include "results/encode.h"
#include "run/request.h"
#include "run/session.h"

/* One input of a session. If its format is the session's, pictures are read straight into the session's buffers.
 * Otherwise they are read into a scratch picture, and from there cropped, brought to a larger depth or stripped of
 * chroma. */
struct source {
    struct input *input;
    assay_format format; /* the input's, with the colour that the user states */
    struct picture scratch;
    struct recode recode; /* from the input's pictures to the session's */
    bool unread[3];       /* planes of the session's pictures on which nothing depends; set after the session starts */
    struct input_rate rate; /* set behind the last read: input_measure */
    int64_t lasts;        /* nanoseconds for which the picture that was read last is shown, as stated; 0: not stated */
};

/* Of --pair time: what was paired. Times are in nanoseconds from the first picture of a side. */
struct pair_figures {
    uint64_t pairs, shown, left_out; /* reference pictures, and distorted ones that were shown, or were not */
    uint64_t least, most;            /* reference pictures that one distorted picture was shown with */
    int64_t apart;                   /* the largest distance between the times of a pair */
    int64_t begin;                   /* of the last distorted picture that was read */
    int64_t end[2];                  /* when the last picture that was read is no longer shown */
};

struct pair {
    struct source source[2];
    bool borrowed;            /* source[0].input is another pair's */
    struct input_early *early; /* of an encode that is being opened */
    uint32_t encode;          /* the distorted side's number among the session's encodes */
    struct hwdec_facts hwdec; /* known before the files were opened */
    unsigned device;          /* the number of the device that decodes */
    assay_format format;      /* of the session's reference */
    assay_format distorted;   /* of its other side: as `format`, but for its colour and, where a side is scaled, its
                               * size */
    uint32_t width, height;   /* of what is compared */
    bool overridden[ALLOWS];  /* differences that were found and allowed */
    char notices[1200];       /* lines for the user about the two inputs together, or "" */
    struct pair_figures paired;
    char ending[700];         /* notices that are known when the run ends; of a run in parts, in the last part */
};

/* ---- a part of a side's pictures ---- */

/* Makes an input's pictures the part of them that the user asks for. */
int crop_apply(struct input *in, const struct request *q, unsigned side, struct assay_error *e);
extern const char *const crop_name[2]; /* of the sides, "--crop-ref" */
/* "1920x800+0+140" */
void crop_text(char *text, size_t size, const struct input_crop *crop);
/* Of two sides of unequal sizes: whether one may be the other with borders, and the option that leaves them out. */
bool crop_advice(char *text, size_t size, const struct request *q, const struct pair *p);

/* Makes room for a picture with its alpha, all of it at plane[0], which the caller frees. */
int pair_picture(struct picture *p, const assay_format *f, struct assay_error *e);

/* The format of a side's pictures as the session gets them. */
const assay_format *pair_side(const struct pair *p, unsigned side);

/* Whether the session scales a side. */
bool pair_scaled(const struct pair *p, unsigned side);

/* Sets the fields of the configuration that describe the pair. */
void pair_configure(const struct pair *p, const struct request *q, assay_config *config);

/* What the request says of a side, for input_open. Decoding on a device is off. */
void pair_options(struct input_options *o, const struct request *q, unsigned side);
/* Refuses a description of raw input where all inputs have headers. */
int pair_described(const struct request *q, const struct input *const *in, uint32_t inputs, struct assay_error *e);

int pair_open(struct pair *p, const struct request *q, struct assay_error *e);
/* The steps of pair_open, for several encodes of one reference: pair_open_reference opens side 0 of a pair.
 * pair_open_encode opens side 1; the reference is that of another pair, which stays open for longer, or, for NULL, the
 * pair's own. pair_check_inputs checks all inputs of a run together. differences_check follows, and pair_ready, which
 * makes a side ready to be read. */
int pair_open_reference(struct pair *p, const struct request *q, struct assay_error *e);
int pair_open_encode(struct pair *p, const struct pair *reference, const struct request *q, struct assay_error *e);
/* Begins to open an encode, which pair_open_encode ends. A device's decoder and what is no file wait for their turn. */
void pair_open_early(struct pair *p, const struct request *q);
int pair_check_inputs(const struct input *const *in, uint32_t inputs, const struct request *q, struct assay_error *e);
int pair_ready(struct pair *p, unsigned side, const struct request *q, struct assay_error *e);
/* Whether one session can score both: its reference has the same size, layout and depth for both, and the compared size
 * is the same. */
bool pair_like(const struct pair *a, const struct pair *b);
void pair_close(struct pair *p);

/* The number of frames that will be scored, for progress: an estimate where no file states it exactly. 0: not known. */
uint64_t pair_frames(const struct pair *p, const struct request *q);

/* Sets p->overridden where damaged pictures were read. Prints their numbers in each file to `out`, unless `out` is
 * NULL. */
void pair_damage(struct pair *p, FILE *out);

/* Called when a read has found the end of one side or of both. got[side]: whether the side had a frame. Fails when one
 * side goes on, unless that is allowed. */
int pair_ended(struct pair *p, const struct request *q, const int got[2], struct assay_error *e);

/* Reads a picture of a side that input_begin has found. Returns what input_finish returns. The picture goes into `to`,
 * or, if it is decoded on the device, into the session's slot that `to` belongs to. Where `to` lends, a decoder's
 * picture stays where it is, and *to is there then. If `time` is not NULL, *time becomes the time in nanoseconds at
 * which the picture is shown, or SCORES_NO_TIME. */
int pair_finish(struct pair *p, unsigned side, const struct input_place *place, assay_session *s, assay_buffer *to,
                int64_t *time, struct assay_error *e);

/* Reads the next picture of a side in its input's format, and sets its time. Returns what input_read returns.
 * pair_convert brings such a picture to the session's format. */
int pair_next(struct pair *p, unsigned side, const struct picture *to, int64_t *time, struct assay_error *e);
void pair_convert(const struct pair *p, unsigned side, const struct picture *from, const assay_buffer *to);

/* Reads the next picture of a side into `to`, or passes over it where `to` is NULL. Returns what input_read returns.
 * `time` is as in pair_finish, of a picture that is read. */
int pair_read(struct pair *p, unsigned side, assay_buffer *to, int64_t *time, struct assay_error *e);

/* Passes over the first `count` pictures of an input. ASSAY_EINPUT when it has fewer. */
int pair_skip(struct input *in, uint64_t count, struct assay_error *e);

/* ---- the metrics of a run (metrics.c) ---- */

/* Adds the metrics that the request names, or those of the default ones that the pair allows. `left_out`, which may be
 * NULL, gets the others of these, and of all metrics. */
int run_add_metrics(const struct request *q, assay_session *s, const assay_config *config, const assay_format *format,
                    struct left_out *left_out, struct assay_error *e);

/* The metric that writes a key by this name without options, with *output the row that names it. NULL: no table names
 * the key. */
const char *run_metric_of(const char *key, assay_output *output);

/* Whether higher or lower values of a figure are better, as assay.h says it; 0: that is what points show. ASSAY_EUSAGE:
 * neither are. */
int rates_direction(const struct gate *figure, int *direction, struct assay_error *e);

/* Compares every point with every other one (encodes_match) for these figures: what one report does not state, two
 * others may state differently. */
int rates_match(const struct encode *const *encode, uint32_t n, const struct gate *const *figure, uint32_t figures,
                struct assay_error *e);

/* ---- the run's description (describe.c) ---- */

/* Sets the fields of results, and the sentence that says what was compared. */
int describe_run(struct stored *to, const struct request *q, const struct pair *p, const assay_session *s,
                 struct assay_error *e);
/* Of a pair of pictures that was compared. */
struct images;
struct image_pair;
int describe_pictures(struct stored *to, const struct images *r, const struct image_pair *p, struct assay_error *e);
/* Adds the fields of one side, whose file comes first; names begin with "reference_" or "distorted_". */
int describe_side(struct stored *to, unsigned side, const struct request *q, const struct input *in,
                  struct assay_error *e);

#endif
