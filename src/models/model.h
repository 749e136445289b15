/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model predicts a score from features of a frame: a support vector machine with a Gaussian kernel, as VMAF has it.
 * A collection is a model and its members, whose scores say how sure the prediction is. docs/metrics/vmaf.md has the
 * definition.
 */
#ifndef ASSAY_MODELS_MODEL_H
#define ASSAY_MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/error.h"

/* The limits of features and knots are libvmaf's. */
enum { MODEL_FEATURES = 64, MODEL_KNOTS = 10, MODEL_MEMBERS = 100, MODEL_VECTORS = 1 << 16 };
enum { MODEL_NAME = 128, MODEL_OPTIONS = 512, MODEL_VERSION = 64 };

/* A feature by libvmaf's name, with its options as "name=value:name=value". */
struct model_feature {
    char name[MODEL_NAME], options[MODEL_OPTIONS];
};

/* score = (sum of coefficient * exp(-gamma * distance^2) over the vectors) - rho. */
struct model_svr {
    uint32_t vectors;
    double gamma, rho;
    double *vector; /* for each: its coefficient, then an element for each feature */
};

/* What becomes of a score y: p0 + p1 y + p2 y^2, then the lines between knots, then the bounds that y itself is. */
struct model_transform {
    bool there;      /* the model has one */
    bool on;
    bool has[3];     /* which of p are there; none: y stays */
    double p[3];
    uint32_t knots;  /* 0: none; else at least 2, x ascending, y not descending */
    double knot[MODEL_KNOTS][2];
    bool out_lte_in, out_gte_in;
};

/* What a model, or a member of a collection, computes. */
struct model_predictor {
    bool rescale;            /* of features and score, by slope * v + intercept */
    double slope[1 + MODEL_FEATURES], intercept[1 + MODEL_FEATURES]; /* of the score, then of each feature */
    struct model_svr svr;
    struct model_transform transform;
    bool clip;
    double low, high;
    double chroma;           /* 0: none; else feature `chroma_to` is corrected by feature `chroma_from` where it is 0 */
    uint32_t chroma_to, chroma_from;
};

struct model {
    char version[MODEL_VERSION]; /* of a built-in model, or the file's name without its ending */
    char other[MODEL_VERSION];   /* the built-in model for pictures of the other height, 1080 or 2160; "": none */
    uint32_t height;             /* of the pictures that it was made for; 0: unknown */
    uint64_t digest;             /* of a file's bytes; 0: built in */
    uint32_t features;
    struct model_feature feature[MODEL_FEATURES];
    uint32_t members;            /* of a collection; else 0 */
    struct model_predictor *predictor; /* [0] is the model, [1] to [members] are the members */
};

/* The version of a built-in model, or NULL behind the last. */
const char *model_version(uint32_t index);

/* The built-in model that a name without the number of its version is short for, such as "vmaf_neg" or "VMAF_4K", or
 * whose name it is. NULL: there is none. */
const char *model_meant(const char *name, size_t length);

/* model_built_in: refuses an unknown version with ASSAY_EUSAGE. model_read: a file with a model or a collection in
 * libvmaf's JSON; fails with ASSAY_EINPUT, and says where. model_parse: text in that form; `path` is its name in
 * errors. */
int model_built_in(struct model **out, const char *version, struct assay_error *e);
int model_read(struct model **out, const char *path, struct assay_error *e);
int model_parse(struct model **out, const char *path, const char *text, size_t size, struct assay_error *e);
void model_free(struct model **m);

/* The text of a file of the user's, which the caller frees, also after a failure. */
int model_file(const char *path, char **text, size_t *size, struct assay_error *e);

/* Takes each member of object `name` of the object that a file of JSON is: its text, else NULL, and n numbers: one, or
 * those of a list. Another value has neither. Fails with ASSAY_EINPUT where there is no such object. */
enum { MODEL_MEMBER_NUMBERS = 2 };
typedef int model_member(void *opaque, const char *key, const char *text, const double *number, unsigned n,
                         struct assay_error *e);
int model_members(const char *path, const char *name, model_member *take, void *opaque, struct assay_error *e);

/* The caller's wishes: scores that leave the bounds of the clip, and a transform that the model has and leaves off. */
void model_set(struct model *m, bool disable_clip, bool enable_transform);

/* The scores of a frame. */
enum { MODEL_BAGGING, MODEL_STDDEV, MODEL_P95_LOW, MODEL_P95_HIGH, MODEL_FIGURES };

/* Predicts the scores from the values of the features. A model writes one score. A collection writes one more for each
 * member, and MODEL_FIGURES figures.
 * Called in the library's floating-point environment. */
void model_predict(const struct model *m, const double *feature, double *scores);

/* ---- for the readers of models ---- */

/* A model with `predictors` empty predictors. */
int model_new(struct model **out, uint32_t predictors, struct assay_error *e);

/* How many features have a name that contains `part`; *index: the last of them. The chroma correction changes the one
 * feature of MODEL_CHROMA_TO by the one of MODEL_CHROMA_FROM. */
#define MODEL_CHROMA_TO "speed_chroma"
#define MODEL_CHROMA_FROM "adm3"
uint32_t model_feature_like(const struct model *m, const char *part, uint32_t *index);

/* Makes room for the vectors, which become 0. */
int model_svr_new(struct model_svr *s, uint32_t vectors, uint32_t features, struct assay_error *e);

/* Reads the text of libsvm. The error says what is wrong in which line of it; `where` is the place of the text. */
int model_svr_parse(struct model_svr *s, uint32_t features, const char *text, const char *where,
                    struct assay_error *e);

#endif
