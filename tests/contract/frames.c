/* SPDX-License-Identifier: BSD-2-Clause */
/* A frame of more than 32 KiB, for tools/check_frames.py to see. */
#include <stddef.h>

void frames_large(volatile char *to, size_t n);

void frames_large(volatile char *to, size_t n)
{
    volatile char piece[33 * 1024];
    for (size_t i = 0; i < n; i++)
        piece[i % sizeof piece] = to[i];
    for (size_t i = 0; i < n; i++)
        to[i] = piece[i % sizeof piece];
}
