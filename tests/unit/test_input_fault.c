/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The N-th allocation fails, then the N-th read, for N = 1, 2, ... until nothing is left to fail: every time one clear
 * line and the right code, pictures that are right as far as they came, and nothing leaked (AddressSanitizer looks).
 * The linker puts the functions named __wrap_ in the place of the C library's in our own objects.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "input_test.h"

#ifdef HAVE_LIBAV
#include <libavutil/mem.h>
#endif

static long calls_left; /* of the kind that shall fail; the call that makes it 0 does. 0: none shall */
enum kind { NOTHING, MEMORY, READS };
static enum kind failing;

static bool fails(enum kind kind)
{
    return failing == kind && calls_left > 0 && --calls_left == 0;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
ssize_t __real_read(int fd, void *dst, size_t n);
ssize_t __real_pread64(int fd, void *dst, size_t n, off_t at);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
ssize_t __wrap_read(int fd, void *dst, size_t n);
ssize_t __wrap_pread64(int fd, void *dst, size_t n, off_t at);

void *__wrap_malloc(size_t n)
{
    return fails(MEMORY) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails(MEMORY) ? NULL : __real_calloc(n, size);
}

ssize_t __wrap_read(int fd, void *dst, size_t n)
{
    if (!fails(READS))
        return __real_read(fd, dst, n);
    errno = EIO;
    return -1;
}

/* With 64-bit offsets the C library's names end in 64. */
ssize_t __wrap_pread64(int fd, void *dst, size_t n, off_t at)
{
    if (!fails(READS))
        return __real_pread64(fd, dst, n, at);
    errno = EIO;
    return -1;
}

static const assay_format format = { .width = 200, .height = 120, .bit_depth = 10, .layout = ASSAY_LAYOUT_422 };
enum { FRAMES = 4 };

/* Reads a stream while one call fails. Returns whether that call was never reached. */
static bool survives(const struct input_options *o, enum kind kind, long n)
{
    struct assay_error e = { 0 };
    struct input *in;
    struct canvas c;
    uint32_t frames = 0;
    canvas_open(&c, &format, 0);
    failing = kind;
    calls_left = n;
    int code = input_open(&in, o, &e);
    if (code == ASSAY_OK) {
        while ((code = input_read(in, &c.picture, NULL, &e)) == 1) {
            const long left = calls_left;
            calls_left = 0;
            canvas_check_pattern(&c, frames++);
            calls_left = left;
        }
        input_close(&in);
    }
    const bool reached = calls_left == 0;
    failing = NOTHING;
    canvas_close(&c);
    assert_null(in);
    if (code == 0) {
        assert_int_equal(frames, FRAMES); /* never a short stream taken for a whole one */
    } else if (kind == MEMORY) {
        check_error(&e, ASSAY_EINTERNAL, "out of memory");
    } else {
        check_error(&e, ASSAY_EINPUT, "can't be read: Input/output error");
    }
    return !reached;
}

static void fail_each(const struct bytes *b, bool raw, unsigned least_reads)
{
    for (int i = 0; i < 2; i++) {
        const enum kind kind = i == 0 ? MEMORY : READS;
        for (int k = 0; k < SOURCE_KINDS; k++) {
            long n = 1;
            bool whole = false;
            while (!whole) {
                struct source s;
                source_open(&s, (enum source_kind)k, b);
                struct input_options o = options_for(s.path);
                o.form = raw ? INPUT_RAW : INPUT_CODED;
                o.width = format.width;
                o.height = format.height;
                o.bit_depth = format.bit_depth;
                o.layout = format.layout;
                whole = survives(&o, kind, n++);
                source_close(&s);
            }
            assert_true(n - 2 >= (kind == READS ? (long)least_reads : 2));
        }
    }
}

static void y4m(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    bytes_text(&b, "YUV4MPEG2 W200 H120 C422p10\n");
    for (uint32_t i = 0; i < FRAMES; i++) {
        bytes_text(&b, "FRAME\n");
        bytes_picture(&b, &format, i);
    }
    fail_each(&b, false, 8);
    bytes_free(&b);
}

static void raw(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    for (uint32_t i = 0; i < FRAMES; i++)
        bytes_picture(&b, &format, i);
    fail_each(&b, true, 8);
    bytes_free(&b);
}

#ifdef HAVE_LIBAV
/* A clip that the ffmpeg command makes; without it there is nothing to do. */
static bool make_clip(struct bytes *b)
{
    char name[] = "/tmp/assay-fault-XXXXXX", command[256];
    struct bytes in = { 0 };
    unsigned char part[4096];
    size_t n;
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    for (uint32_t i = 0; i < FRAMES; i++)
        bytes_picture(&in, &format, i);
    assert_int_equal(write(fd, in.data, in.n), in.n);
    bytes_free(&in);
    snprintf(command, sizeof command,
             "ffmpeg -v error -f rawvideo -pix_fmt yuv422p10le -s 200x120 -i %s -c:v ffv1 -f matroska - "
             "2>/dev/null",
             name);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        bytes_add(b, part, n);
    const bool made = pclose(f) == 0 && b->n > 0;
    close(fd);
    unlink(name);
    if (!made)
        print_message("left out: there is no ffmpeg command to make a clip with\n");
    return made;
}

static void libav_reads(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    if (make_clip(&b))
        fail_each(&b, false, 4);
    bytes_free(&b);
}

/* libav refuses every allocation above a limit. */
static void libav_memory(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    unsigned failed = 0, whole = 0;
    if (!make_clip(&b))
        return;
    for (size_t limit = 64; limit < (size_t)1 << 26; limit += limit / 3) {
        struct source s;
        struct input *in;
        struct assay_error e = { 0 };
        struct canvas c;
        canvas_open(&c, &format, 0);
        source_open(&s, SOURCE_FILE, &b);
        const struct input_options o = options_for(s.path);
        av_max_alloc(limit);
        int code = input_open(&in, &o, &e);
        uint32_t frames = 0;
        if (code == ASSAY_OK) {
            while ((code = input_read(in, &c.picture, NULL, &e)) == 1)
                canvas_check_pattern(&c, frames++);
            input_close(&in);
        }
        av_max_alloc(INT32_MAX);
        if (code == 0) {
            assert_int_equal(frames, FRAMES);
            whole++;
        } else {
            assert_true(code == ASSAY_EINTERNAL || code == ASSAY_EINPUT);
            check_error(&e, code, "");
            failed++;
        }
        source_close(&s);
        canvas_close(&c);
    }
    assert_true(failed > 10 && whole > 5);
    bytes_free(&b);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(y4m),
        cmocka_unit_test(raw),
#ifdef HAVE_LIBAV
        cmocka_unit_test(libav_reads),
        cmocka_unit_test(libav_memory),
#endif
    };
    return cmocka_run_group_tests_name("faults of the input", tests, NULL, NULL);
}
