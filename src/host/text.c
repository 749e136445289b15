/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void text_append(char *to, size_t size, const char *format, ...)
{
    const size_t used = strlen(to);
    va_list args;
    va_start(args, format);
    vsnprintf(to + used, size - used, format, args);
    va_end(args);
}

void text_folder(char *to, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(to, size, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
}

int text_write(int fd, const char *text, size_t size)
{
    while (size) {
        const ssize_t n = write(fd, text, size);
        if (n < 0 && errno != EINTR)
            return errno;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}
