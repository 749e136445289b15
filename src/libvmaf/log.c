/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/log.h"

#include <stdio.h>

#include "host/text.h"

static _Atomic int most = VMAF_LOG_LEVEL_INFO;

void log_set_level(enum VmafLogLevel level)
{
    const int v = (int)level;
    most = v < VMAF_LOG_LEVEL_NONE ? VMAF_LOG_LEVEL_NONE : v > VMAF_LOG_LEVEL_DEBUG ? VMAF_LOG_LEVEL_DEBUG : v;
}

void log_line(enum VmafLogLevel level, const char *format, ...)
{
    static const char *const names[] = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
    char text[1200];
    if ((int)level > most)
        return;
    TEXT_GIVEN(text, sizeof text, format);
    fprintf(stderr, "libvmaf %s %s\n", names[level], text); /* one call, so that lines of threads do not mix */
}
