/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of containers, once for each version of FFmpeg's libraries that the build had the headers of. The
 * structures of these libraries differ from version to version, and the number in a library's name is that of its
 * structures. One reader is linked into the program. Others are shared objects, which export one structure.
 */
#ifndef ASSAY_INPUT_LIBAV_READER_H
#define ASSAY_INPUT_LIBAV_READER_H

#include "input/reader.h"

struct libav_reader {
    const char *version; /* of assay. Program and object must agree on it and on the sizes of two structures */
    size_t input_size, stream_size;
    unsigned format_major; /* the number in the name of libavformat */
    /* Loads FFmpeg's libraries. Called once. False: they are not there; `why` says which. */
    bool (*load)(char *why, size_t size);
    int (*open)(struct input **out, struct stream *s, const char *name, const struct input_options *options,
                struct assay_error *e); /* as libav_open, after a load that returned true */
    const char *libraries; /* versions, behind a load that returned true */
};

#define LIBAV_SYMBOL assay_libav_reader
#define LIBAV_SYMBOL_TEXT "assay_libav_reader"
#ifdef LIBAV_MODULE /* what makes it seen */
LIBAV_MODULE
#endif
extern const struct libav_reader LIBAV_SYMBOL;

#endif
