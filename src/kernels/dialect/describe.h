/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dialect for tools/kernels.py. The preprocessor with this header turns the head of a kernel text into lines that
 * start with @. The script drops all other lines.
 */
#include "kernels/shared.h"

#define KERNEL(name) @kernel name
#define PLANE_IN(slot, T, name) PLANE_IN_(slot, T, name)
#define PLANE_IN_(slot, T, name) @in slot T name @end
#define PLANE_OUT(slot, T, name) PLANE_OUT_(slot, T, name)
#define PLANE_OUT_(slot, T, name) @out slot T name @end
#define PARAM_I32(slot, name) @param slot 1 int32_t name @end
#define PARAM_F32(slot, name) @param slot 1 float name @end
#define PARAMS_I32(slot, n, name) @param slot n int32_t name @end
#define PARAMS_F32(slot, n, name) @param slot n float name @end
#define TOTALS(n, max) @sums n @end @sum_max max @end
#define NO_TOTALS @sums 0 @end
#define TOTALS_U64(n, max, u64s) TOTALS(n, max) @wide u64s @end
#define HISTOGRAM(n) @histogram n @end
#define ROW_SUMS(n) @row_sums n @end
#define WORDS @words 1 @end
#define EXTREMA(n) @extrema n @end
#define TILE(T, name, cols, rows) @tile T name @end
#define ENCODES(name) @encodes name @end
#define READS(name, layers, factor, before, after) @reads name layers factor before after @end
#define WRITES(name, layers) @writes name layers @end
#define LAYERS(name, n) @layers name n @end
#define SUM(k, name) @total k, 0, plain, 1, 0, name @end
#define SUMS(k, n, name) @total k, n, plain, 1, 0, name @end
#define SUM_HALVES(k, name) @total k, 0, halves, 2, 0, name @end
#define SUMS_HALVES(k, n, name) @total k, n, halves, 2, 0, name @end
#define SUM_LIMBS(k, limbs, scale, name) SUMS_LIMBS(k, 0, limbs, scale, name)
#define SUMS_LIMBS(k, n, limbs, scale, name) SUMS_LIMBS_(k, n, limbs, scale, name)
#define SUMS_LIMBS_(k, n, limbs, scale, name) @total k, n, split, limbs, scale, name @end
#define BEGIN @begin
#define ROWS 4 /* texts may test it and refuse other values */
