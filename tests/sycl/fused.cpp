/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled for a GPU with contraction on, as a build with the wrong flags would be: the contract check must see it. */
#include <sycl/sycl.hpp>

void fused(sycl::queue &queue, float *v);
void fused(sycl::queue &queue, float *v)
{
    queue.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { v[i] = v[i] * v[i + 1] + v[i + 2]; });
}
