/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a container, read through libav. The first byte chooses what is allowed. libav itself is not built for
 * the fuzzer; what it does with memory is seen where it allocates and frees.
 */
#include "feed.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size > 0)
        feed_file(data + 1, size - 1, (struct input_options) {.conceal = data[0] & 1,
                                                              .decode_threads = 1 + data[0] / 2 % 3});
    return 0;
}
