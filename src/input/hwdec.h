/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a file's pictures are decoded on the device that scores them: --hwdec. */
#ifndef ASSAY_INPUT_HWDEC_H
#define ASSAY_INPUT_HWDEC_H

#include <stdbool.h>
#include <stddef.h>

enum hwdec_wish {
    HWDEC_OFF,  /* unless the user says otherwise: a decoder on the device does not tell what is damaged */
    HWDEC_AUTO, /* where it is possible, and else in software, which is said */
    HWDEC_CUDA, /* or not at all */
};

/* Strings are NULL, and the others false, where nothing speaks against it or it is not known yet. */
struct hwdec_facts {
    enum hwdec_wish wish;
    const char *backend;      /* as it was named, NULL: the CPU */
    bool several_devices;
    bool once;                /* a pipe or standard input, which can't be opened again in software */
    const char *no_hwaccel;   /* a codec for which this libavcodec has no CUDA hwaccel */
    const char *inexact;      /* a codec whose pictures depend on who decodes them */
    const char *refused;      /* why the decoder on the device could not be opened */
    const char *format;       /* samples as the device would give them, which can't be scored */
    const char *converted;    /* in what the pair differs, so that pictures are converted on the host */
};

enum hwdec_answer {
    HWDEC_IN_SOFTWARE,   /* as was wished: nothing is to be said about it */
    HWDEC_FELL_BACK,     /* in software, and `why` is to be said */
    HWDEC_ON_DEVICE,
    HWDEC_IMPOSSIBLE,    /* it was named: an error that says `why` */
};

/* `why` holds `size` bytes. */
enum hwdec_answer hwdec_decide(const struct hwdec_facts *facts, char *why, size_t size);

#endif
