/* SPDX-License-Identifier: BSD-2-Clause */
/* What SpEED computes of one picture on the host: from its detail (speed_detail.k) to two figures for each block. */
#ifndef ASSAY_METRICS_SPEED_PLANE_H
#define ASSAY_METRICS_SPEED_PLANE_H

#include <stdbool.h>
#include <stdint.h>

enum { SPEED_SIDE = 5, SPEED_SHIFTS = SPEED_SIDE * SPEED_SIDE };

/* Elements of the detail, and whole blocks of SPEED_SIDE x SPEED_SIDE in it. */
struct speed_size {
    uint32_t width, height, across, down, blocks;
};

/* For speed_log2: of the middle of each of 128 parts of [1, 2), the reciprocal as a float, and the logarithm. */
enum { SPEED_LOG_PARTS = 128 };
struct speed_logs {
    double reciprocal[SPEED_LOG_PARTS], log[SPEED_LOG_PARTS];
};
void speed_logs_make(struct speed_logs *logs);

/* log2 of a normal number above 0, within 1e-15; near 1 from above within 1e-12 of itself. assay_log2 takes a hundred
 * times as long. */
double speed_log2(const struct speed_logs *logs, double v);

struct speed_picture {
    float *variance, *entropy; /* S and E of each block */
    bool bad;                  /* the covariance is singular: S is 0 */
};

/* detail[y * width + x] is below 1024 in size. `fixed` has room for width * height words. */
void speed_picture_solve(const struct speed_size *size, const struct speed_logs *logs, const float *detail, float noise,
                         int64_t *fixed, struct speed_picture *picture);

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Rows are padded with zeros, so that vectors of four fit. */
enum { SPEED_ROW = 28 };
typedef float speed_matrix[SPEED_SHIFTS][SPEED_ROW];

/* The eigenvalues of a symmetric matrix, in the order in which the algorithm leaves them. */
void speed_eigenvalues(const speed_matrix k, float value[SPEED_SHIFTS]);

/* Triangular factor and transposed rotation: right = q k. False where a pivot of `right` is below 1e-6. */
bool speed_factor(const speed_matrix k, speed_matrix q, speed_matrix right);

/* C = log2(2 pi e) */
#define SPEED_LOG2_2PIE 4.094191170361282

/* An eigenvalue or a pivot below it makes a covariance singular; so much less than the diagonal beside it is 0. */
#define SPEED_TINY 1e-6

static inline float speed_abs(float v)
{
    return v < 0.0f ? -v : v;
}

#endif
