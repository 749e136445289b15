/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A metric that looks at earlier frames has the CPU's bits on a device, however many frames are in flight, also where
 * frames are left out and where a sequence ends in between. With "keeps" the device has to leave out the passes that
 * earlier frames have run already (graph/kept.h).
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

enum { SKIPPED = 77, WIDTH = 67, HEIGHT = 45 };

static const char *backend;
static bool keeps;

static void run(const struct clip *c, const char *metrics, uint32_t in_flight, unsigned flush_every)
{
    struct how how = {.config = {.threads = 1}, .metrics = metrics, .flush_every = flush_every};
    static struct outcome cpu, device;
    score(&how, c, &cpu);
    how.config.backend = backend;
    how.config.frames_in_flight = in_flight;
    score(&how, c, &device);
    same_outcome(&cpu, &device);
    const uint64_t all = (uint64_t)device.work.passes * c->frames;
    if (keeps)
        assert_true(device.work.dispatches < all);
    else
        assert_int_equal(device.work.dispatches, all);
}

static void test_history(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct clip c;
    clip_open(&c, &f, CLIP_FRAMES, 9, 0);
    run(&c, "cvvdp=fps=24 motion", 1, 0);
    run(&c, "cvvdp=fps=24", 3, 0);
    run(&c, "cvvdp=fps=60", 8, 0); /* more frames of history than are in flight */
    run(&c, "cvvdp=fps=24", 4, 7);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_history)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
