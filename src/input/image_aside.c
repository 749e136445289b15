/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Some libraries print lines of their own on standard error (dav1d behind libavif, libjxl). A decoder runs in a thread
 * that has its own table of files, in which descriptor 2 is a file in memory. So no other thread's lines are touched.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/text.h"
#include "host/thread.h"
#include "input/image_decoder.h"
#include "input/reader.h"

/* A sanitizer's report goes to standard error, too, and must be seen. */
#ifndef __has_feature /* is clang's */
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

struct aside {
    const struct image_decoder *decoder;
    struct image *image;
    const struct image_file *file;
    struct assay_error error; /* of the decoder */
    char said[160]; /* the first line that the library printed */
};

/* Descriptor 2 of this thread alone becomes a file in memory, which is returned. Negative: it stays as it is. */
static int turn_aside(void)
{
    if (SANITIZED || unshare(CLONE_FILES))
        return -1;
    const int memory = memfd_create("standard error", MFD_CLOEXEC);
    return memory >= 0 && dup2(memory, STDERR_FILENO) < 0 ? -1 : memory;
}

static void decode_bytes(struct aside *a)
{
    const uint64_t size = a->file->size;
    unsigned char *data = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    if (!data)
        assay_fail(&a->error, ASSAY_EINTERNAL, "%s: out of memory for %" PRIu64 " bytes", a->image->name, size);
    else if (a->file->look_at(a->file, 0, data, (size_t)size) != size)
        assay_fail(&a->error, ASSAY_EINPUT, "%s: can't be read", a->image->name);
    else
        a->decoder->decode_bytes(a->image, data, (size_t)size, &a->error);
    free(data);
}

static void *decode(void *opaque)
{
    struct aside *a = opaque;
    char text[sizeof a->said];
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); /* handlers print, too */
    const int memory = turn_aside();
    if (a->decoder->decode)
        a->decoder->decode(a->image, a->file, &a->error);
    else
        decode_bytes(a);
    const ssize_t n = memory < 0 ? 0 : pread(memory, text, sizeof text, 0);
    if (n > 0) {
        const char *end = memchr(text, '\n', (size_t)n);
        text_for_message(a->said, sizeof a->said, (const unsigned char *)text, end ? (size_t)(end - text) : (size_t)n);
    }
    return NULL;
}

int image_decode_aside(const struct image_decoder *decoder, struct image *image, const struct image_file *file,
                       struct assay_error *e)
{
    struct aside a = {.decoder = decoder, .image = image, .file = file};
    pthread_t thread;
    if (thread_start(&thread, decode, &a))
        return assay_fail(e, ASSAY_EINTERNAL, "%s: no thread can be started to read it", image->name);
    pthread_join(thread, NULL);
    if (a.said[0] && a.error.code)
        text_append(a.error.text, sizeof a.error.text, " (%s)", a.said);
    else if (a.said[0])
        image_notice(image, "its decoder says: %s", a.said);
    return a.error.code ? assay_fail(e, a.error.code, "%s", a.error.text) : ASSAY_OK;
}
