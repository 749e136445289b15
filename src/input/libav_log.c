/* SPDX-License-Identifier: BSD-2-Clause */
/* libav's messages are not printed. The last error that belongs to a reader is kept, to explain a failure of that
 * reader. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "host/text.h"
#include "input/libav.h"

static _Thread_local struct libav *listening, *reading;
char libav_versions[96];

void libav_read_for(struct libav *l)
{
    reading = l;
}

void libav_listen(struct libav *l)
{
    listening = l;
}

/*
 * The reader that a message belongs to, or NULL. `opaque` of a reader's demuxer is the reader. `opaque` of its
 * decoder is the packet that was sent last; each frame thread logs with a copy of the decoder's context, which
 * has the thread's own packet.
 */
static struct libav *libav_owner_of(void *context, struct libav_packet **packet)
{
    const AVClass *class = context ? *(const AVClass **)context : NULL;
    *packet = NULL;
    if (class && class == avformat_get_class())
        return ((AVFormatContext *)context)->opaque ? ((AVFormatContext *)context)->opaque : reading;
    if (class && class == avcodec_get_class())
        *packet = ((AVCodecContext *)context)->opaque;
    return *packet ? (*packet)->owner : NULL;
}

/* What is logged below the level of an error, and is a loss: decoders log so that they conceal, HEVC's the loss of a
 * slice, and the demuxers of ASF and FLV the loss of a packet. The last text is MP4's: of the track that it added last,
 * it leaves out what is of a second codec or kind of description. Of sound that is no loss. */
static bool libav_is_loss(const void *context, const char *format)
{
    static const char *const known[] = {"concealing ", "Error parsing NAL unit", "freeing incomplete packet size",
                                        "Packet mismatch", "multiple fourcc not supported"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    const AVFormatContext *const c = context && *(const AVClass **)context == avformat_get_class() ? context : NULL;
    unsigned i = 0;
    while (i < KNOWN && strncmp(format, known[i], strlen(known[i])))
        i++;
    return i < KNOWN - 1 || (i < KNOWN && c && c->nb_streams &&
                             c->streams[c->nb_streams - 1]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO);
}

void libav_note_fault(struct libav *l, const char *text)
{
    pthread_mutex_lock(&l->lock);
    if (!l->faults++)
        snprintf(l->fault, sizeof l->fault, "%s", text);
    pthread_mutex_unlock(&l->lock);
}

bool libav_has_faults(struct libav *l, char *text, size_t size)
{
    pthread_mutex_lock(&l->lock);
    const bool has = l->faults > 0;
    if (has)
        snprintf(text, size, "damaged in its container: %s", l->fault);
    l->in.faults.count = l->faults;
    memcpy(l->in.faults.first, l->fault, sizeof l->fault);
    pthread_mutex_unlock(&l->lock);
    return has;
}

PRINTF_LIKE(3, 0) static void libav_keep(void *context, int level, const char *format, va_list args)
{
    if ((level & 0xff) > AV_LOG_ERROR && !libav_is_loss(context, format))
        return;
    struct libav_packet *packet;
    struct libav *l = libav_owner_of(context, &packet);
    const bool others = !l; /* of a device's context, or of no context */
    if (others)
        l = listening;
    if (!l)
        return;
    char line[sizeof l->last_error], shown[sizeof l->last_error];
    vsnprintf(line, sizeof line, format, args);
    size_t n = strlen(line);
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == ' ' || line[n - 1] == '.'))
        n--;
    if (n == 0)
        return;
    text_for_message(shown, sizeof shown, (const unsigned char *)line, n);
    if ((l->counting || (level & 0xff) > AV_LOG_ERROR) && context && *(const AVClass **)context == avformat_get_class())
        libav_note_fault(l, shown);
    pthread_mutex_lock(&l->lock);
    if (packet)
        packet->damaged = true;
    const bool first = packet && (!l->damaged || packet->number < l->damaged->number);
    if (first)
        l->damaged = packet;
    if (others ? !l->last_error[0] : first || !packet) /* the cause, not its consequences */
        memcpy(l->last_error, shown, sizeof shown);
    pthread_mutex_unlock(&l->lock);
}

const struct libav_packet *libav_damaged(struct libav *l)
{
    pthread_mutex_lock(&l->lock);
    const struct libav_packet *damaged = l->damaged;
    pthread_mutex_unlock(&l->lock);
    return damaged;
}

bool libav_load_quiet(char *why, size_t size)
{
    if (!libav_load(why, size))
        return false;
    av_log_set_callback(libav_keep);
    snprintf(libav_versions, sizeof libav_versions, "libavformat %u.%u.%u, libavcodec %u.%u.%u, libavutil %u.%u.%u",
             LIBAV_NUMBERS(avformat_version()), LIBAV_NUMBERS(avcodec_version()), LIBAV_NUMBERS(avutil_version()));
    return true;
}

void libav_explain(struct libav *l, int code, const char *what, char *text, size_t size)
{
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(code, reason, sizeof reason);
    pthread_mutex_lock(&l->lock);
    const bool more = l->last_error[0];
    snprintf(text, size, "%s: %s%s%s%s", what, reason, more ? " (" : "", l->last_error, more ? ")" : "");
    pthread_mutex_unlock(&l->lock);
}

/* libav's ENOMEM is its refusal of sizes from INT_MAX on, too: files that are damaged state such sizes. Memory has run
 * out where no piece just below that can be had. */
static bool libav_memory_is_out(void)
{
    void *piece = mmap(NULL, INT_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return piece == MAP_FAILED || munmap(piece, INT_MAX);
}

int libav_fail(struct libav *l, int code, const char *what, struct assay_error *e)
{
    char text[sizeof l->failure];
    libav_explain(l, code, what, text, sizeof text);
    if (code == AVERROR(ENOMEM) && strstr(text, "Number of streams exceeds"))
        return assay_fail(e, ASSAY_EINPUT, "%s: has more tracks than libav reads (1000)", l->in.name);
    if (code == AVERROR(ENOMEM) && libav_memory_is_out())
        return assay_fail_memory(e, "libav");
    if (code == AVERROR(ENOMEM))
        snprintf(text, sizeof text, "%s: it states a size that libav does not take, 2 GiB or more", what);
    if (!l->decoder) /* no frame was begun */
        return assay_fail(e, ASSAY_EINPUT, "%s: %s", l->in.name, text);
    return input_fail(&l->in, e, "%s", text);
}
