/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands between the command's objects and two functions (the linker's --wrap): the machine has 16 processors, and some
 * pictures take longer to read than those behind them: the first two reads of a run wait until there is a third one,
 * where several threads read. At the end the most reads at one time are written to the file that ASSAY_MOST_READS
 * names, and how many pictures stayed where a decoder had them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/cpu.h"
#include "input/input.h"

unsigned __wrap_cpu_allowed_count(void);
unsigned __wrap_cpu_allowed_count(void) { return 16; }

static int calls, reads, most_reads, lent; /* atomic */

enum { PATIENCE = 10000 }; /* milliseconds */

int __real_input_finish(struct input *in, const struct input_place *place, const struct picture *dst,
                        struct picture_info *info, struct assay_error *e);
int __wrap_input_finish(struct input *in, const struct input_place *place, const struct picture *dst,
                        struct picture_info *info, struct assay_error *e);
int __wrap_input_finish(struct input *in, const struct input_place *place, const struct picture *dst,
                        struct picture_info *info, struct assay_error *e)
{
    const int now = __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED);
    int most = __atomic_load_n(&most_reads, __ATOMIC_RELAXED);
    while (now > most &&
           !__atomic_compare_exchange_n(&most_reads, &most, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    const int call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    const bool several = in->positioned && call <= 2;
    for (int waited = 0; several && waited < PATIENCE && __atomic_load_n(&calls, __ATOMIC_RELAXED) < 3; waited++)
        usleep(1000);
    if (place->index % 3 == 0)
        usleep(3000);
    const int got = __real_input_finish(in, place, dst, info, e);
    __atomic_sub_fetch(&reads, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&lent, got > 0 && info->lent.release != NULL, __ATOMIC_RELAXED);
    return got;
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("ASSAY_MOST_READS");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%d %d\n", most_reads, lent);
        fclose(f);
    }
}
