/* SPDX-License-Identifier: BSD-2-Clause */
/* Several devices as one, or groups of threads: the bits of one device, whatever the list; frames that a device loses;
 * devices that are not there; sessions that end in the middle. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "executors/cpu/cpu.h"
#include "null_executor.h"
#include "executors/cpu/pool.h"
#include "executors/open.h"
#include "session_test.h"

enum { FRAMES = 11 };

static struct clip clip;
static struct outcome plain[3]; /* by how often it is flushed: that ends a sequence */

static void same_bits(void **state)
{
    static const char *const list[] = {"0", "all", "0,0", "0,0,0", "0,0,0,0,0,0,0"};
    (void)state;
    for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
        for (unsigned feed = 0; feed < FEEDS; feed++)
            for (uint32_t flight = 0; flight < 8; flight++) {
                struct outcome o;
                const struct how how = {.config = {.backend = "cpu", .device = list[i], .threads = 1 + flight % 2,
                                                   .frames_in_flight = flight}, .feed = (enum feed)feed,
                                        .callback = flight & 1, .flush_every = flight % 3};
                score(&how, &clip, &o);
                same_outcome(&plain[flight % 3], &o);
                assert_int_equal(o.released, feed == FEED_RELEASE ? 2 * FRAMES : 0);
            }
}

/* ---- groups of threads ------------------------------------------------------------------------------------------- */

/* The threads of all pools of threads, and what the last one was told of the others'. */
static unsigned pooled, told;

int __real_cpu_pool_new(struct cpu_pool **out, unsigned threads, unsigned all, struct assay_error *e);
int __wrap_cpu_pool_new(struct cpu_pool **out, unsigned threads, unsigned all, struct assay_error *e);
int __wrap_cpu_pool_new(struct cpu_pool **out, unsigned threads, unsigned all, struct assay_error *e)
{
    __atomic_add_fetch(&pooled, threads, __ATOMIC_RELAXED);
    __atomic_store_n(&told, all, __ATOMIC_RELAXED);
    return __real_cpu_pool_new(out, threads, all, e);
}

/* Many threads score in groups, a frame each, where that pays: with the same bits, however the pictures come. */
static void groups(void **state)
{
    static const struct { uint32_t threads, frames, in_flight, keep, groups; const char *metrics; } with[] = {
        {7, 0, 0, 0, 1, NULL}, {8, 0, 0, 0, 2, NULL}, {19, 0, 0, 0, 4, NULL}, {99, 0, 0, 0, 8, NULL},
        {99, 15, 0, 0, 1, NULL}, {99, 16, 0, 0, 2, NULL}, {99, 0, 1, 0, 1, NULL}, {99, 0, 3, 0, 3, NULL},
        {99, 0, 0, 1, 1, NULL}, {99, 0, 0, 0, 1, "cvvdp=fps=25"}, {99, 0, 2, 0, 1, "cvvdp=fps=25:padding=symmetric"},
        {99, 0, 2, 0, 2, "motion=motion_five_frame_window=true float_motion speed_temporal xpsnr=fps=25"}};
    const assay_format format = format_of(ASSAY_LAYOUT_420, 10, 96, 82);
    static struct clip larger;
    (void)state;
    clip_open(&larger, &format, FRAMES, 5, 3);
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        const struct clip *const c = with[i].metrics ? &larger : &clip;
        struct outcome o, one;
        struct how how = {.config = {.backend = "cpu", .threads = with[i].threads, .frames = with[i].frames,
                                     .frames_in_flight = with[i].in_flight, .keep_planes = with[i].keep},
                          .metrics = with[i].metrics, .feed = (enum feed)(i % FEEDS), .callback = i / FEEDS & 1,
                          .flush_every = i % 5};
        score(&how, c, &o);
        assert_string_equal(o.error, "");
        assert_int_equal(o.work.devices, with[i].groups);
        assert_int_equal(o.released, how.feed == FEED_RELEASE ? 2 * FRAMES : 0);
        how.config = (assay_config){.backend = "cpu", .threads = 1};
        score(&how, c, &one);
        same_outcome(&one, &o);
        assert_true(o.work.dispatches == one.work.dispatches && o.work.submissions == one.work.submissions);
    }
    clip_close(&larger);
}

