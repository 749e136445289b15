/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Containers and images, made here by the ffmpeg command from a known pattern with lossless codecs and read back.
 * Without that command the tests are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input_test.h"

static char folder[64]; /* where the files of a run lie */

/* Runs a command in the folder; false when it fails. */
__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
    char command[1024], line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    return system(line) == 0;
}

/* A tool that lacks an encoder is no fault of ours: the caller leaves that case out, and says so. */
#define run_or_skip(...) \
    do { \
        if (!run(__VA_ARGS__)) { \
            print_message("left out: %s\n", #__VA_ARGS__); \
            return; \
        } \
    } while (0)

static const char *file(const char *name)
{
    static char path[8][128];
    static unsigned next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void save(const char *name, const struct bytes *b)
{
    FILE *f = fopen(file(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->data, 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
}

static void load(const char *name, struct bytes *b)
{
    char buffer[4096];
    size_t n;
    FILE *f = fopen(file(name), "rb");
    assert_non_null(f);
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        bytes_add(b, buffer, n);
    fclose(f);
}

/* Writes pattern pictures as raw video that ffmpeg reads with -pix_fmt: for RGB its planes are G, B, R. */
static void save_pattern(const char *name, const assay_format *f, uint32_t frames)
{
    struct bytes b = { 0 }, one = { 0 };
    for (uint32_t i = 0; i < frames; i++) {
        one.n = 0;
        bytes_picture(&one, f, i);
        if (f->layout == ASSAY_LAYOUT_RGB) {
            const size_t plane = one.n / 3;
            bytes_add(&b, one.data + plane, 2 * plane);
            bytes_add(&b, one.data, plane);
        } else {
            bytes_add(&b, one.data, one.n);
        }
    }
    save(name, &b);
    bytes_free(&b);
    bytes_free(&one);
}

static int open_threads(struct input **in, const char *path, uint32_t threads, struct assay_error *e)
{
    struct input_options o = options_for(path);
    o.decode_threads = threads;
    memset(e, 0, sizeof *e);
    return input_open(in, &o, e);
}

/* `kind`: of the reader, "libav", or "image" for the formats that are read by their own libraries. */
static struct input *must_open_by(const char *kind, const char *name)
{
    struct input *in;
    struct assay_error e;
    if (open_threads(&in, file(name), 0, &e) != ASSAY_OK)
        fail_msg("%s", e.text);
    if (strcmp(in->kind, kind) != 0)
        fail_msg("%s is read as %s", name, in->kind);
    return in;
}

static struct input *must_open(const char *name)
{
    struct input *in = must_open_by("libav", name);
    assert_non_null(strstr(in->decoder, "libavcodec"));
    return in;
}

static void must_not_open(const char *name, const char *part)
{
    struct input *in;
    struct assay_error e;
    assert_int_equal(open_threads(&in, file(name), 0, &e), ASSAY_EINPUT);
    assert_null(in);
    check_error(&e, ASSAY_EINPUT, part);
    check_error(&e, ASSAY_EINPUT, name);
}

/* Reads pattern pictures to the end, which must come as `end` says, after exactly or (at_most) up to `frames` of them.
 * Returns how many there were. */
static uint32_t read_pattern(struct input *in, uint32_t frames, bool at_most, int end)
{
    struct canvas c;
    struct assay_error e = { 0 };
    uint32_t n = 0;
    int got;
    canvas_open(&c, &in->format, 6);
    while ((got = input_read(in, &c.picture, NULL, &e)) == 1)
        canvas_check_pattern(&c, n++);
    if (got != end || n > frames || (!at_most && n != frames))
        fail_msg("%s: ended with %d (%s) after %u of %u frames", in->name, got, e.text, n, frames);
    canvas_close(&c);
    return n;
}

/* ---- what comes out is what went in ---- */

static const struct {
    const char *pixels, *codec, *name;
    assay_layout layout;
    uint32_t depth, frames;
} round_trips[] = {
    { "yuv420p", "ffv1", "a.mkv", ASSAY_LAYOUT_420, 8, 4 },
    { "yuv422p", "ffv1", "a.avi", ASSAY_LAYOUT_422, 8, 4 },
    { "yuv444p", "utvideo", "b.avi", ASSAY_LAYOUT_444, 8, 4 },
    { "yuv411p", "ffv1", "b.mkv", ASSAY_LAYOUT_411, 8, 4 },
    { "gray", "ffv1", "c.mkv", ASSAY_LAYOUT_400, 8, 4 },
    { "gray10le", "ffv1", "d.mkv", ASSAY_LAYOUT_400, 10, 4 },
    { "gray16le", "ffv1", "e.nut", ASSAY_LAYOUT_400, 16, 4 },
    { "yuv420p9le", "ffv1", "f.mkv", ASSAY_LAYOUT_420, 9, 4 },
    { "yuv420p10le", "ffv1", "g.mkv", ASSAY_LAYOUT_420, 10, 4 },
    { "yuv422p12le", "ffv1", "h.mkv", ASSAY_LAYOUT_422, 12, 4 },
    { "yuv444p16le", "ffv1", "i.mkv", ASSAY_LAYOUT_444, 16, 4 },
    { "gbrp", "ffv1", "j.mkv", ASSAY_LAYOUT_RGB, 8, 4 },
    { "gbrp12le", "ffv1", "k.mkv", ASSAY_LAYOUT_RGB, 12, 4 },
    { "yuv420p", "rawvideo", "l.nut", ASSAY_LAYOUT_420, 8, 4 },
    { "yuv422p10le", "rawvideo", "m.nut", ASSAY_LAYOUT_422, 10, 4 },
    { "yuv422p", "rawvideo -vf format=yuyv422", "n.mov", ASSAY_LAYOUT_422, 8, 4 },
    { "yuv420p", "rawvideo -vf format=nv12", "o.nut", ASSAY_LAYOUT_420, 8, 4 },
    { "yuv422p", "rawvideo -vf format=uyvy422", "q.nut", ASSAY_LAYOUT_422, 8, 4 },
    { "yuv420p", "libx264 -qp 0", "r.mp4", ASSAY_LAYOUT_420, 8, 4 },
    { "yuv444p10le", "libx264 -qp 0", "s.mkv", ASSAY_LAYOUT_444, 10, 4 },
    { "yuv420p", "libx265 -x265-params lossless=1:log-level=none", "t.mp4", ASSAY_LAYOUT_420, 8, 4 },
    { "yuv420p", "libvpx-vp9 -lossless 1", "u.webm", ASSAY_LAYOUT_420, 8, 4 },
    { "gbrp", "png -vf format=rgb24", "v.png", ASSAY_LAYOUT_RGB, 8, 1 },
    { "gbrp16le", "png -vf format=rgb48be", "w.png", ASSAY_LAYOUT_RGB, 16, 1 },
    { "gray", "png", "x.png", ASSAY_LAYOUT_400, 8, 1 },
    { "gray16le", "png -vf format=gray16be", "y.png", ASSAY_LAYOUT_400, 16, 1 },
    { "gbrp", "bmp -vf format=bgr24", "z.bmp", ASSAY_LAYOUT_RGB, 8, 1 },
    { "gbrp", "tiff -vf format=rgb24", "z.tiff", ASSAY_LAYOUT_RGB, 8, 1 },
    { "gbrp", "ppm -vf format=rgb24", "z.ppm", ASSAY_LAYOUT_RGB, 8, 1 },
};

/* Sizes that every layout and codec can carry, and that H.264 and H.265 carry by cropping whole blocks. */
enum { WIDTH = 356, HEIGHT = 74 };

static bool encode(size_t i)
{
    const assay_format f = {
        .width = WIDTH, .height = HEIGHT, .bit_depth = round_trips[i].depth, .layout = round_trips[i].layout};
    save_pattern("in.raw", &f, round_trips[i].frames);
    return run("ffmpeg -v error -y -f rawvideo -pix_fmt %s -s %dx%d -r 30000/1001 -i in.raw -c:v %s %s",
               round_trips[i].pixels, WIDTH, HEIGHT, round_trips[i].codec, round_trips[i].name);
}

static void lossless_round_trips(void **state)
{
    (void)state;
    unsigned done = 0;
    for (size_t i = 0; i < sizeof round_trips / sizeof round_trips[0]; i++) {
        if (!encode(i)) {
            print_message("left out: %s %s\n", round_trips[i].codec, round_trips[i].name);
            continue;
        }
        const bool image = strstr(round_trips[i].name, ".png") || strstr(round_trips[i].name, ".tiff");
        struct input *in = must_open_by(image ? "image" : "libav", round_trips[i].name);
        assert_int_equal(in->format.width, WIDTH);
        assert_int_equal(in->format.height, HEIGHT);
        assert_int_equal(in->format.layout, round_trips[i].layout);
        assert_int_equal(in->format.bit_depth, round_trips[i].depth);
        const char *name = round_trips[i].name;
        const bool indexed = strcmp(name, "r.mp4") == 0; /* MP4 and MOV may have an index of all pictures */
        const bool may_be = indexed || strstr(name, ".mp4") || strstr(name, ".mov");
        if (indexed || (may_be && in->frames >= 0))
            assert_int_equal(in->frames, round_trips[i].frames);
        else
            assert_int_equal(in->frames, image ? 1 : -1);
        assert_string_equal(in->notice, image ? "it has no tag of colour and is taken as sRGB" : "");
        if (round_trips[i].frames == 1) {
            assert_int_equal(in->format.rate_num, 0);
        } else {
            assert_int_equal(in->format.rate_num, 30000);
            assert_int_equal(in->format.rate_den, 1001);
        }
        read_pattern(in, round_trips[i].frames, false, 0);
        input_close(&in);
        done++;
    }
    assert_true(done >= 15); /* FFmpeg's own codecs are always there */
}

static void skipping_and_stdin(void **state)
{
    (void)state;
    struct canvas c;
    struct bytes b = { 0 };
    struct source s;
    struct picture_info info, next;
    struct assay_error e;
    assert_true(encode(0));
    struct input *in = must_open("a.mkv");
    canvas_open(&c, &in->format, 0);
    assert_int_equal(input_skip(in, NULL), 1);
    assert_int_equal(input_read(in, &c.picture, &info, NULL), 1);
    canvas_check_pattern(&c, 1);
    assert_int_equal(input_skip(in, NULL), 1);
    assert_int_equal(input_read(in, &c.picture, &next, NULL), 1);
    canvas_check_pattern(&c, 3);
    /* Two frames of 30000/1001 per second in Matroska's milliseconds. */
    assert_int_equal(in->time_num, 1);
    assert_int_equal(in->time_den, 1000);
    assert_in_range(next.pts - info.pts, 66, 67);
    assert_int_equal(input_skip(in, NULL), 0);
    assert_int_equal(in->index, 4);
    input_close(&in);

    load("a.mkv", &b);
    source_open(&s, SOURCE_PIPE, &b);
    const int saved = dup(STDIN_FILENO);
    assert_true(dup2(s.fd, STDIN_FILENO) >= 0);
    assert_int_equal(open_threads(&in, "-", 3, &e), ASSAY_OK);
    read_pattern(in, 4, false, 0);
    input_close(&in);
    assert_true(dup2(saved, STDIN_FILENO) >= 0);
    close(saved);
    source_close(&s);
    canvas_close(&c);
    bytes_free(&b);
}

/* ---- what the container and the codec say ---- */

static void descriptions(void **state)
{
    (void)state;
    const assay_format f = { .width = 64, .height = 48, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    save_pattern("in.raw", &f, 3);
    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -r 24 -i in.raw -vf setparams="
                "range=pc:colorspace=bt709:color_trc=smpte2084:color_primaries=bt2020 -color_range pc -c:v ffv1 "
                "-aspect 16:9 one.mkv");
    struct input *in = must_open("one.mkv");
    assert_int_equal(in->format.range, ASSAY_RANGE_FULL);
    assert_int_equal(in->format.matrix, 1);
    assert_int_equal(in->format.transfer, 16);
    assert_int_equal(in->format.primaries, 9);
    assert_int_equal(in->format.sar_num, 4);
    assert_int_equal(in->format.sar_den, 3);
    assert_int_equal(in->format.rate_num, 24);
    assert_int_equal(in->rotation, 0);
    assert_false(in->mirrored);
    read_pattern(in, 3, false, 0);
    input_close(&in);

    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -i in.raw -c:v mpeg2video -q:v 2 "
                "-flags +ildct+ilme -top 1 -color_range tv -chroma_sample_location left two.ts");
    in = must_open("two.ts");
    assert_int_equal(in->format.range, ASSAY_RANGE_LIMITED);
    assert_int_equal(in->format.chroma_location, ASSAY_CHROMA_LEFT);
    assert_int_equal(in->format.field_order, ASSAY_FIELD_TOP_FIRST);
    input_close(&in);

    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -i in.raw -frames:v 1 -c:v mjpeg -q:v 2 "
                "-pix_fmt yuvj420p three.avi");
    in = must_open("three.avi");
    assert_int_equal(in->format.range, ASSAY_RANGE_FULL);
    assert_int_equal(in->format.layout, ASSAY_LAYOUT_420);
    assert_int_equal(in->format.chroma_location, ASSAY_CHROMA_CENTER);
    input_close(&in);
}

static void alpha(void **state)
{
    (void)state;
    const assay_format f = { .width = 64, .height = 48, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    save_pattern("in.raw", &f, 2);
    run_or_skip(
        "ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -i in.raw -vf format=yuva420p -c:v ffv1 alpha.mkv");
    struct input *in = must_open("alpha.mkv");
    assert_string_equal(in->notice, "alpha is dropped");
    read_pattern(in, 2, false, 0);
    input_close(&in);
}

/* Sets the matrix of the first tkhd box of version 0. */
static void set_matrix(struct bytes *b, const int32_t m[4])
{
    for (size_t i = 0; i + 84 < b->n; i++) {
        if (memcmp(b->data + i, "tkhd\0", 5) != 0)
            continue;
        static const size_t place[4] = { 0, 4, 12, 16 }; /* a b . c d */
        for (int k = 0; k < 4; k++) {
            for (int byte = 0; byte < 4; byte++)
                b->data[i + 44 + place[k] + (size_t)byte] = (unsigned char)((uint32_t)m[k] >> (24 - 8 * byte));
        }
        return;
    }
    fail_msg("no tkhd");
}

static void orientation(void **state)
{
    (void)state;
    static const int32_t one = 1 << 16;
    const struct {
        int32_t matrix[4];
        int32_t rotation;
        bool mirrored;
    } cases[] = {
        { { one, 0, 0, one }, 0, false },   { { 0, one, -one, 0 }, 90, false }, { { -one, 0, 0, -one }, 180, false },
        { { 0, -one, one, 0 }, 270, false }, { { -one, 0, 0, one }, 0, true },   { { one, 0, 0, -one }, 180, true },
        { { 0, 0, 0, 0 }, 0, false },
    };
    const assay_format f = { .width = 64, .height = 48, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    struct bytes b = { 0 };
    save_pattern("in.raw", &f, 2);
    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -i in.raw -c:v mpeg4 -q:v 1 up.mp4");
    load("up.mp4", &b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_matrix(&b, cases[i].matrix);
        save("turned.mp4", &b);
        struct input *in = must_open("turned.mp4");
        assert_int_equal(in->rotation, cases[i].rotation);
        assert_int_equal(in->mirrored, cases[i].mirrored);
        assert_int_equal(in->format.width, 64); /* never turned here */
        input_close(&in);
    }
    bytes_free(&b);
}

static void tracks(void **state)
{
    (void)state;
    const assay_format f = { .width = 64, .height = 48, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    save_pattern("in.raw", &f, 2);
    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -i in.raw -c:v ffv1 one.mkv && "
                "ffmpeg -v error -y -f lavfi -i color=s=32x32:d=0.2 -c:v ffv1 -pix_fmt yuv444p other.mkv && "
                "ffmpeg -v error -y -i other.mkv -i one.mkv -map 0 -map 1 -c copy -disposition:v:0 0 "
                "-disposition:v:1 default both.mkv");
    struct input *in = must_open("both.mkv");
    assert_string_equal(in->notice, "track 2 of 2 video tracks is read");
    read_pattern(in, 2, false, 0);
    input_close(&in);

    run_or_skip("ffmpeg -v error -y -f lavfi -i color=s=32x32 -frames:v 1 cover.png && "
                "ffmpeg -v error -y -f lavfi -i sine=d=0.1 -i cover.png -map 0 -map 1 -c:a alac -c:v png "
                "-disposition:v:0 attached_pic song.m4a");
    must_not_open("song.m4a", "holds no video");
    run_or_skip("ffmpeg -v error -y -f lavfi -i sine=d=0.1 song.wav");
    must_not_open("song.wav", "holds no video (libav takes it for wav)");
}

/* ---- refusals ---- */

static void refused_formats(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "yuv410p", "4:1:0" }, { "yuv440p", "4:4:0" },     { "pal8", "palette" },          { "bayer_rggb8", "Bayer" },
        { "monow", "closer" },  { "rgb565le", "fewer than" }, { "xyz12le", "XYZ" },
    };
    struct bytes b = { 0 };
    for (int i = 0; i < 64 * 64 * 8; i++)
        bytes_add(&b, "\0", 1);
    save("in.raw", &b);
    bytes_free(&b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!run("ffmpeg -v error -y -f rawvideo -pix_fmt %s -s 64x64 -i in.raw -c copy -frames:v 1 odd.nut",
                 cases[i][0]))
            continue;
        must_not_open("odd.nut", cases[i][1]);
        must_not_open("odd.nut", cases[i][0]);
    }
}

static void lying_depth(void **state)
{
    (void)state;
    const assay_format f = { .width = 64, .height = 48, .bit_depth = 10, .layout = ASSAY_LAYOUT_420 };
    const size_t frame = 64 * 48 * 3;
    struct bytes b = { 0 };
    struct canvas c;
    struct assay_error e = { 0 };
    for (uint32_t i = 0; i < 3; i++)
        bytes_picture(&b, &f, i);
    b.data[frame + 64 * 48 * 2 + 1] |= 4; /* frame 1, first sample of Cb */
    save("in.raw", &b);
    bytes_free(&b);
    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p10le -s 64x48 -i in.raw -c:v copy lie.nut");
    struct input *in = must_open("lie.nut");
    canvas_open(&c, &in->format, 0);
    assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
    canvas_check_pattern(&c, 0);
    assert_int_equal(input_read(in, &c.picture, NULL, &e), ASSAY_EINPUT);
    check_error(&e, ASSAY_EINPUT, "frame 1: plane Cb holds samples of more than the 10 bits");
    input_close(&in);
    canvas_close(&c);
}

static void changing_format(void **state)
{
    (void)state;
    run_or_skip("ffmpeg -v error -y -f lavfi -i testsrc=s=64x48:d=0.2 -c:v mpeg2video -bf 0 1.m2v && "
                "ffmpeg -v error -y -f lavfi -i testsrc=s=96x48:d=0.2 -c:v mpeg2video -bf 0 2.m2v && cat 1.m2v 2.m2v > change.m2v");
    struct input *in = must_open("change.m2v");
    struct assay_error e = { 0 };
    int got;
    while ((got = input_skip(in, &e)) == 1)
        ;
    assert_int_equal(got, ASSAY_EINPUT);
    check_error(&e, ASSAY_EINPUT, "the size changes from 64x48 to 96x48");
    input_close(&in);
}

static void not_video(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    bytes_text(&b, "This is a text about video, and no video.\n");
    save("letter.mp4", &b);
    must_not_open("letter.mp4", "is neither Y4M nor anything that libav knows");
    b.n = 0;
    for (int i = 0; i < 100000; i++)
        bytes_add(&b, "\x10", 1);
    save("flat.yuv", &b);
    must_not_open("flat.yuv", "-w, -h, -p and -b");
    /* A list of addresses is not followed out of the machine. */
    b.n = 0;
    bytes_text(&b, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n");
    save("list.m3u8", &b);
    must_not_open("list.m3u8", "list.m3u8");
    b.n = 0;
    bytes_text(&b, "Y");
    save("y", &b);
    must_not_open("y", "is neither");
    bytes_free(&b);
}

/* A name is only a name: neither a protocol nor a pattern of names. */
static void odd_names(void **state)
{
    (void)state;
    static const char *const names[] = { "http:video.mkv", "frame%03d.png", "concat:a|b.mkv", "a*b?.mkv" };
    const assay_format f = { .width = 64, .height = 48, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    struct bytes b = { 0 };
    save_pattern("in.raw", &f, 2);
    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 64x48 -i in.raw -c:v ffv1 one.mkv");
    load("one.mkv", &b);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        save(names[i], &b);
        struct input *in = must_open(names[i]);
        read_pattern(in, 2, false, 0);
        input_close(&in);
    }
    bytes_free(&b);
}

/* ---- damage ---- */

/* Whatever is cut off a file, what is read is its beginning, and the end is an error. */
static void cut_containers(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "ffv1 -g 1", "c.mkv" }, { "ffv1 -g 1", "c.avi" }, { "ffv1 -g 1", "c.mov" },
        { "libx264 -qp 0", "c.mp4" }, { "libx264 -qp 0", "c2.mkv" },
        { "libx264 -qp 0 -movflags +faststart", "c2.mp4" },
        { "libx264 -qp 0 -movflags frag_keyframe+empty_moov -g 2", "c3.mp4" },
    };
    const assay_format f = { .width = 96, .height = 64, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    save_pattern("in.raw", &f, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = { 0 }, part = { 0 };
        uint32_t most = 0;
        if (!run("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 96x64 -i in.raw -c:v %s %s", cases[i][0],
                 cases[i][1])) {
            print_message("left out: %s\n", cases[i][0]);
            continue;
        }
        load(cases[i][1], &b);
        for (size_t k = 1; k < 25; k++) {
            struct input *in;
            struct assay_error e;
            part.n = 0;
            bytes_add(&part, b.data, b.n * k / 25);
            save("part", &part);
            const int code = open_threads(&in, file("part"), (uint32_t)(k % 4), &e);
            if (code != ASSAY_OK) {
                check_error(&e, ASSAY_EINPUT, "part");
                continue;
            }
            const uint32_t n = read_pattern(in, 8, true, ASSAY_EINPUT);
            most = n > most ? n : most;
            input_close(&in);
        }
        if (i < 2)
            assert_true(most >= 7);
        bytes_free(&b);
        bytes_free(&part);
    }
}

/* JPEG decoders make up a missing end when it is short; ours must not be believed. */
static void cut_images(void **state)
{
    (void)state;
    static const char *const names[] = { "i.jpg", "i.png" };
    run_or_skip("ffmpeg -v error -y -f lavfi -i testsrc=s=96x64 -frames:v 1 -q:v 2 i.jpg && "
                "ffmpeg -v error -y -f lavfi -i testsrc=s=96x64 -frames:v 1 i.png");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bytes b = { 0 }, part = { 0 };
        load(names[i], &b);
        struct input *in = must_open_by("image", names[i]);
        input_close(&in);
        for (size_t cut = 1; cut < b.n; cut += 1 + cut / 4) {
            part.n = 0;
            bytes_add(&part, b.data, b.n - cut);
            save("part", &part);
            must_not_open("part", "part: ");
        }
        bytes_free(&b);
        bytes_free(&part);
    }
}

