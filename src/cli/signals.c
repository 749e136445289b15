/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT, SIGTERM and SIGHUP end a run early. The scores until then are reported as incomplete. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "host/text.h"
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

/* Signals that are ignored stay so: nohup, jobs. */
static void act_by(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction act = {.sa_handler = handler}, old;
    sigemptyset(&act.sa_mask);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &act, NULL);
}

/* No stream waits for data any more, and readers of videos end with their frame. A library that decodes an image can't
 * be asked to end, so the process does. The next signal kills; a job of assay batch ends with the process that started
 * it, which passes its signals on. */
static void on_alarm(int number)
{
    const char *const piece[] = {"assay: stopped by ", name_of(signals_why()), "\n"};
    (void)number;
    if (!cli_stop.above)
        act_by(SIG_DFL);
    if (!__atomic_load_n(&image_decoding, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < 3; i++)
        text_write(STDERR_FILENO, piece[i], strlen(piece[i]));
    _exit(128 + signals_why());
}

static int waits; /* SA_RESTART; 0: the alarm ends a wait for who reads what is written */

/* timeout(1) signals a process and its group, so one signal may come twice. A second one that comes within half a
 * second of the first is the same. An alarm before the first is of whoever started the process, and kills. */
static void on_signal(int number)
{
    static const struct itimerval patience = {.it_value = {.tv_usec = 500000}};
    struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = waits};
    if (signals_why())
        return;
    input_stop(&cli_stop, number);
    sigemptyset(&alarm.sa_mask);
    sigaction(SIGALRM, &alarm, NULL);
    setitimer(ITIMER_REAL, &patience, NULL);
}

void signals_catch(bool drops)
{
    waits = drops ? 0 : SA_RESTART;
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL); /* where the parent has blocked it, no second signal would kill */
    if (!signals_why()) /* else the next one kills */
        act_by(on_signal);
}

int signals_stopped(struct assay_error *e)
{
    const int number = signals_why();
    *e = (struct assay_error){0};
    return assay_fail(e, -128 - number, "stopped by %s", name_of(number));
}