static assay_session *open_groups(const assay_format *format, const char *metric, uint32_t threads, uint32_t in_flight)
{
    const assay_config config = {.backend = "cpu", .threads = threads, .frames_in_flight = in_flight};
    assay_session *s;
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, metric), 0);
    assert_int_equal(assay_session_start(s, format), 0);
    return s;
}

/* Each group knows of the threads of all, so that none looks for work on a processor that another one needs. */
static void groups_share_threads(void **state)
{
    (void)state;
    pooled = 0;
    assay_session *s = open_groups(&clip.format, "psnr", 19, 0);
    assert_int_equal(assay_session_threads(s), 19);
    assert_true(pooled == 19 && told == 19);
    assay_session_close(&s);
}

/* Large pairs are not held for as many groups as there may be, unless the application says so. */
static void groups_of_large_pairs(void **state)
{
    static const struct { uint32_t side, in_flight, groups; const char *metric; } with[] = {
        {2000, 0, 8, "psnr"}, {8000, 0, 2, "psnr"}, {20000, 0, 1, "psnr"}, {20000, 8, 8, "psnr"},
        {4000, 0, 6, "psnr"}, {4000, 0, 2, "ssimulacra2"}}; /* the last ones: planes that passes write count, too */
    (void)state;
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        const assay_format format = format_of(ASSAY_LAYOUT_444, 8, with[i].side, with[i].side);
        assay_session *s = open_groups(&format, with[i].metric, 99, with[i].in_flight);
        assay_work work;
        assert_int_equal(assay_session_work(s, &work), 0);
        assert_int_equal(work.devices, with[i].groups);
        assay_session_close(&s);
    }
}

static uint32_t two_groups(const struct executor_config *config)
{
    (void)config;
    return 2;
}

static struct executor_ops slow_ops;

static int slow_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    const int rc = executor_null.open(out, config, e);
    if (!rc)
        (*out)->ops = &slow_ops;
    return rc;
}

static int slow_submit(struct executor *x, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    usleep(50000);
    return executor_null.submit(x, slot, inputs, e);
}

/* A frame's scores do not wait for the next frame of its group. */
static void groups_end_frames(void **state)
{
    static const enum null_call order[] = {NULL_SUBMIT, NULL_WAIT, NULL_SUBMIT, NULL_WAIT};
    const struct graph g = {.sealed = true};
    const struct frame_inputs inputs = {.without = 0};
    struct frame_results results;
    struct assay_error e = {0};
    struct executor *x;
    unsigned seen = 0;
    (void)state;
    slow_ops = executor_null;
    slow_ops.open = slow_open;
    slow_ops.groups = two_groups;
    slow_ops.submit = slow_submit;
    null_reset(1, NULL_CALLS, 0);
    assert_int_equal(executor_open(&x, &slow_ops, &(struct executor_config){.graph = &g}, &e), 0);
    assert_int_equal(x->ops->prepare(x, &g, 4, &e), 0);
    for (uint32_t slot = 0; slot < 4; slot += 2) /* both of the first group */
        assert_int_equal(x->ops->submit(x, slot, &inputs, &e), 0);
    for (uint32_t slot = 0; slot < 4; slot += 2)
        assert_int_equal(x->ops->wait(x, slot, &results, &e), 0);
    x->ops->close(&x);
    for (uint32_t i = 0; i < null_look()->entries; i++)
        if (null_look()->entry[i].call == NULL_SUBMIT || null_look()->entry[i].call == NULL_WAIT)
            assert_int_equal(null_look()->entry[i].call, order[seen++ % 4]);
    assert_int_equal(seen, 4);
}

