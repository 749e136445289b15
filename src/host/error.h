/* SPDX-License-Identifier: BSD-2-Clause */
/* An error: a code of assay.h and one line of text. Every function inside the library that can fail takes one. */
#ifndef ASSAY_HOST_ERROR_H
#define ASSAY_HOST_ERROR_H

#include <assay/assay.h>

#include "host/system.h"

struct assay_error {
    int code;
    char text[1024];
};

/* Sets the error and returns `code`. An error that is already set stays: a later, more general message never hides the
 * cause. Control characters become "?". `e` may be NULL. */
PRINTF_LIKE(3, 4) int assay_fail(struct assay_error *e, int code, const char *format, ...);

/* The failure of an allocation: "out of memory for WHAT". */
int assay_fail_memory(struct assay_error *e, const char *what);

/* Ends a public function that has a buffer for the reason: copies the text, which is empty after success, and returns
 * the code. `error` may be NULL. */
int assay_answer(const struct assay_error *e, char *error, size_t error_size);

/* Makes room for one more than the n elements of a list, whose pointer is at `list`. Its memory is doubled when n is a
 * power of two: n begins at 0, where the pointer is NULL. After a failure the list is as it was. */
int assay_grow(void *list, size_t n, size_t size, const char *what, struct assay_error *e);

/* Makes the call, and returns its result from the calling function unless it is 0. A function that has to clean up
 * keeps its fallible calls in an inner function: the inner one leaves by TRY, and the outer one cleans up in one
 * place. */
#define TRY(call) \
    do { \
        const int try_rc = (call); \
        if (try_rc) \
            return try_rc; \
    } while (0)

#endif
