/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_TESTS_CUDA_EMULATE_H
#define ASSAY_TESTS_CUDA_EMULATE_H

#ifdef __cplusplus
extern "C" {
#endif

struct emulated_index { unsigned x, y, z; };
extern struct emulated_index threadIdx, blockIdx;

/* Runs `work` as every thread of block (x, y) at once: `threadIdx` and `blockIdx` say which. */
void emulate_block(void (*work)(const void *argument), const void *argument, unsigned x, unsigned y, unsigned threads);

/* For the threads: waits until all of the block are here. */
void emulated_barrier(void);

#ifdef __cplusplus
}
#endif

#endif
