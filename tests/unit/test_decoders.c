/* SPDX-License-Identifier: BSD-2-Clause */
/* How the decoders of several encodes share threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/request.h"

/* A reference with most of the bytes of a ladder of six has the threads of a decoder that is alone. */
static void most_go_to_the_largest(void **state)
{
    (void)state;
    assert_int_equal(request_decode_threads(16, 7, 0.82), 16);
    assert_int_equal(request_decode_threads(16, 7, 0.005), 5);
    assert_int_equal(request_decode_threads(8, 7, 0.82), 13);
    assert_int_equal(request_decode_threads(16, 7, 1.0 / 7), 8);
    assert_int_equal(request_decode_threads(2, 7, 0), 1);
}

/* 0 would be libav's own choice for each of them. All together have at most three for a processor, and 1.5 for a
 * file. */
static void every_file_has_some(void **state)
{
    (void)state;
    for (uint32_t processors = 1; processors <= 256; processors++)
        for (uint32_t files = 3; files <= ASSAY_ENCODES + 1; files++) {
            uint32_t all = 0;
            for (uint32_t k = 0; k < files; k++) {
                const uint32_t more = request_decode_threads(processors, files, (k + 1.0) / files),
                               some = request_decode_threads(processors, files, (double)k / files);
                assert_in_range(some, 1, more);
                assert_in_range(more, some, 16);
                all += request_decode_threads(processors, files, 2.0 * k / (files * (files - 1.0)));
            }
            assert_true(all <= 3 * processors + 1.5 * files);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(most_go_to_the_largest), cmocka_unit_test(every_file_has_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
