/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT, SIGTERM and SIGHUP end a run early. The scores until then are reported as incomplete. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "input/image.h"
#include "input/stream.h"

struct input_stop cli_stop;

int signals_why(void)
{
    return input_stopped(&cli_stop);
}

static const char *name_of(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

static void on_signal(int number)
{
    static const struct itimerval patience = {.it_value = {.tv_usec = 500000}};
    input_stop(&cli_stop, number);
    setitimer(ITIMER_REAL, &patience, NULL);
}

/* No stream waits for data any more, and readers of videos end with their frame. A library that decodes an image can't
 * be asked to end, so the process does. */
static void on_alarm(int number)
{
    static const char start[] = "assay: stopped by ";
    const char *name = name_of(signals_why());
    (void)number;
    if (!__atomic_load_n(&image_decoding, __ATOMIC_RELAXED))
        return;
    const bool told = write(STDERR_FILENO, start, sizeof start - 1) >= 0 &&
                      write(STDERR_FILENO, name, strlen(name)) >= 0 && write(STDERR_FILENO, "\n", 1) >= 0;
    (void)told; /* there is nobody to tell */
    _exit(128 + signals_why());
}

void signals_catch(void)
{
    struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&alarm.sa_mask);
    sigaction(SIGALRM, &alarm, NULL);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
        sigemptyset(&act.sa_mask);
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN) /* stays ignored: nohup, jobs */
            sigaction(numbers[i], &act, NULL);
    }
}

int signals_stopped(struct assay_error *e)
{
    const int number = signals_why();
    *e = (struct assay_error){0};
    return assay_fail(e, -128 - number, "stopped by %s", name_of(number));
}