/* What the test holds that calloc gave, while `counts`; call number `fails` gets nothing. One thread. */
static bool counts;
static unsigned fails;
static long held;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    if (counts && fails && !--fails)
        return NULL;
    if (counts)
        held++;
    return __real_calloc(n, size);
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    if (counts && memory)
        held--;
    __real_free(memory);
}

static void groups_without_memory(void **state)
{
    const struct graph g = {.sealed = true};
    (void)state;
    for (unsigned bad = 0; bad <= 5; bad++) {
        fails = bad;
        counts = true;
        const uint32_t n = executor_cpu.groups(&(struct executor_config){.threads = 99, .graph = &g});
        counts = false;
        assert_int_equal(n, bad && !fails ? 1 : 8);
        assert_int_equal(held, 0);
    }
    fails = 0;
}

struct stopping {
    uint32_t rows, at;
};

static int stop_at(void *opaque, uint64_t frame, const double *values)
{
    struct stopping *t = opaque;
    (void)frame, (void)values;
    return ++t->rows == t->at;
}

static void count_release(void *opaque)
{
    __atomic_fetch_add((unsigned *)opaque, 1, __ATOMIC_RELAXED);
}

/* A callback stops the session, or the application closes it: frames are delivered in order up to there, and every
 * picture comes back. */
static void groups_that_stop(void **state)
{
    (void)state;
    for (uint32_t at = 1; at <= FRAMES + 1; at++) {
        const assay_config config = {.backend = "cpu", .threads = 16};
        struct stopping t = {.at = at};
        unsigned released = 0, lent = 0;
        assay_session *s;
        int rc = 0;
        assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
        assert_int_equal(assay_session_add_metric(s, "float_ssim"), 0);
        assert_int_equal(assay_session_set_callback(s, stop_at, &t), 0);
        assert_int_equal(assay_session_start(s, &clip.format), 0);
        for (unsigned i = 0; i < FRAMES && !rc; i++) {
            assay_picture p[2] = {clip_view(&clip, i, 0), clip_view(&clip, i, 1)};
            for (unsigned side = 0; side < 2; side++) {
                p[side].release = count_release;
                p[side].opaque = &released;
            }
            rc = assay_session_submit(s, i, &p[0], &p[1]);
            lent += rc ? 0 : 2;
        }
        rc = rc || at > FRAMES ? rc : assay_session_flush(s);
        assert_int_equal(rc, at > FRAMES ? 0 : ASSAY_EINTERNAL);
        if (rc)
            assert_non_null(strstr(assay_session_error(s), "callback stopped"));
        assay_session_close(&s);
        assert_int_equal(t.rows, at > FRAMES ? FRAMES : at);
        assert_int_equal(released, lent);
    }
}

static void groups_have_no_take(void **state)
{
    const assay_config config = {.backend = "cpu", .threads = 16, .gpu_sides = 1};
    assay_session *s;
    (void)state;
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, "psnr"), 0);
    assert_int_equal(assay_session_start(s, &clip.format), ASSAY_EDEVICE);
    assert_string_equal(assay_session_error(s), "pictures in a device's memory can't be scored on cpu");
    assay_session_close(&s);
}

struct spans {
    uint64_t frames, device[8];
};

static void note_times(void *opaque, uint64_t frame, const assay_frame_times *times)
{
    struct spans *t = opaque;
    if (frame == t->frames++ && times->passes[1] > times->passes[0] && times->submit && times->device < 8)
        t->device[times->device]++;
}

