/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT, SIGTERM and SIGHUP end a run early. The scores until then are reported as incomplete. */
#include "cli/cli.h"
#include "input/stream.h"

static void on_signal(int number)
{
    input_stop = number;
}

void signals_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
        sigemptyset(&act.sa_mask);
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN) /* stays ignored: nohup, jobs */
            sigaction(numbers[i], &act, NULL);
    }
}

int signals_stopped(struct assay_error *e)
{
    const int number = input_stop;
    *e = (struct assay_error){0};
    return assay_fail(e, -128 - number, "stopped by %s",
                      number == SIGINT    ? "SIGINT"
                      : number == SIGTERM ? "SIGTERM"
                                          : "SIGHUP");
}
