/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of a kernel's head that only the host reads, through dialect/describe.h. C, CUDA and GLSL ignore them. The
 * checking C build gets the rows of READS and WRITES from the host, as struct kernel_rows.
 */
#ifndef ASSAY_DIALECT_INTERFACE_H
#define ASSAY_DIALECT_INTERFACE_H

#define READS(name, layers, factor, before, after)
#define WRITES(name, layers)
#define LAYERS(name, layers)
#define SUM(k, name)
#define SUMS(k, n, name)
#define SUM_HALVES(k, name)
#define SUMS_HALVES(k, n, name)
#define SUM_LIMBS(k, limbs, scale, name)
#define SUMS_LIMBS(k, n, limbs, scale, name)

#ifndef KEPT
#define HERE(x, y)
#define KEPT(v) (v)
#define SIDE_BY_SIDE(v, n)
#endif
#ifndef IN_MEMORY
#define IN_MEMORY(v)
#endif
#ifndef HALVES_OF
#define HALVES_OF(low, high) (((low) & 0xffffu) | ((high) & 0xffff0000u))
#endif
#ifndef SUM_DOT_I16
#define SUM_DOT_I16(k, x, y, a, b) SUM_ZERO_I32(k, x, y, i32_from_u32(dot_i16(a, b)))
#endif
#ifndef LANES /* words that are C's alone */
/* tools/kernel_list.py reads these words of the head; the build defines KERNEL_SUMS and so on from them. */
#define TOTALS(n, max)
#define NO_TOTALS
#define TOTALS_U64(n, max, wide)
#define HISTOGRAM(n)
#define ROW_SUMS(n)
#define WORDS
#define EXTREMA(n)

/* Sums and a plane of one encode: a kernel runs for each. */
#define ENCODES(name)
#define INNER(columns, rows)
#define INNER_PART(columns, rows)
#define INNER_PAIRS(columns, rows)
#define FIRST_ENCODE true
#define TILE_RECALLED(T, name, n)
#define RECALL(v, n, name, cy, x, y)
#define TLD_OF(name, plane, ox, x, oy, y)
#endif

#endif