/* Frames have their times, and go round. */
static void groups_have_times(void **state)
{
    struct spans t = {0};
    assay_session *s = open_groups(&clip.format, "psnr", 16, 0);
    (void)state;
    assert_int_equal(assay_session_set_times(s, note_times, &t), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        const assay_picture ref = clip_view(&clip, i, 0), dis = clip_view(&clip, i, 1);
        assert_int_equal(assay_session_submit(s, i, &ref, &dis), 0);
    }
    assert_int_equal(assay_session_set_times(s, NULL, NULL), 0);
    assert_int_equal(t.frames, FRAMES);
    for (unsigned d = 0; d < 4; d++)
        assert_int_equal(t.device[d], (FRAMES + 3 - d) / 4);
    assay_session_close(&s);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* What is said of the memory up to the frame pairs: the plan of a device. */
static char *plan_on(const char *device)
{
    const assay_config config = {.backend = "cpu", .device = device, .threads = 2, .strip_height = 16};
    const assay_format format = format_of(ASSAY_LAYOUT_400, 8, 200, 180);
    assay_session *s;
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, "float_ms_ssim"), 0);
    assert_int_equal(assay_session_start(s, &format), 0);
    char *text = assay_session_describe_memory(s);
    assert_non_null(text);
    assay_session_close(&s);
    char *pairs = strstr(text, "frame pair");
    assert_non_null(pairs);
    *pairs = 0;
    return text;
}

static void one_plan(void **state)
{
    char *one = plan_on("0"), *two = plan_on("0,0");
    (void)state;
    assert_non_null(strstr(one, "strips: "));
    assert_string_equal(two, one);
    free(one);
    free(two);
}

static void names_that_are_not_there(void **state)
{
    static const struct { const char *device, *says; } bad[] = {
        {"0,1", "no device 1"}, {"3,0", "no device 3"},
        {"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "more than 32 devices"}};
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct outcome o;
        const struct how how = {.config = {.backend = "cpu", .device = bad[i].device}, .metrics = "psnr"};
        score(&how, &clip, &o);
        assert_true(o.rc == ASSAY_EDEVICE || o.rc == ASSAY_EUSAGE);
        assert_non_null(strstr(o.error, bad[i].says));
    }
}

/* What a listing shows decides what "all" is: software and what can't run are left out. */
static struct executor_device shown[4];
static unsigned show_count;
static char opened[32][32]; /* in any order: devices are opened at the same time */
static unsigned opened_count;
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;

static int fake_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque,
                     struct assay_error *e)
{
    (void)e;
    for (unsigned i = 0; i < show_count; i++)
        show(opaque, &shown[i]);
    return ASSAY_OK;
}

static int fake_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    pthread_mutex_lock(&opened_lock);
    snprintf(opened[opened_count++], sizeof opened[0], "%s", config->device ? config->device : "-");
    pthread_mutex_unlock(&opened_lock);
    return executor_null.open(out, config, e);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "[0][3]" in ascending order. */
static const char *what_was_opened(void)
{
    static char text[512];
    *text = 0;
    qsort(opened, opened_count, sizeof opened[0], by_text);
    for (unsigned i = 0; i < opened_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "[%s]", opened[i]);
    return text;
}

