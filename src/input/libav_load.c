/* SPDX-License-Identifier: BSD-2-Clause */
#define LIBAV_LOADER
#include "input/libav_load.h"

#include <stdio.h>
#include <string.h>

#include "host/late.h"

struct libav_functions libav_functions;

/* The libraries of the versions that this was built with. The number in a library's name is its binary interface's. */
enum library { AVUTIL, AVCODEC, AVFORMAT, LIBRARIES };
static const char *const soname[LIBRARIES] = {"libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR),
                                              "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR),
                                              "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)};

static void *libav_open_library(enum library which, char *why, size_t size)
{
    /* Never closed: threads and handlers of the libraries may outlive a reader. */
    void *const library = dlopen(soname[which], RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        /* glibc's words for a library that is not there, as against one that lacks a library of its own. */
        static const char absent[] = ": can" "not open shared object file: No such file or directory";
        const char *reason = dlerror();
        const size_t n = strlen(soname[which]);
        const bool none = !reason || (!strncmp(reason, soname[which], n) && !strcmp(reason + n, absent));
        snprintf(why, size, "%s", none ? soname[which] : reason);
    }
    return library;
}

bool libav_load(char *why, size_t size)
{
    void *library[LIBRARIES];
    for (unsigned i = LIBRARIES; i-- > 0;) /* the others are those that libavformat is linked with */
        if (!(library[i] = libav_open_library((enum library)i, why, size)))
            return false;
#define FIND(which, name) \
    if (!late_find(library[which], #name, &libav_functions.name)) { \
        snprintf(why, size, "%s has no %s", soname[which], #name); \
        return false; \
    }
    LIBAV_EACH_FUNCTION(FIND)
#undef FIND
    return true;
}
