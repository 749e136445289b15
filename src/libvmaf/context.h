/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A context: what was asked for, the session that computes it, and the values by name. The session starts with the
 * first pair of pictures: programs make contexts that they never use.
 */
#ifndef ASSAY_LIBVMAF_CONTEXT_H
#define ASSAY_LIBVMAF_CONTEXT_H

#include <assay/gpu.h>
#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_cuda.h>

#include "libvmaf/picture_memory.h"
#include "libvmaf/store.h"

/* What the environment says to programs that know nothing of assay. The strings are the process's. */
struct environment {
    const char *backend, *device, *colour; /* ASSAY_BACKEND, ASSAY_DEVICE, ASSAY_COLOUR; NULL: not set */
    unsigned threads;                      /* ASSAY_THREADS; 0: not set */
};

struct VmafContext {
    pthread_mutex_t lock; /* of all but the store, which has its own */
    VmafConfiguration cfg;
    struct environment environment;

    char **metric;        /* as for assay_session_add_metric, in the order in which they were asked for */
    unsigned metrics;

    /* Pictures: the format of the first one, and how they come. */
    assay_format format;  /* width 0: none came yet */
    bool on_device, flushed, failed;
    unsigned pictures;    /* calls with pictures, those that failed included */
    unsigned *index;      /* of each pair of the session, in their order; guarded by store.lock */
    size_t pairs;
    unsigned highest;     /* index of a pair */
    uint64_t began, ended; /* clock_ns of the first pair and of the last score; guarded by store.lock */

    assay_session *session; /* NULL: not started, or nothing was asked for */
    uint32_t before, after; /* its reach */
    char **key;             /* the names that the session's keys have in the store */
    uint32_t *column;        /* the keys in libvmaf's order */
    uint32_t keys, columns;
    double *aggregate;       /* after the flush */
    uint32_t aggregates;

    VmafPictureConfiguration pool; /* of vmaf_preallocate_pictures; pic_cnt 0: none */
    VmafCudaState *cuda;           /* NULL: none was imported */
    assay_gpu *gpu;                /* of a session whose pictures lie in device memory */
    VmafCudaPictureConfiguration cuda_pool;

    struct store store;
};

/* Fails every later call that needs the session, and writes the reason to the log, once. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int context_fail(VmafContext *v, const char *format, ...);

/* Starts the session for pictures of v->format, such as the first pair. 0, or as context_fail. */
int session_begin(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist);

/* Waits until the session has computed what it can. */
void context_settle(VmafContext *v);

/* Whether pairs of this index are scored: n_subsample leaves others out. */
static inline bool context_scores(const VmafContext *v, uint64_t index)
{
    return v->cfg.n_subsample < 2 || index % v->cfg.n_subsample == 0;
}

/* Whether the session computes the feature of this name; whether the session got a pair of this index. */
bool context_is_key(const VmafContext *v, const char *name);
bool context_has_pair(const VmafContext *v, unsigned index);

/* Sets *value where the store has a value, after it has waited for pictures that are being computed. */
bool context_value(VmafContext *v, const char *name, unsigned index, double *value);

/* ---- pictures in CUDA memory (cuda.c) ---- */

/* The number of the imported state's device. */
int cuda_device(const VmafContext *v);

/* How a session on the imported state's device starts, and gets a pair of pictures that lie there. Every pair is
 * scored: values that n_subsample leaves out are dropped. */
int cuda_session_start(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist);
int cuda_session_submit(VmafContext *v, uint64_t pair, VmafPicture *ref, VmafPicture *dist);

/* Gives a state back and sets *state to NULL. */
void cuda_forget(VmafCudaState **state);

#endif