static void all_of_a_list(void **state)
{
    static const struct { const char *device, *opens; } cases[] = {
        {"all", "[0][3]"}, {"2,1", "[1][2]"}, {"3,3,3", "[3][3][3]"}, {"2", "[2]"}, {NULL, "[-]"}, {"0,", "[0,]"},
        {",0", "[,0]"}, {"llvmpipe (LLVM 15, 256 bits)", "[llvmpipe (LLVM 15, 256 bits)]"}, {"1,,2", "[1,,2]"}};
    struct executor_ops ops = executor_null;
    (void)state;
    ops.open = fake_open;
    ops.list = fake_list;
    show_count = 4;
    for (unsigned i = 0; i < 4; i++)
        shown[i] = (struct executor_device){.number = i, .name = "x", .driver = "", .software = i == 1,
                                            .usable = i != 2};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct executor *x;
        struct assay_error e = {0};
        null_reset(2, NULL_CALLS, 0);
        opened_count = 0;
        assert_int_equal(executor_open(&x, &ops, &(struct executor_config){.device = cases[i].device}, &e), 0);
        assert_string_equal(what_was_opened(), cases[i].opens);
        x->ops->close(&x);
        assert_int_equal(null_look()->count[NULL_CLOSE], null_look()->count[NULL_OPEN]);
    }
    struct executor *x;
    struct assay_error e = {0};
    show_count = 3; /* a second device that doesn't open */
    null_reset(2, NULL_OPEN, 2);
    assert_int_equal(executor_open(&x, &ops, &(struct executor_config){.device = "0,1,2"}, &e), ASSAY_EDEVICE);
    assert_null(x);
    assert_int_equal(null_look()->count[NULL_CLOSE], 2); /* those that did */
    shown[0].software = true;
    e = (struct assay_error){0};
    assert_int_equal(executor_open(&x, &ops, &(struct executor_config){.device = "all"}, &e), ASSAY_EDEVICE);
    assert_non_null(strstr(e.text, "no GPU"));
}

static int no_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    (void)out;
    return assay_fail(e, ASSAY_EDEVICE, "no '%s' but x and y", config->device);
}

/* What is asked before anything is opened is answered as opening it would be. */
static void how_many_are_named(void **state)
{
    static const struct { const char *device; unsigned list, count, first; const char *says; } cases[] = {
        {NULL, 2, 1, 0, NULL}, {"1", 2, 1, 1, NULL}, {"all", 2, 2, 0, NULL}, {"all", 1, 1, 0, NULL},
        {"1,0", 2, 2, 1, NULL}, {"Y (256 bits, new)", 2, 1, 1, NULL}, {"x", 2, 1, 0, NULL},
        {"0,", 2, 0, 0, "no '0,' but x and y"}, {"7", 2, 0, 0, "no '7' but x and y"},
        {"z", 2, 0, 0, "no 'z' but x and y"}, {"7,0", 2, 0, 0, "no '7' but x and y"},
        {"all", 0, 0, 0, "no GPU for '--device all'"}};
    struct executor_ops ops = executor_null;
    (void)state;
    ops.open = no_open;
    ops.list = fake_list;
    shown[0] = (struct executor_device){.number = 0, .name = "x", .driver = "", .usable = true};
    shown[1] = (struct executor_device){.number = 1, .name = "y (256 bits, new)", .driver = "", .usable = true};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned count = 99, first = 99;
        struct assay_error e = {0};
        show_count = cases[i].list;
        const int rc = executor_named(&ops, cases[i].device, &count, &first, &e);
        assert_int_equal(rc, cases[i].says ? ASSAY_EDEVICE : 0);
        if (rc) {
            assert_non_null(strstr(e.text, cases[i].says));
        } else {
            assert_int_equal(count, cases[i].count);
            assert_int_equal(first, cases[i].first);
        }
    }
    unsigned count, first;
    struct assay_error e = {0};
    ops.missing = "nothing was built";
    assert_int_equal(executor_named(&ops, "0", &count, &first, &e), ASSAY_EDEVICE);
    assert_string_equal(e.text, "nothing was built");
}

/* Frames before the one that is lost are kept, every picture comes back, and the line names the device. */
static void lost_frames(void **state)
{
    (void)state;
    for (unsigned call = 0; call < 2; call++)
        for (uint32_t bad = 1; bad <= FRAMES; bad++) {
            struct outcome o;
            const struct how how = {.config = {.backend = "null", .device = "0,0,0"}, .metrics = "psnr",
                                    .feed = FEED_RELEASE, .callback = true};
            null_reset(2, call ? NULL_WAIT : NULL_SUBMIT, bad);
            score(&how, &clip, &o);
            assert_int_equal(o.rc, ASSAY_EDEVICE);
            assert_non_null(strstr(o.error, "device 0: the null executor was told"));
            assert_true(o.rows < FRAMES);
            for (uint32_t i = 0; i < o.rows; i++)
                assert_int_equal(o.frame[i], 3 * i);
            assert_int_equal(o.released % 2, 0);
            assert_int_equal(null_look()->host_blocks, 0);
            assert_int_equal(null_look()->out_of_order, 0);
            assert_int_equal(null_look()->changed_inputs, 0);
            assert_int_equal(null_look()->count[NULL_CLOSE], 3);
            assert_int_equal(null_look()->count[NULL_WAIT] + (call ? 0 : 1), null_look()->count[NULL_SUBMIT]);
        }
}

