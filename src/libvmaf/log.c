/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/log.h"

#include <errno.h>
#include <stdarg.h>

static _Atomic int most = VMAF_LOG_LEVEL_INFO;

void log_set_level(enum VmafLogLevel level)
{
    const int v = (int)level;
    most = v < VMAF_LOG_LEVEL_NONE ? VMAF_LOG_LEVEL_NONE : v > VMAF_LOG_LEVEL_DEBUG ? VMAF_LOG_LEVEL_DEBUG : v;
}

/* One call of stdio for a line, so that lines of threads do not mix. */
__attribute__((format(printf, 2, 0))) static void write_line(int level, const char *format, va_list args)
{
    static const char *const names[] = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
    char text[1200];
    if (level > most)
        return;
    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "libvmaf %s %s\n", names[level], text);
}

void log_line(enum VmafLogLevel level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line((int)level, format, args);
    va_end(args);
}

int log_refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(VMAF_LOG_LEVEL_ERROR, format, args);
    va_end(args);
    return -EINVAL;
}