/* FFV1 guards its slices with checksums: a flipped bit is found in the frame where it is, and no frame before or after
 * is taken for another. */
static void flipped_bits(void **state)
{
    (void)state;
    const assay_format f = { .width = 96, .height = 64, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    struct bytes b = { 0 };
    unsigned caught = 0, late = 0;
    save_pattern("in.raw", &f, 8);
    run_or_skip(
        "ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 96x64 -i in.raw -c:v ffv1 -level 3 -slicecrc 1 -g 1 f.avi");
    load("f.avi", &b);
    for (size_t k = 0; k < 60; k++) {
        const size_t at = 6000 + k * (b.n - 12000) / 60;
        struct input *in;
        struct assay_error e;
        struct canvas c;
        uint32_t n = 0;
        int got;
        b.data[at] ^= 0x10;
        save("flipped.avi", &b);
        b.data[at] ^= 0x10;
        if (open_threads(&in, file("flipped.avi"), (uint32_t)(k % 4), &e) != ASSAY_OK) {
            check_error(&e, ASSAY_EINPUT, "frame 0: ");
            caught++;
            continue;
        }
        canvas_open(&c, &in->format, 0);
        while ((got = input_read(in, &c.picture, NULL, &e)) == 1)
            canvas_check_pattern(&c, n++);
        if (got == 0) { /* a byte that says nothing about pictures */
            assert_int_equal(n, 8);
        } else {
            char frame[32];
            snprintf(frame, sizeof frame, "frame %u: ", n);
            check_error(&e, ASSAY_EINPUT, frame);
            caught++;
            late += n > 3;
        }
        input_close(&in);
        canvas_close(&c);
    }
    assert_true(caught > 50);
    assert_true(late > 10);
    bytes_free(&b);
}

/* FNV-1a over the samples of a picture. */
static uint64_t hash_of(const struct canvas *c)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t p = 0; p < assay_format_planes(&c->format); p++) {
        const unsigned char *at = c->picture.plane[p];
        const size_t n = (size_t)c->picture.stride[p] * assay_format_plane_height(&c->format, p);
        for (size_t i = 0; i < n; i++)
            hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

enum { CLIP_FRAMES = 25 };

/* Reads a clip to its end or failure; returns the number of pictures, whose hashes it writes. */
static int hash_clip(const char *name, uint32_t threads, uint64_t *hashes, int *end)
{
    struct input *in;
    struct assay_error e;
    struct canvas c;
    int n = 0;
    *end = open_threads(&in, file(name), threads, &e);
    if (*end != ASSAY_OK)
        return 0;
    canvas_open(&c, &in->format, 0);
    while ((*end = input_read(in, &c.picture, NULL, &e)) == 1) {
        assert_true(n < CLIP_FRAMES);
        hashes[n++] = hash_of(&c);
    }
    input_close(&in);
    canvas_close(&c);
    return n;
}

/* A clip with pictures out of order gives the same ones whatever the number of threads, and its beginning when it is
 * cut: never a later picture in the place of a lost one. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = { "lossy.mkv", "lossy.mp4" };
    uint64_t whole[CLIP_FRAMES], other[CLIP_FRAMES];
    int end;
    run_or_skip("ffmpeg -v error -y -f lavfi -i testsrc=s=320x240:d=1 -vf noise=alls=20:allf=t:all_seed=7 -c:v libx264 "
                "-bf 3 -b_strategy 0 -pix_fmt yuv420p lossy.mkv && "
                "ffmpeg -v error -y -i lossy.mkv -c copy -movflags +faststart lossy.mp4");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bytes b = { 0 }, part = { 0 };
        assert_int_equal(hash_clip(names[i], 1, whole, &end), CLIP_FRAMES);
        assert_int_equal(end, 0);
        for (uint32_t threads = 2; threads < 8; threads += 5) {
            assert_int_equal(hash_clip(names[i], threads, other, &end), CLIP_FRAMES);
            assert_int_equal(end, 0);
            assert_memory_equal(whole, other, sizeof whole);
        }
        load(names[i], &b);
        int most = 0;
        for (size_t k = 4; k < 20; k++) {
            part.n = 0;
            bytes_add(&part, b.data, b.n * k / 20);
            save("part", &part);
            const int n = hash_clip("part", 1, other, &end);
            assert_int_equal(end, ASSAY_EINPUT);
            assert_memory_equal(whole, other, (size_t)n * sizeof whole[0]);
            assert_int_equal(hash_clip("part", 7, other, &end), n);
            assert_memory_equal(whole, other, (size_t)n * sizeof whole[0]);
            most = n > most ? n : most;
        }
        assert_true(most > 15);
        bytes_free(&b);
        bytes_free(&part);
    }
}

/* Sound streams of many slices are not taken for damaged ones, and damaged ones end with an error, or are decoded to
 * the same pictures, with one thread and with three. */
static void damaged_streams(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "mpeg4 -bf 2", "d.avi" },
        { "mpeg2video -bf 2", "d.mpg" },
        { "libx264 -x264opts slices=4", "d.mp4" },
        { "libx264 -bf 3", "d.mkv" },
        { "libvpx -cpu-used 8", "d.webm" }, /* VP8 hardly ever tells damage */
    };
    uint64_t one[CLIP_FRAMES], three[CLIP_FRAMES];
    int end, other;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = { 0 };
        unsigned refused = 0;
        uint32_t random = 1;
        if (!run("ffmpeg -v error -y -f lavfi -i testsrc=s=320x240:d=1 -c:v %s -pix_fmt yuv420p %s", cases[i][0],
                 cases[i][1]))
            continue;
        assert_int_equal(hash_clip(cases[i][1], 3, three, &end), CLIP_FRAMES);
        assert_int_equal(end, 0);
        load(cases[i][1], &b);
        for (int k = 0; k < 12; k++) {
            struct bytes hurt = { 0 };
            bytes_add(&hurt, b.data, b.n);
            for (size_t j = 0; j < 12; j++) {
                random = random * 1664525u + 1013904223u;
                hurt.data[b.n / 5 + (size_t)k * (b.n / 2) / 12 + j] = (unsigned char)(random >> 24);
            }
            save("hurt", &hurt);
            const int n = hash_clip("hurt", 1, one, &end), m = hash_clip("hurt", 3, three, &other);
            assert_int_equal(n, m);
            assert_int_equal(end, other);
            assert_memory_equal(one, three, (size_t)n * sizeof one[0]);
            refused += end == ASSAY_EINPUT;
            bytes_free(&hurt);
        }
        assert_true(refused >= 6 || i == 4);
        bytes_free(&b);
    }
}

