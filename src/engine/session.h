/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine. A session is a plan (plan.c: the pass graph, the keys of the scores), a ring of frame slots with
 * back-pressure (ring.c), and a pump that keeps the executor busy and delivers scores in frame order (pump.c). It knows
 * executors and metrics through their interfaces only. Arguments are checked in src/api.
 */
#ifndef ASSAY_ENGINE_SESSION_H
#define ASSAY_ENGINE_SESSION_H

#include <pthread.h>
#include <stdio.h>

#include "engine/choose.h"
#include "engine/sequence.h"
#include "executors/executor.h"
#include "metrics/metric.h"
#include "host/format.h"
#include "host/recode.h"
#include "host/scores.h"
#include "scale/passes.h"
#include "selftest/prove.h"

/* SESSION_SIDES: of pictures that the application gives. */
enum { SESSION_METRICS = 64, SESSION_SLOTS = 256, SESSION_NAME = METRIC_KEY_SIZE + 64,
       SESSION_SIDES = ASSAY_ENCODES + 1 };

/* Submits a frame that is on a device of the application to executor `x`, in a free slot. `held` lists the slots of
 * earlier frames, as in frame_inputs. `frame` describes the frame. */
typedef int session_submit_fn(struct executor *x, uint32_t slot, const uint32_t *held, const void *frame,
                              struct assay_error *e);

struct frame_slot {
    uint64_t frame;
    struct frame_inputs inputs;
    void *memory;               /* the session's own planes, made when first needed */
    struct kernel_plane own[GRAPH_SIDES][INPUT_PLANES];
    assay_picture lent[SESSION_SIDES]; /* pictures whose release callbacks are still to be called */
    assay_picture offered[SESSION_SIDES]; /* of a pair that is taken: these are lent when it is committed */
    bool neighbour;             /* has no scores of its own */
    bool leads;                 /* is none of the sequence's pairs (engine/lead.h) */
    uint32_t without;           /* bit k: encode k has ended before it (session_end_encode) */
    session_submit_fn *submit;  /* for a frame on a device; NULL: the frame is `inputs` */
    const void *description;    /* for `submit` */
    bool used;                  /* taken, and not free again */
    bool filled[SESSION_SIDES]; /* set by a thread that reads the side (read.c), and converted */
    void *given_memory[SESSION_SIDES]; /* where pictures that are converted are written to; made when first needed */
    struct kernel_plane given[SESSION_SIDES][INPUT_PLANES];
    uint64_t submit_time;       /* nanoseconds; only for a timed frame */
};

/* Frames on a device of the application, and how they become planes. src/images implements it. */
struct session_source {
    graph_bring *bring; /* NULL: frames hold planes that kernels can read */
    void *bring_opaque;
    /* Called before a frame is scored. Fails when the frame's content can't be scored. */
    int (*check)(void *opaque, const struct graph *g, uint64_t frame, const struct frame_results *results,
                 struct assay_error *e);
    /* Fails when the session can't wait for the frames in flight now; they stay in flight. */
    int (*ready)(void *opaque, struct assay_error *e);
    uint32_t frames;            /* in flight where frames_in_flight is 0; 0: the device's default */
    void (*free)(void *opaque); /* called when the executor is closed */
    void *opaque;               /* NULL: frames are host memory */
};

/* A side of a frame: a stream of pictures, or another form of the reference's (graph.h). */
struct session_side {
    assay_format given, held; /* of the application's pictures, and of the planes that frames hold */
    struct recode recode;     /* from one to the other */
    uint8_t reads;            /* bit p is set where passes read plane p; set before the start */
    bool on_device;           /* session_take_picture brings it, or kernels can't read its packing */
};

/* How an encode is compared with the reference: as in a session of its own. */
struct session_encode {
    struct metric_pair pair;
    uint32_t reference;      /* the side of the frame that holds the reference as it is compared with this encode */
    struct scale_plan scale; /* where the session `scales`: how passes bring what frames hold to pair.side */
    bool scales;             /* a side of it is scaled */
    char *notes;
    struct sequence sequence;
    struct scores scores;    /* guarded by the session's lock while its thread lives */
    uint64_t counted;        /* frames in its accumulators */
    void *blank_memory;      /* of an encode that has ended: a picture of zeros, in the place of its own */
    struct kernel_plane blank[INPUT_PLANES];
};

enum session_ending { ENDING_NOTHING, ENDING_SEQUENCE, ENDING_ENCODE, ENDING_ENCODE_BROKEN };

