/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts in buffers of a fixed size, and texts that are written to a file descriptor. */
#ifndef ASSAY_HOST_TEXT_H
#define ASSAY_HOST_TEXT_H

#include <stddef.h>

#if defined(__GNUC__)
#define TEXT_FORMAT __attribute__((format(printf, 3, 4)))
#else
#define TEXT_FORMAT
#endif

/* Appends to the text in `to`, which has room for `size` bytes. What does not fit is cut off. */
TEXT_FORMAT void text_append(char *to, size_t size, const char *format, ...);

/* Writes the folder of a path into `size` bytes: all before the file's name, or "." where the path is a name alone. */
void text_folder(char *to, size_t size, const char *path);

/* Writes all `size` bytes. Returns 0 or an errno. */
int text_write(int fd, const char *text, size_t size);

#endif