/* A crop on the left and the top, to the sample. */
static void cropping(void **state)
{
    (void)state;
    const assay_format f = { .width = 96, .height = 64, .bit_depth = 8, .layout = ASSAY_LAYOUT_420 };
    struct canvas c;
    save_pattern("in.raw", &f, 2);
    run_or_skip("ffmpeg -v error -y -f rawvideo -pix_fmt yuv420p -s 96x64 -i in.raw -c:v libx264 -qp 0 "
                "-bsf:v h264_metadata=crop_left=6:crop_top=2:crop_right=4:crop_bottom=8 crop.mkv");
    struct input *in = must_open("crop.mkv");
    assert_int_equal(in->format.width, 86);
    assert_int_equal(in->format.height, 54);
    canvas_open(&c, &in->format, 3);
    for (uint32_t frame = 0; frame < 2; frame++) {
        assert_int_equal(input_read(in, &c.picture, NULL, NULL), 1);
        for (uint32_t p = 0; p < 3; p++) {
            const uint32_t x0 = p > 0 ? 3 : 6, y0 = p > 0 ? 1 : 2;
            for (uint32_t y = 0; y < assay_format_plane_height(&in->format, p); y++) {
                for (uint32_t x = 0; x < assay_format_plane_width(&in->format, p); x++)
                    assert_int_equal(canvas_at(&c, p, x, y), pattern(frame, p, x0 + x, y0 + y, 8));
            }
        }
        canvas_check_padding(&c);
    }
    input_close(&in);
    canvas_close(&c);
}

static void libraries(void **state)
{
    (void)state;
    assert_non_null(strstr(input_libraries(), "libavformat "));
    assert_non_null(strstr(input_libraries(), "libavutil "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless_round_trips), cmocka_unit_test(skipping_and_stdin),
        cmocka_unit_test(descriptions),         cmocka_unit_test(alpha),
        cmocka_unit_test(orientation),          cmocka_unit_test(tracks),
        cmocka_unit_test(refused_formats),      cmocka_unit_test(lying_depth),
        cmocka_unit_test(changing_format),      cmocka_unit_test(not_video),
        cmocka_unit_test(odd_names),            cmocka_unit_test(cut_containers),
        cmocka_unit_test(cut_images),           cmocka_unit_test(cropping),
        cmocka_unit_test(damaged_streams),
        cmocka_unit_test(flipped_bits),         cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(libraries),
    };
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
        puts("skipped: there is no ffmpeg command to make clips with");
        return 77;
    }
    snprintf(folder, sizeof folder, "/tmp/assay-input-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    const int failed = cmocka_run_group_tests_name("libav", tests, NULL, NULL);
    if (!run("rm -rf %s", folder))
        puts("the test files could not be removed");
    return failed;
}
