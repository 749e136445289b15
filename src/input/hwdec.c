/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/hwdec.h"

#include <stdio.h>
#include <string.h>

/* Finds the first obstacle to decoding on the device. Obstacles that the user has chosen come first. */
static bool hwdec_obstacle(const struct hwdec_facts *f, char *why, size_t size)
{
    if (!f->backend || strcmp(f->backend, "cuda") != 0)
        snprintf(why, size, "it needs --backend cuda");
    else if (f->several_devices)
        snprintf(why, size, "the frames go to several devices, and a decoder's stay on its own");
    else if (f->once && f->wish == HWDEC_AUTO)
        snprintf(why, size,
                 "what is no file by name can't be read again if the device refuses it (--hwdec cuda tries)");
    else if (f->no_hwaccel)
        snprintf(why, size, "this libavcodec has no CUDA decoder for %s", f->no_hwaccel);
    else if (f->inexact)
        snprintf(why, size, "decoders of %s differ in the samples that they give", f->inexact);
    else if (f->refused)
        snprintf(why, size, "the device refuses: %s", f->refused);
    else if (f->format)
        snprintf(why, size, "the device would give %s, which can't be scored", f->format);
    else if (f->converted)
        snprintf(why, size, "the two differ in %s, which is converted on the host", f->converted);
    else
        return false;
    return true;
}

enum hwdec_answer hwdec_decide(const struct hwdec_facts *f, char *why, size_t size)
{
    *why = 0;
    if (f->wish == HWDEC_OFF)
        return HWDEC_IN_SOFTWARE;
    if (!hwdec_obstacle(f, why, size))
        return HWDEC_ON_DEVICE;
    return f->wish == HWDEC_CUDA ? HWDEC_IMPOSSIBLE : HWDEC_FELL_BACK;
}
