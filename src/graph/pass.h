/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How host code asks for a pass: by the names that the head of the kernel's text gives to planes, parameters and
 * totals. The build writes passes_gen.h from the heads; for a kernel `example` it holds
 *
 *     struct example_pass       the planes that it reads, its parameters, its grid
 *     example_add               adds the pass to a graph, or finds the equal one; gives the planes that it writes, and
 *     struct example_at         where its results are among those of a frame
 *     struct example_totals     its totals; example_totals reads them from the totals of a frame
 *     struct example_extrema    its extrema; example_extrema reads them from the extrema of a frame
 *
 * A request names every plane and every parameter once:
 *
 *     rc = example_add(graph, PASS_GRID(example, w, h, .source = plane, .scale = 0.5f), &at, &result, e);
 *
 * A name that the head does not have, one that is missing or given twice, a value without a name, and a value that
 * would lose its fraction or its precision do not compile.
 */
#ifndef ASSAY_GRAPH_PASS_H
#define ASSAY_GRAPH_PASS_H

#include "graph/graph.h"
#include "host/int128.h"
#include "kernels/shared.h"

#ifdef __clang__
#pragma clang diagnostic error "-Winitializer-overrides"
#pragma clang diagnostic error "-Wexcess-initializers"
#pragma clang diagnostic error "-Wfloat-conversion"
#pragma clang diagnostic error "-Wimplicit-float-conversion"
#pragma clang diagnostic error "-Wincompatible-pointer-types"
#define PASS_BY_NAME
#else
#pragma GCC diagnostic error "-Woverride-init"
#pragma GCC diagnostic error "-Wdesignated-init"
#pragma GCC diagnostic error "-Wfloat-conversion"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#define PASS_BY_NAME __attribute__((designated_init))
#endif

/* A pass over a grid of w x h items. Values hold no commas outside parentheses: an array is given by its address. */
#define PASS_GRID(kernel, w, h, ...) \
    (PASS_IS_COMPLETE(kernel, __VA_ARGS__), (struct kernel##_pass){.grid_w = (w), .grid_h = (h), __VA_ARGS__})

/* A pass over a grid of the size of the first plane that it reads. */
#define PASS(kernel, ...) PASS_GRID(kernel, 0, 0, __VA_ARGS__)

#define PASS_IS_COMPLETE(kernel, ...) \
    (void)sizeof(struct { \
        _Static_assert(PASS_ARGUMENTS(__VA_ARGS__) == kernel##_PASS_FIELDS, \
                       "a pass names every plane and parameter, each once"); \
        char unused; \
    })

/* The sum of values whose low and high 16 bits were added up apart. */
static inline assay_i128 pass_join_halves(struct kernel_halves sum)
{
    return sum.low + (assay_i128)sum.high * 65536;
}

/* The number of arguments, 1 to 16. */
#define PASS_ARGUMENTS(...) PASS_SEVENTEENTH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PASS_SEVENTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count

#endif
