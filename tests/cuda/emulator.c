/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a block of a kernel on the host: its threads are coroutines that take turns where they wait, in order: at a
 * barrier for all threads of the block, at an exchange for those of the warp that it names. They live as long as the
 * program and wait for the next block. A context of ucontext.h starts each; turns are taken with longjmp, which makes
 * no system call, and which must not be checked: it goes to another stack.
 */
#undef _FORTIFY_SOURCE
#include "cuda/emulate.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { MAX_THREADS = 1024, STACK = 64 << 10, WARP = 32 };

struct emulated_index threadIdx, blockIdx;

uint64_t emulated_exchange(unsigned lanes, uint64_t value, int lane_xor);
uint64_t emulated_product(uint32_t a, uint32_t b);

enum state { READY, AT_BARRIER, AT_EXCHANGE, ENDED };

static struct {
    jmp_buf caller, thread[MAX_THREADS];
    enum state state[MAX_THREADS];
    unsigned threads, made; /* of this block; coroutines that exist */
    unsigned at_barrier;    /* threads */
    char *stacks;
    uint64_t given[MAX_THREADS], got[MAX_THREADS]; /* in an exchange */
    void (*work)(const void *argument);
    const void *argument;
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

/* Comes back when this thread is ready and has its turn again: in the next block, when it had ended. */
static void wait_as(unsigned me, enum state state)
{
    block.state[me] = state;
    if (_setjmp(block.thread[me])) {
        threadIdx.x = me;
        return;
    }
    bool all_ended = true;
    for (unsigned i = 1; i <= block.threads; i++) {
        const unsigned t = (me + i) % block.threads;
        if (block.state[t] == READY)
            resume(t);
        all_ended &= block.state[t] == ENDED;
    }
    if (all_ended)
        _longjmp(block.caller, 1);
    fprintf(stderr, "the threads of a block met different barriers\n");
    abort();
}

void emulated_barrier(void)
{
    if (++block.at_barrier < block.threads) {
        wait_as(threadIdx.x, AT_BARRIER);
        return;
    }
    block.at_barrier = 0;
    for (unsigned t = 0; t < block.threads; t++)
        block.state[t] = READY;
}

/* Waits for those of a warp's `lanes` that are not here yet; true for the last one, which gives all their results. */
static bool last_of(unsigned lanes, uint64_t value)
{
    const unsigned me = threadIdx.x, warp = me / WARP * WARP;
    block.given[me] = value;
    block.state[me] = AT_EXCHANGE;
    for (unsigned l = 0; l < WARP; l++)
        if (lanes >> l & 1 && block.state[warp + l] != AT_EXCHANGE) {
            wait_as(me, AT_EXCHANGE);
            return false;
        }
    for (unsigned l = 0; l < WARP; l++)
        if (lanes >> l & 1)
            block.state[warp + l] = READY;
    return true;
}

uint64_t emulated_exchange(unsigned lanes, uint64_t value, int lane_xor)
{
    const unsigned warp = threadIdx.x / WARP * WARP;
    if (last_of(lanes, value))
        for (unsigned l = 0; l < WARP; l++)
            if (lanes >> l & 1)
                block.got[warp + l] = block.given[warp + (l ^ (unsigned)lane_xor)];
    return block.got[threadIdx.x];
}

/* Row i of the first matrix and column i of the second one are words of four bytes of lanes 4 i to 4 i + 3. Lane
 * 4 i + j gets columns 2 j and 2 j + 1 of row i of the product, the latter in the high word. */
uint64_t emulated_product(uint32_t a, uint32_t b)
{
    const unsigned warp = threadIdx.x / WARP * WARP;
    if (last_of(~0u, (uint64_t)b << 32 | a))
        for (unsigned l = 0; l < WARP; l++) {
            uint64_t sum[2] = {0, 0};
            for (unsigned column = 0; column < 2; column++)
                for (unsigned byte = 0; byte < 16; byte++) {
                    const uint64_t of_a = block.given[warp + l / 4 * 4 + byte / 4];
                    const uint64_t of_b = block.given[warp + (2 * (l % 4) + column) * 4 + byte / 4] >> 32;
                    sum[column] += (of_a >> byte % 4 * 8 & 0xff) * (of_b >> byte % 4 * 8 & 0xff);
                }
            block.got[warp + l] = sum[1] << 32 | sum[0];
        }
    return block.got[threadIdx.x];
}

static void run_thread(void)
{
    for (;;) {
        block.work(block.argument);
        wait_as(threadIdx.x, ENDED);
    }
}

void emulate_block(void (*work)(const void *argument), const void *argument, unsigned x, unsigned y, unsigned threads)
{
    if (!block.stacks && !(block.stacks = malloc((size_t)MAX_THREADS * STACK)))
        abort();
    block.work = work;
    block.argument = argument;
    block.threads = threads;
    blockIdx = (struct emulated_index){x, y, 0};
    for (unsigned t = 0; t < threads; t++)
        block.state[t] = READY;
    block.at_barrier = 0;
    if (!_setjmp(block.caller))
        resume(0);
}
