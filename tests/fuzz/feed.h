/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz entries of the readers share: bytes read as a file and as a pipe must tell the same story. */
#ifndef ASSAY_TESTS_FUZZ_FEED_H
#define ASSAY_TESTS_FUZZ_FEED_H

#include "input/input.h"

/* A pipe takes this much without a reader. */
enum { FEED_MOST = 60000 };

/* Reads `size` bytes both ways with the other options given, and aborts when the two disagree on whether the stream is
 * whole, on its pictures or on a sample, or when an error is not one line with a known code. */
void feed_both_ways(const unsigned char *data, size_t size, struct input_options options);

/* Reads `size` bytes as a file through libav, and aborts when an error is not one line with a known code. */
void feed_file(const unsigned char *data, size_t size, struct input_options options);

/* libFuzzer's own. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#endif
