/* SPDX-License-Identifier: BSD-2-Clause */
/* What a generated unit of kernels makes of each of them: a function that starts it. */
#ifndef ASSAY_KERNELS_SYCL_LAUNCH_H
#define ASSAY_KERNELS_SYCL_LAUNCH_H

#include <vector>

#include <sycl/sycl.hpp>

#include "kernels/dialect/sycl_args.h"

/* What a kernel runs behind, beside the queue's own commands. */
typedef const std::vector<sycl::event> &sycl_after;

/* A kernel in one of its forms (enum sycl_form). `watched`: its event is waited for, or asked for times. */
struct sycl_kernel {
    sycl::event (*start)(sycl::queue &queue, const sycl_args &args, sycl_after after, bool watched);
    size_t (*local_words)(); /* of 64 bits */
    uint32_t tile_w, tile_h, threads;
};

/* AdaptiveCpp records an event behind each command, unless it is told that nobody looks at it. */
template <typename F> sycl::event sycl_submit(sycl::queue &queue, bool watched, F f)
{
#ifdef ACPP_EXT_COARSE_GRAINED_EVENTS
    if (!watched)
        return queue.submit({sycl::property::command_group::AdaptiveCpp_coarse_grained_events()}, f);
#endif
    return queue.submit(f);
}

/* K is the kernel's class in its namespace. */
template <typename K>
sycl::event sycl_start_items(sycl::queue &queue, const sycl_args &args, sycl_after after, bool watched)
{
    const size_t across = ((size_t)args.grid_w + K::TILE_COLUMNS - 1) / K::TILE_COLUMNS;
    const size_t down = ((size_t)args.grid_h + K::TILE_ROWS - 1) / K::TILE_ROWS;
    const size_t words = K::local_words();
    return sycl_submit(queue, watched, [&](sycl::handler &h) {
        h.depends_on(after);
        sycl::local_accessor<uint64_t, 1> memory(sycl::range<1>(words ? words : 1), h);
        const sycl_args given = args;
        h.parallel_for<K>(
            sycl::nd_range<2>(sycl::range<2>(down, across * K::ITEMS), sycl::range<2>(1, K::ITEMS)),
            [=](sycl::nd_item<2> item) { K::run(given, &item, &memory[0]); });
    });
}

/* K is the class of the kernel's form for processors. */
template <typename K>
sycl::event sycl_start_tiles(sycl::queue &queue, const sycl_args &args, sycl_after after, bool watched)
{
    const size_t across = ((size_t)args.grid_w + K::TILE_COLUMNS - 1) / K::TILE_COLUMNS;
    const size_t down = ((size_t)args.grid_h + K::TILE_ROWS - 1) / K::TILE_ROWS;
    return sycl_submit(queue, watched, [&](sycl::handler &h) {
        h.depends_on(after);
        const sycl_args given = args;
        h.parallel_for<K>(sycl::range<2>(down, across),
                          [=](sycl::item<2> tile) { K::run(given, tile.get_id(0), tile.get_id(1), across); });
    });
}

#endif
