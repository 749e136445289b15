/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the reader of containers: that of the newest of FFmpeg's libraries that are there. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/late.h"
#include "host/text.h"
#include "input/libav_reader.h"
#include "libav_builds.h" /* LIBAV_BUILT_IN, LIBAV_MAJORS: the numbers that this build has readers of, newest first */

static const unsigned majors[] = {LIBAV_MAJORS};
enum { READERS = sizeof majors / sizeof majors[0], LIBAV_WHY = 400 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct libav_reader *chosen;
static char failure[2 * LIBAV_WHY]; /* why none is */

/* The reader for libavformat.so.MAJOR, or NULL and `why`. */
static const struct libav_reader *reader_of(unsigned major, char *why, size_t size)
{
#if LIBAV_BUILT_IN
    if (major == LIBAV_BUILT_IN)
        return &LIBAV_SYMBOL;
#endif
    char object[64];
    snprintf(object, sizeof object, "libassay-libav%u.so.0", major);
    /* Never closed, as FFmpeg's libraries are not. */
    void *const library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? NULL : dlerror();
    const struct libav_reader *const found = library ? dlsym(library, LIBAV_SYMBOL_TEXT) : NULL;
    if (!library)
        snprintf(why, size, "%s", reason ? reason : object);
    else if (!found || strcmp(found->version, ASSAY_VERSION) || found->input_size != sizeof(struct input) ||
             found->stream_size != sizeof(struct stream) || found->format_major != major)
        snprintf(why, size, "%s is of another build of assay", object);
    else
        return found;
    return NULL;
}

static void choose(void)
{
    for (unsigned i = 0; i < READERS; i++) {
        char why[LIBAV_WHY] = "";
        const struct libav_reader *const reader = reader_of(majors[i], why, sizeof why);
        if (reader && reader->load(why, sizeof why)) {
            chosen = reader;
            return;
        }
        text_append(failure, sizeof failure, "%s%s", *failure ? "; " : "", why);
    }
}

int libav_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
               struct assay_error *e)
{
    char versions[8 * READERS + 8] = "";
    pthread_once(&once, choose);
    if (chosen)
        return chosen->open(out, s, name, options, e);
    *out = NULL;
    stream_close(&s);
    /* libavformat 59 is FFmpeg 5's, and so on. */
    for (unsigned i = READERS; i-- > 0;)
        text_append(versions, sizeof versions, "%s%u", i + 1 == READERS ? "" : i ? ", " : " or ", majors[i] - 54);
    return assay_fail(e, ASSAY_EINPUT,
                      "%s: is %s, and FFmpeg's libraries, which may read it, are not there: %s; install FFmpeg %s%s",
                      name, options->image ? "no image that assay knows" : "neither Y4M nor raw", failure, versions,
                      options->image ? "" : FFMPEG_PLACES ", or give -w, -h, -p and -b if it is raw YUV");
}

const char *input_libraries(void)
{
    return chosen ? chosen->libraries : "";
}
