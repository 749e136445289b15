/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A metric that looks at earlier frames has the CPU's bits on a device, however many frames are in flight, also where
 * a sequence ends in between. With "keeps" the device has to leave out the passes that earlier frames have run already
 * (graph/kept.h), unless it has no room to keep what they made.
 *
 *     test_history BACKEND [keeps]
 *
 * Exit 77 when there is no such device, unless CI=true.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session_test.h"

enum { SKIPPED = 77, WIDTH = 67, HEIGHT = 45, MIB = 1 << 20 };

static const char *backend;
static bool keeps;

/* `leads`: pairs that lead the sequences in. Returns the bytes of the device's memory. */
static uint64_t run(const struct clip *c, const char *metrics, uint32_t in_flight, unsigned flush_every, unsigned leads)
{
    struct how how = {.config = {.threads = 1}, .metrics = metrics, .flush_every = flush_every};
    static struct outcome cpu, device;
    score(&how, c, &cpu);
    how.config.backend = backend;
    how.config.frames_in_flight = in_flight;
    score(&how, c, &device);
    same_outcome(&cpu, &device);
    const uint64_t all = (uint64_t)device.work.passes * (c->frames + leads);
    if (keeps)
        assert_true(device.work.dispatches < all);
    else
        assert_int_equal(device.work.dispatches, all);
    return device.work.device_bytes;
}

/* With 4 MiB less than all of it takes, the device has room for the frames, and not for the 9 MiB that they keep. */
static void test_no_room(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, 320, 180);
    struct clip c;
    char room[32];
    clip_open(&c, &f, 9, 9, 0);
    const uint64_t bytes = run(&c, "cvvdp=fps=24", 1, 0, 0);
    snprintf(room, sizeof room, "%u", (unsigned)(bytes / MIB) - 4);
    const bool kept = keeps;
    setenv("ASSAY_GPU_MEMORY", room, 1);
    keeps = false;
    if (kept)
        run(&c, "cvvdp=fps=24", 1, 0, 0);
    keeps = kept;
    unsetenv("ASSAY_GPU_MEMORY");
    clip_close(&c);
}

static void test_history(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct clip c;
    clip_open(&c, &f, CLIP_FRAMES, 9, 0);
    run(&c, "cvvdp=fps=24 motion", 1, 0, 0);
    run(&c, "cvvdp=fps=24", 3, 0, 0);
    run(&c, "cvvdp=fps=60", 8, 0, 0); /* more frames of history than are in flight */
    run(&c, "cvvdp=fps=24", 4, 7, 0);
    run(&c, "cvvdp=fps=24:padding=symmetric motion", 1, 0, 6);
    run(&c, "cvvdp=fps=60:padding=symmetric", 3, 0, 16);
    run(&c, "cvvdp=fps=24:padding=symmetric", 4, 7, 3 * 6);
    clip_close(&c);
}

static void count_device(void *opaque, const assay_device *device)
{
    *(unsigned *)opaque += !device->missing;
}

int main(int argc, char **argv)
{
    unsigned devices = 0;
    backend = argc > 1 ? argv[1] : "";
    keeps = argc > 2;
    if (assay_list_devices(backend, count_device, &devices, NULL, 0) || !devices) {
        printf("skipped: no device of %s\n", backend);
        return getenv("CI") && !strcmp(getenv("CI"), "true") ? 1 : SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_history), cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
