/* SPDX-License-Identifier: BSD-2-Clause */
/* YUV4MPEG2: a header line, then for each picture a FRAME line and the packed planes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "input/reader.h"
#include "input/y4m_header.h"

enum {
    HEADER_LIMIT = 4096, /* bytes of the header line */
    FRAME_LIMIT = 1024,  /* bytes of a FRAME line */
    PLAIN_FRAME = 6,     /* bytes of a FRAME line without parameters */
    PROBED_FRAMES = 64,  /* FRAME lines that are looked at to count pictures, at most */
};

bool y4m_probe(const unsigned char *data, size_t n)
{
    return n >= Y4M_MAGIC && memcmp(data, "YUV4MPEG2", 9) == 0 && (data[9] == ' ' || data[9] == '\n');
}

/* Reads the FRAME line of the next picture: 1, 0 at the end of the stream, or negative. */
static int y4m_frame_line(const struct planar *y, struct assay_error *e)
{
    struct stream *s = y->stream;
    const unsigned char *line;
    const size_t n = stream_peek(s, &line, PLAIN_FRAME);
    if (n == 0 && !s->error)
        return 0;
    if (n < PLAIN_FRAME && (s->error || memcmp(line, "FRAME\n", n) == 0))
        return input_fail_short(&y->in, y->in.index, s->error, n, PLAIN_FRAME + y->bytes + y->unused, e);
    if (n < PLAIN_FRAME || memcmp(line, "FRAME", 5) != 0 || (line[5] != '\n' && line[5] != ' ')) {
        char text[PLAIN_FRAME + 1];
        text_for_message(text, sizeof text, line, n);
        return input_fail(&y->in, e, "begins with '%s' instead of FRAME", text);
    }
    size_t length = PLAIN_FRAME;
    if (line[5] == ' ') {
        length = stream_peek_line(s, &line, FRAME_LIMIT);
        if (line[length - 1] != '\n') {
            if (s->error || length < FRAME_LIMIT)
                return input_fail(&y->in, e, "%s", s->error ? strerror(s->error) : "truncated in its FRAME line");
            return input_fail(&y->in, e, "its FRAME line is longer than %d bytes", FRAME_LIMIT);
        }
    }
    stream_skip(s, length);
    return 1;
}

/*
 * The number of pictures of a regular file. Its first picture must be there in full, so that a wrong header can't
 * cause an allocation larger than the file. The number is known if the rest is a whole number of pictures whose FRAME
 * lines have no parameters. In a long file only PROBED_FRAMES lines are looked at, because each look may cost a disk
 * access. Lines with parameters are missed only where their bytes add up to whole pictures between two looks.
 */
static int y4m_count_frames(struct planar *y, struct assay_error *e)
{
    const struct stream *s = y->stream;
    const uint64_t left = s->size > s->offset ? s->size - s->offset : 0;
    const uint64_t picture = y->bytes + y->unused, step = picture + PLAIN_FRAME;
    if (left == 0)
        return assay_fail(e, ASSAY_EINPUT, "%s: holds no pictures", y->in.name);
    if (left < step)
        return input_fail(&y->in, e, "truncated: the file holds %" PRIu64 " of the %" PRIu64 " bytes of a %" PRIu32
                          "x%" PRIu32 " picture", left < PLAIN_FRAME ? 0 : left - PLAIN_FRAME, picture,
                          y->in.format.width, y->in.format.height);
    const uint64_t frames = left / step;
    y->in.frames_hint = (int64_t)frames;
    if (left % step != 0)
        return ASSAY_OK;
    const uint64_t looks = frames < PROBED_FRAMES ? frames : PROBED_FRAMES;
    for (uint64_t i = 0; i < looks; i++) {
        const uint64_t frame = looks == frames ? i : i * (frames - 1) / (looks - 1);
        unsigned char line[PLAIN_FRAME];
        if (stream_look_at(s, s->offset + frame * step, line, sizeof line) < sizeof line ||
            memcmp(line, "FRAME\n", sizeof line) != 0)
            return ASSAY_OK;
    }
    y->in.frames = (int64_t)frames;
    return ASSAY_OK;
}

static int y4m_header(struct planar *y, struct assay_error *e)
{
    const unsigned char *line;
    struct y4m_header h;
    const size_t n = stream_peek_line(y->stream, &line, HEADER_LIMIT);
    if (n == 0 || line[n - 1] != '\n') {
        if (y->stream->error)
            return assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", y->in.name, strerror(y->stream->error));
        if (n < HEADER_LIMIT)
            return assay_fail(e, ASSAY_EINPUT, "%s: truncated in its Y4M header", y->in.name);
        return assay_fail(e, ASSAY_EINPUT, "%s: its Y4M header is longer than %d bytes", y->in.name, HEADER_LIMIT);
    }
    TRY(y4m_header_parse(&h, line + Y4M_MAGIC - 1, n - Y4M_MAGIC, y->in.name, e));
    stream_skip(y->stream, n);
    planar_init(y, &h.format);
    y->in.time_num = h.format.rate_den;
    y->in.time_den = h.format.rate_num;
    y->unused = h.alpha ? (uint64_t)h.format.width * h.format.height : 0;
    y->in.alpha_dropped = h.alpha;
    return y->stream->regular ? y4m_count_frames(y, e) : ASSAY_OK;
}

int y4m_open(struct input **out, struct stream *s, const char *name, struct assay_error *e)
{
    struct planar *y = calloc(1, sizeof *y);
    *out = NULL;
    if (!y) {
        stream_close(&s);
        return assay_fail_memory(e, "a Y4M reader");
    }
    planar_start(y, s, "y4m", name);
    y->find = y4m_frame_line;
    return planar_opened(y, y4m_header(y, e), out);
}
