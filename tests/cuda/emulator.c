/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a block of a CUDA kernel on the host: its threads are coroutines that take turns at barriers, in order. */
#include "cuda/emulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { MAX_THREADS = 1024, STACK = 64 << 10, WARP = 32 };

struct emulated_index { unsigned x, y, z; };
extern struct emulated_index threadIdx, blockIdx;
struct emulated_index threadIdx, blockIdx;

void emulated_barrier(void);
uint64_t emulated_exchange(uint64_t value, int lane_xor);

static struct {
    ucontext_t caller, thread[MAX_THREADS];
    bool ended[MAX_THREADS];
    unsigned threads;
    char *stacks;
    uint64_t exchanged[MAX_THREADS];
    emulated_kernel *kernel;
    const struct cuda_args *args;
} block;

static void switch_from(unsigned me, bool ended)
{
    const unsigned next = me + 1 == block.threads ? 0 : me + 1;
    block.ended[me] = ended;
    if (ended && next == 0) { /* the last thread ends last, if all met the same barriers */
        setcontext(&block.caller);
    } else if (block.ended[next]) {
        fprintf(stderr, "the threads of a block met different barriers\n");
        abort();
    }
    threadIdx.x = next;
    if (ended)
        setcontext(&block.thread[next]);
    swapcontext(&block.thread[me], &block.thread[next]);
    threadIdx.x = me;
}

void emulated_barrier(void)
{
    switch_from(threadIdx.x, false);
}

uint64_t emulated_exchange(uint64_t value, int lane_xor)
{
    const unsigned me = threadIdx.x;
    block.exchanged[me] = value;
    emulated_barrier();
    const uint64_t got = block.exchanged[me ^ ((unsigned)lane_xor % WARP)];
    emulated_barrier();
    return got;
}

static void run_thread(void)
{
    block.kernel(*block.args);
    switch_from(threadIdx.x, true);
}

void emulate_block(emulated_kernel *kernel, const struct cuda_args *args, unsigned x, unsigned y, unsigned threads)
{
    if (!block.stacks && !(block.stacks = malloc((size_t)MAX_THREADS * STACK)))
        abort();
    block.kernel = kernel;
    block.args = args;
    block.threads = threads;
    blockIdx = (struct emulated_index){x, y, 0};
    threadIdx = (struct emulated_index){0, 0, 0};
    for (unsigned t = 0; t < threads; t++) {
        getcontext(&block.thread[t]);
        block.thread[t].uc_stack.ss_sp = block.stacks + (size_t)t * STACK;
        block.thread[t].uc_stack.ss_size = STACK;
        block.ended[t] = false;
        makecontext(&block.thread[t], run_thread, 0);
    }
    swapcontext(&block.caller, &block.thread[0]);
}
