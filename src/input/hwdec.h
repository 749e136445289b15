/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a file's pictures are decoded on the device that scores them: --hwdec. */
#ifndef ASSAY_INPUT_HWDEC_H
#define ASSAY_INPUT_HWDEC_H

#include <stdbool.h>
#include <stddef.h>

enum hwdec_wish {
    HWDEC_OFF,  /* in software. The default, because decoders on the device do not report damage */
    HWDEC_AUTO, /* on the device if that is possible, else in software with a line that says why */
    HWDEC_CUDA, /* on the device; an error if that is not possible */
};

/* Possible obstacles to decoding on the device. A NULL string or a false flag is no obstacle. */
struct hwdec_facts {
    enum hwdec_wish wish;
    const char *backend;      /* --backend; NULL: the CPU */
    bool several_devices;
    bool once;                /* a pipe or standard input: it can't be opened a second time, in software */
    const char *no_hwaccel;   /* the codec, when this libavcodec has no CUDA hwaccel for it */
    const char *inexact;      /* the codec, when two decoders of it may give different pictures */
    const char *refused;      /* why the decoder on the device could not be opened */
    const char *format;       /* the device's pixel format, when no kernel reads it */
    const char *converted;    /* the difference between the two inputs that is converted on the host */
};

enum hwdec_answer {
    HWDEC_IN_SOFTWARE, /* as the user asked */
    HWDEC_FELL_BACK,   /* in software; the user is told `why` */
    HWDEC_ON_DEVICE,
    HWDEC_IMPOSSIBLE,  /* asked for by name: an error that says `why` */
};

/* `why` holds `size` bytes. */
enum hwdec_answer hwdec_decide(const struct hwdec_facts *facts, char *why, size_t size);

#endif