static void devices_that_do_not_start(void **state)
{
    (void)state;
    for (uint32_t bad = 1; bad <= 3; bad++)
        for (unsigned call = 0; call < 2; call++) {
            struct outcome o;
            const struct how how = {.config = {.backend = "null", .device = "0,0,0"}, .metrics = "psnr"};
            null_reset(2, call ? NULL_PREPARE : NULL_OPEN, bad);
            score(&how, &clip, &o);
            assert_int_equal(o.rc, ASSAY_EDEVICE);
            assert_int_equal(null_look()->count[NULL_CLOSE], call ? 3 : 2);
        }
}

/* Frames go round, and each device gets as many as it wants in flight. */
static void rounds(void **state)
{
    struct outcome o;
    (void)state;
    null_reset(2, NULL_CALLS, 0);
    score(&(struct how){.config = {.backend = "null", .device = "0,0,0"}, .metrics = "psnr",
                        .feed = FEED_TAKE}, &clip, &o);
    assert_int_equal(o.rc, 0);
    unsigned prepared = 0;
    for (uint32_t i = 0; i < null_look()->entries; i++)
        if (null_look()->entry[i].call == NULL_PREPARE) {
            assert_int_equal(null_look()->entry[i].slot, 13); /* depth 2, ten spare ones, and one to fill */
            prepared++;
        }
    assert_int_equal(prepared, 3);
    assert_int_equal(null_look()->count[NULL_SUBMIT], FRAMES);
    assert_int_equal(null_look()->host_blocks, 0);
}

static void copies(void **state)
{
    struct executor *x;
    struct assay_error e = {0};
    double seconds = -1.0;
    (void)state;
    assert_int_equal(executor_open(&x, &executor_cpu, &(struct executor_config){.device = "0,0", .threads = 1}, &e), 0);
    assert_string_equal(x->ops->name, "cpu");
    assert_int_equal(x->devices, 2);
    assert_int_equal(x->threads, 2);
    assert_int_equal(x->ops->copy_rate(x, COPY_UPLOAD, 1000, 10, &seconds, &e), 0);
    assert_true(seconds >= 0.0);
    x->ops->close(&x);
}

int main(void)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, 45, 33);
    clip_open(&clip, &format, FRAMES, 5, 3);
    for (unsigned i = 0; i < 3; i++)
        score(&(struct how){.config = {.backend = "cpu", .cpu_level = "scalar"}, .flush_every = i}, &clip, &plain[i]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(groups),
        cmocka_unit_test(groups_share_threads),
        cmocka_unit_test(groups_of_large_pairs),
        cmocka_unit_test(groups_end_frames),
        cmocka_unit_test(groups_without_memory),
        cmocka_unit_test(groups_that_stop),
        cmocka_unit_test(groups_have_no_take),
        cmocka_unit_test(groups_have_times),
        cmocka_unit_test(one_plan),
        cmocka_unit_test(names_that_are_not_there),
        cmocka_unit_test(how_many_are_named), cmocka_unit_test(all_of_a_list),
        cmocka_unit_test(lost_frames),
        cmocka_unit_test(devices_that_do_not_start),
        cmocka_unit_test(rounds),
        cmocka_unit_test(copies),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clip_close(&clip);
    return failed;
}
