/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/numbers.h"

/* Seconds between two updates of the line on a terminal, and between two lines elsewhere. */
#define TERMINAL_PAUSE 0.1
#define LINES_PAUSE 60.0

const char PROGRESS_VMAF[] = "FPS";

static struct progress_count *shared;

void progress_share(struct progress_count *to)
{
    shared = to;
}

void progress_start(struct progress *p, FILE *stream, bool anyway, uint64_t total, const char *unit)
{
    if (shared)
        shared->total = total;
    *p = (struct progress){.total = total, .unit = unit, .terminal = isatty(fileno(stream)) != 0};
    if (!p->terminal && !anyway)
        return;
    if (!p->terminal && unit == PROGRESS_VMAF)
        p->unit = "frames";
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    p->stream = stream;
    p->colour = p->terminal && !(no_colour && *no_colour) && !(term && strcmp(term, "dumb") == 0);
    p->start = clock_ns();
    p->shown = -LINES_PAUSE;
}

unsigned progress_columns(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? 80 : size.ws_col;
}

int progress_duration(char *text, size_t size, double seconds)
{
    if (seconds >= 360000) /* 100 hours; nobody waits for the minutes */
        return snprintf(text, size, "%llu h",
                        seconds < 3.6e18 ? (unsigned long long)(seconds / 3600) : 1000000000000000ull);
    unsigned s = (unsigned)(seconds + 0.5);
    if (s >= 3600)
        return snprintf(text, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    return snprintf(text, size, "%u:%02u", s / 60, s % 60);
}

/* The line of libvmaf's command. The turning dash shows that frames go by. */
static void vmaf_line(const struct progress *p, uint64_t done, double seconds)
{
    char rate[NUMBER_TEXT_SIZE];
    format_fixed(rate, seconds > 0 ? (double)done / seconds : 0, 2);
    fprintf(p->stream, "\r%llu frame%s %c %s FPS\033[K", (unsigned long long)done, done == 1 ? " " : "s",
            "|/-\\"[done & 3], rate);
    fflush(p->stream);
}

int progress_line(char *text, size_t size, uint64_t done, uint64_t total, const char *unit, double seconds)
{
    char line[200], rate_text[NUMBER_TEXT_SIZE];
    double rate = seconds > 0 ? (double)done / seconds : 0;
    unsigned long long d = done, t = total;
    int n;
    if (total == 0 || done > total)
        n = snprintf(line, sizeof line, "%llu %s", d, unit);
    else
        n = snprintf(line, sizeof line, "%llu/%llu %s  %3u %%", d, t, unit,
                     (unsigned)(100.0 * (double)done / (double)total));
    if (rate > 0) {
        format_fixed(rate_text, rate, rate < 10 ? 2 : 1);
        n += snprintf(line + n, sizeof line - (size_t)n, "  %s %s/s", rate_text, unit);
        if (total > done) {
            n += snprintf(line + n, sizeof line - (size_t)n, "  ");
            n += progress_duration(line + n, sizeof line - (size_t)n, (double)(total - done) / rate);
            snprintf(line + n, sizeof line - (size_t)n, " left");
        }
    }
    return snprintf(text, size, "%s", line) < (int)size ? (int)strlen(text) : (int)size - 1;
}

bool progress_due(struct progress *p)
{
    if (!p->stream)
        return false;
    const double time = clock_seconds_since(p->start);
    if (time - p->shown < (p->terminal ? TERMINAL_PAUSE : LINES_PAUSE))
        return false;
    p->shown = time;
    return true;
}

/* Cuts a text to `columns` columns, of which a UTF-8 character takes one. Returns how many it takes. */
static size_t cut(char *text, size_t columns)
{
    size_t n = 0;
    for (; *text; text++) {
        const bool begins = (*text & 0xc0) != 0x80;
        if (begins && n == columns)
            *text = '\0';
        n += begins && *text;
        if (!*text)
            break;
    }
    return n;
}

void progress_show(struct progress *p, const char *text)
{
    char line[400];
    snprintf(line, sizeof line, "%s", text);
    if (!p->terminal) {
        fprintf(p->stream, "assay: %s\n", line);
    } else {
        const int width = (int)cut(line, progress_columns(p->stream) - 1);
        /* Blanks hide the rest of a longer line. This works on any terminal that knows the carriage return. */
        const int rest = p->width > width ? p->width - width : 0;
        fprintf(p->stream, "\r%s%s%s%*s", p->colour ? "\033[36m" : "", line, p->colour ? "\033[0m" : "", rest, "");
        p->width = width;
    }
    fflush(p->stream);
}

void progress_update(struct progress *p, uint64_t done)
{
    char text[200];
    if (shared)
        shared->done = done;
    if (!progress_due(p))
        return;
    if (p->terminal && p->unit == PROGRESS_VMAF) {
        vmaf_line(p, done, p->shown);
        p->width = 1;
        return;
    }
    progress_line(text, sizeof text, done, p->total, p->unit, p->shown);
    progress_show(p, text);
}

void progress_erase(struct progress *p)
{
    if (!p->stream || p->width == 0)
        return;
    if (p->unit == PROGRESS_VMAF)
        fputs("\n", p->stream); /* the line stays, as there */
    else
        fprintf(p->stream, "\r%*s\r", p->width, "");
    fflush(p->stream);
    p->width = 0;
    p->shown -= TERMINAL_PAUSE;
}