struct assay_session {
    struct assay_error error;
    char *configuration, *notes; /* after session_plan */
    assay_config config;
    /* Before the plan those of one encode; then those of each, encode by encode. */
    struct metric *metric[SESSION_METRICS * ASSAY_ENCODES];
    uint32_t metrics, metrics_each; /* all; of an encode */
    bool started, finished;
    struct session_encode encode[ASSAY_ENCODES];
    uint32_t encodes;
    struct session_side side[GRAPH_SIDES];
    uint32_t sides;             /* at least 1 + encodes */
    bool scales;                /* an encode's pictures, or the reference's for it, are scaled */
    struct graph *graph;
    struct executor *executor;
    struct choice choice;       /* set for --backend auto */
    struct session_source source;

    uint32_t n_keys, n_aggregates, n_accumulators;
    const char **key, **aggregate_key;
    char (*accumulator_name)[SESSION_NAME]; /* "psnr.sse_y" */
    assay_i128 *accumulator, *unused; /* `unused`: for neighbours */
    double *row;                /* of the callback: a value for each key */
    uint64_t delivered, polled; /* rows that are complete, and those handed out; guarded by `lock` */
    uint32_t ended;             /* bit k: encode k has ended for the application */
    uint32_t over;              /* bit k: and for the pump, which has the last of its scores */
    void *zeros;                /* a row of zeros: planes of frames before a sequence */
    struct kernel_plane nothing[GRAPH_SIDES][INPUT_PLANES]; /* those planes */

    assay_frame_callback callback;
    void *callback_opaque;

    assay_times_callback *on_times; /* set while executor->timed is */
    void *on_times_opaque;

    /* The ring (engine/ring.h). A frame's planes are kept for the next `history` frames, so only `room` slots can be
     * taken and not done, and lead_room more while pairs lead in. The counters count pairs from the start; 64 bits
     * never wrap in practice. */
    struct frame_slot *slot;
    uint32_t *order;              /* the slot of pair n, at n % (slots + 1): ring_slot */
    bool in_turn;                 /* the application set the number of slots; pairs get them in turn */
    uint32_t slots, history, room;
    uint64_t taken, queued, submitted, done; /* `submitted`: handed to the device; only the pump uses it */
    uint64_t length;              /* frames queued since the sequence began */
    uint32_t lead, led;           /* pairs that lead a sequence in (engine/lead.h); those queued of this one */
    uint32_t waiting;             /* committed pairs that are not queued before them */
    bool leading;                 /* their slots are taken and not queued */
    uint32_t held;                /* slots taken and not yet queued */
    struct reading *reading;      /* between its begin and its stop (engine/read.h) */
    uint64_t last_frame;
    bool any_frame;

