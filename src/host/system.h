/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What systems have each in their way: src/host/posix has it for systems of POSIX, src/host/windows for Windows. No
 * other part of the library includes a header of a system, but for those of threads and of late loading. The command
 * includes headers of POSIX, which src/host/windows/posix has for Windows. Paths are UTF-8 on Windows, bytes elsewhere.
 */
#ifndef ASSAY_HOST_SYSTEM_H
#define ASSAY_HOST_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* PRINTF_LIKE: a function takes a format and what it names, as printf does. gcc for Windows means another printf by the
 * word than the one that is linked. FFMPEG_...: what else helps where FFmpeg's libraries are not there, in messages. */
#if defined(__MINGW32__)
#define PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#define FFMPEG_PIPE "; or decode with ffmpeg: ffmpeg -i x.mp4 -f yuv4mpegpipe - | assay ref.y4m -"
#define FFMPEG_PLACES ", of a shared build (gyan.dev, github.com/BtbN/FFmpeg-Builds): its folder bin in PATH or in " \
                      "ASSAY_FFMPEG, or its DLLs beside assay.exe" FFMPEG_PIPE
#else
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define FFMPEG_PIPE ""
#define FFMPEG_PLACES ""
#endif

/* Memory at a multiple of `alignment`, a power of two. NULL: there is none. memory_aligned_free alone frees it. */
void *memory_aligned(size_t alignment, size_t bytes);
void memory_aligned_free(void *memory);

/* Memory at a multiple of 64 bytes. Planes of a few MiB and more lie in whole huge pages where the system has them:
 * touching 25 MiB for the first time takes 14 ms in pages of 4 KiB and 3 ms in these, and a cheap metric scores 50
 * frames in that time. */
void *memory_planes(size_t bytes);

/* A text that is written as a file is. buffer_open returns the file; NULL: there is no memory. buffer_close closes it,
 * where it was opened, and returns its text with a NUL behind it, which the caller frees; NULL: there was no memory. */
struct buffer_text {
    FILE *file;
    char *text;
    size_t size;
};
FILE *buffer_open(struct buffer_text *b);
char *buffer_close(struct buffer_text *b);

/* Switches this thread, and no other, to the C locale, in which numbers are read and written, and back. */
struct c_locale {
    void *before;
    int kind;
};
struct c_locale c_locale_enter(void);
void c_locale_leave(struct c_locale saved);

/* The machine's name; "" where it has none. What does not fit is cut off. */
void system_name(char *name, size_t size);

/* Opens a regular file for reading. Another one, such as a pipe that nobody writes to, could keep the program waiting
 * for ever: NULL, and *regular is false. NULL with *regular: errno says why. */
FILE *system_open_regular(const char *path, bool *regular);

/* Names of files that are one to the system have one digest: out.csv, OUT.CSV and "out.csv." on Windows. */
uint64_t system_name_digest(const char *name);

/* Makes one folder. Returns 0 or an errno: EEXIST where something of the name is there. Windows has no modes. */
int system_make_folder(const char *path, unsigned mode);

#endif
