/* SPDX-License-Identifier: BSD-2-Clause */
/* A clip of VapourSynth as a side of a session. */
#ifndef ASSAY_VAPOURSYNTH_CLIP_H
#define ASSAY_VAPOURSYNTH_CLIP_H

#include <VapourSynth4.h>
#include <assay/assay.h>

struct vs_clip {
    VSNode *node;
    const char *name;     /* of the argument, in messages */
    int frames;
    assay_format format;  /* by the clip's format and the properties of its first frame */
};

/* Reads the argument `name`, whose node is kept. Non-zero: `why` says why the clip can't be scored. */
int vs_clip_open(struct vs_clip *c, const char *name, const VSMap *in, const VSAPI *vsapi, char *why, int size);

/* Lends frame n as a picture. Non-zero: its properties say that it stands for other colours than the first frame. */
int vs_clip_picture(const struct vs_clip *c, const VSFrame *frame, int n, assay_picture *picture, const VSAPI *vsapi,
                    char *why, int size);

#endif
