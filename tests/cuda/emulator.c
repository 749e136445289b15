/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a block of a CUDA kernel on the host: its threads are coroutines that take turns at barriers, in order. They
 * live as long as the program and wait for the next block. A context of ucontext.h starts each; turns are taken with
 * longjmp, which makes no system call, and which must not be checked: it goes to another stack.
 */
#undef _FORTIFY_SOURCE
#include "cuda/emulate.h"

#include <setjmp.h>
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
    jmp_buf caller, thread[MAX_THREADS];
    bool ended[MAX_THREADS];
    unsigned threads, made; /* of this block; coroutines that exist */
    char *stacks;
    uint64_t exchanged[MAX_THREADS];
    emulated_kernel *kernel;
    const struct cuda_args *args;
} block;

static void run_thread(void);

static _Noreturn void make_thread(unsigned t)
{
    static ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = block.stacks + (size_t)t * STACK;
    context.uc_stack.ss_size = STACK;
    block.made = t + 1;
    makecontext(&context, run_thread, 0);
    setcontext(&context);
    abort();
}

static _Noreturn void resume(unsigned t)
{
    threadIdx.x = t;
    if (t == block.made)
        make_thread(t);
    _longjmp(block.thread[t], 1);
}

/* Comes back when it is this thread's turn again: of the next block, when it had ended. */
static void switch_from(unsigned me, bool ended)
{
    const unsigned next = me + 1 == block.threads ? 0 : me + 1;
    block.ended[me] = ended;
    if (_setjmp(block.thread[me])) {
        threadIdx.x = me;
        return;
    }
    if (ended && next == 0) /* the last thread ends last, if all met the same barriers */
        _longjmp(block.caller, 1);
    if (block.ended[next]) {
        fprintf(stderr, "the threads of a block met different barriers\n");
        abort();
    }
    resume(next);
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
    for (;;) {
        block.kernel(*block.args);
        switch_from(threadIdx.x, true);
    }
}

void emulate_block(emulated_kernel *kernel, const struct cuda_args *args, unsigned x, unsigned y, unsigned threads)
{
    if (!block.stacks && !(block.stacks = malloc((size_t)MAX_THREADS * STACK)))
        abort();
    block.kernel = kernel;
    block.args = args;
    block.threads = threads;
    blockIdx = (struct emulated_index){x, y, 0};
    for (unsigned t = 0; t < threads; t++)
        block.ended[t] = false;
    if (!_setjmp(block.caller))
        resume(0);
}
