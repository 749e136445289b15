/* SPDX-License-Identifier: BSD-2-Clause */
#define LIBAV_LOADER
#include "input/libav_load.h"

#include <pthread.h>
#include <stdio.h>

#include "host/late.h"

struct libav_functions libav_functions;

/* The libraries of the versions that this was built with. The number in a library's name is its binary interface's. */
enum library { AVUTIL, AVCODEC, AVFORMAT, LIBRARIES };
static const char *const soname[LIBRARIES] = {"libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR),
                                              "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR),
                                              "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static char failure[400]; /* why it is not loaded */

static void *libav_open_library(enum library which)
{
    /* Never closed: threads and handlers of the libraries may outlive a reader. */
    void *const library = dlopen(soname[which], RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s can't be loaded (%s)", soname[which],
                 reason ? reason : "no reason given");
    }
    return library;
}

static bool libav_find(void *library, enum library which, const char *name, void *to)
{
    if (!late_find(library, name, to)) {
        snprintf(failure, sizeof failure, "%s has no %s", soname[which], name);
        return false;
    }
    return true;
}

static void libav_load_all(void)
{
    void *library[LIBRARIES];
    for (unsigned i = 0; i < LIBRARIES; i++)
        if (!(library[i] = libav_open_library((enum library)i)))
            return;
#define FIND(which, name) \
    if (!libav_find(library[which], which, #name, &libav_functions.name)) \
        return;
    LIBAV_EACH_FUNCTION(FIND)
#undef FIND
    loaded = true;
}

int libav_load(const char *name, bool image, struct assay_error *e)
{
    pthread_once(&once, libav_load_all);
    if (loaded)
        return ASSAY_OK;
    /* libavcodec 59 is FFmpeg 5's, and so on. */
    return assay_fail(e, ASSAY_EINPUT,
                      "%s: is %s, and FFmpeg's libraries, which may read it, are not there: %s; install FFmpeg %d%s",
                      name, image ? "no image that assay knows" : "neither Y4M nor raw", failure,
                      LIBAVCODEC_VERSION_MAJOR - 54,
                      image ? "" : ", or give -w, -h, -p and -b if it is raw YUV");
}

bool libav_loaded(void)
{
    return loaded;
}