    /* The pump (engine/pump.h). */
    struct frame_results results; /* of the last scored frame; valid while nothing is in flight */
    struct assay_error refused;   /* why the device did not take frame `submitted`; only the pump uses it */
    struct assay_error run_error; /* the first failure in frame order; written by the pump, under `lock` */
    pthread_t runner;
    struct cpu_pool *crew;        /* runs parts of metrics; NULL: the pump's thread does (engine/crew.h) */
    bool running;                 /* `runner` lives; else the caller's thread pumps a started session */
    bool quit;                    /* the runner ends next */
    enum session_ending ending;   /* what it ends before: of all encodes the sequence, or encode `leaving` */
    uint32_t leaving;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* ASSAY_OK when the session may be started: it has metrics, and no earlier start left anything. */
int session_may_start(struct assay_session *s);

/* Checks the format and makes the pass graph and the keys, without a device. That is enough to aggregate totals that
 * were read. */
int session_plan(struct assay_session *s, const assay_format *format);

/* After session_plan: what a device has to prove for an encode: what it would have to for a session of this one. */
struct session_proof {
    const struct assay_session *session;
    uint32_t encode;
    struct graph *graph; /* of the encode alone, where there are several; else NULL */
};
int session_subject(const struct assay_session *s, uint32_t encode, struct session_proof *proof,
                    struct selftest_subject *subject, struct assay_error *e);
void session_subject_free(struct session_proof *proof);

/* An aggregate of the frames in the accumulators of its encode, or of those that have scores; NaN where there are
 * none. */
double session_aggregate(const struct assay_session *s, uint32_t index);

/* The metric that writes key or aggregate `*index`, which becomes its index among the metric's; NULL: there is no such
 * key. `number`: of the metric in s->metric. */
const struct metric *session_metric_of(const struct assay_session *s, bool aggregate, uint32_t *index,
                                       uint32_t *number);

int session_start(struct assay_session *s, const assay_format *format);

/* Starts a session without a thread of its own, for frames on a device of the application. The session owns the open
 * executor `x` from the call on, even when the start fails. session_submit_on_device submits the frame to the device
 * before it returns. Later submissions, session_drain and session_flush collect frames. */
int session_start_on_device(struct assay_session *s, const assay_format *format, struct executor *x,
                            const struct selftest_device *device);
int session_submit_on_device(struct assay_session *s, uint64_t frame, session_submit_fn *submit,
                             const void *description);

/* Waits for every queued frame. The sequence goes on. */
int session_drain(struct assay_session *s);

/* Whether a pass reads a plane of a side's pictures, or something that is not known pass by pass may read it. */
bool session_reads(const struct assay_session *s, unsigned side, unsigned plane);
/* `dis`: of every encode. */
int session_take(struct assay_session *s, assay_buffer *ref, assay_buffer *dis);
int session_queue(struct assay_session *s, uint64_t frame, const assay_picture *ref, const assay_picture *dis,
                  bool neighbour);
bool session_has_room(struct assay_session *s); /* whether session_take returns without waiting */
bool session_all_taken(const struct assay_session *s); /* whether it waits for ever: nothing is queued */
int session_commit(struct assay_session *s, uint64_t frame, int use); /* ASSAY_UNUSED ... */

/* Brings a picture of a side that is `on_device` into a taken slot. Any thread may call it. The caller may use the
 * picture's memory again when this returns. */
int session_take_picture(struct assay_session *s, uint32_t slot, unsigned side, const struct device_picture *picture,
                         struct assay_error *e);
int session_flush(struct assay_session *s); /* ends the sequence */

/* Pairs that are committed or submitted from now on are without this encode; its scores become final. `how`:
 * ASSAY_ENCODE_ENDS or ASSAY_ENCODE_BREAKS_OFF. */
int session_end_encode(struct assay_session *s, uint32_t encode, int how);

/* Describes the index-th plane that passes write, as the public header states; false when there are not so many. */
bool session_describe_plane(const struct assay_session *s, uint32_t index, assay_plane *plane);
/* File `index` of those that the metrics' options ask for; false behind the last. */
bool session_plane_file(const struct assay_session *s, uint32_t index, assay_plane_file *file);

/* The index-th plane that passes write, or NULL; session_read_plane copies it from the last scored frame. */
const struct graph_plane_info *session_plane(const struct assay_session *s, uint32_t index, graph_plane *plane);
int session_read_plane(struct assay_session *s, graph_plane plane, void *to, size_t stride);
/* Waits for the queued frames, and frees what scores pictures. What is known of the scores stays. */
void session_finish(struct assay_session *s);
void session_free(struct assay_session *s);

/* The work of a frame pair, and the totals so far. Nothing is in flight. */
void session_work(const struct assay_session *s, assay_work *work);

/* The bytes of a frame's pictures in the host's memory, those of all sides. */
uint64_t session_pair_bytes(const struct assay_session *s);

/* Fails when no session can have this configuration. session_pair checks the fields of scaling, the first of these two
 * the other fields for pictures, the second all of them but scaling's. */
int session_check_pictures(const assay_config *config, struct assay_error *e);
int session_check_config(const assay_config *config, struct assay_error *e);
int session_check_scale(const assay_config *config, struct assay_error *e);

/* Whether `name` is valid for assay_config.rgb_matrix. */
bool session_rgb_matrix(const char *name);

/* Sets how an encode is scaled by the configuration and its pair. Fails where a side can't be scaled. */
int session_scale(struct assay_session *s, struct session_encode *encode, struct assay_error *e);

/* Writes a line for each side that is scaled. */
void session_print_scale(const struct session_encode *encode, FILE *out);

/* In which of layout and depth the pictures of the two sides differ, and what is done then: a line each, or "". */
enum { SESSION_DIFFERENCES = 256 };
void session_differences(const struct metric_pair *pair, char text[SESSION_DIFFERENCES]);

/* The encodes of a configuration. */
uint32_t session_encodes(const assay_config *config);

/* "encode 3: " before what is said of one of several, else "". */
enum { SESSION_PREFIX = 24 };
const char *session_prefix(uint32_t encodes, uint32_t encode, char text[SESSION_PREFIX]);

/* Makes the pair of an encode that metrics are checked against. Refuses formats that no metric can take. */
int session_pair(struct metric_pair *pair, const assay_config *config, uint32_t encode, const assay_format *format,
                 struct assay_error *e);

/* Calls `what` for each encode of a configuration. An error names the encode, where there are several. */
int session_each_encode(const assay_config *config, int (*what)(void *opaque, uint32_t encode, struct assay_error *e),
                        void *opaque, struct assay_error *e);

/* Chooses the sides of a frame for the pairs of the encodes. */
int session_choose_sides(struct assay_session *s, struct assay_error *e);

#endif
