/* SPDX-License-Identifier: BSD-2-Clause */
/* One error: a code of assay.h and one line of text. Every fallible function of the library takes one. */
#ifndef ASSAY_HOST_ERROR_H
#define ASSAY_HOST_ERROR_H

#include <assay/assay.h>

struct assay_error {
    int code;
    char text[512];
};

/* Sets the error (the first one wins: a later, more general message never hides the cause) and returns `code`.
 * `e` may be NULL. */
__attribute__((format(printf, 3, 4))) int assay_fail(struct assay_error *e, int code, const char *format, ...);

/* The usual answer to a failed allocation of `what`. */
int assay_fail_memory(struct assay_error *e, const char *what);

/* Makes a call and leaves the function with its answer, unless that is 0. For functions with nothing to clean up: one that has something
 * keeps its fallible calls in a function of their own, and so its clean-up in one place. */
#define TRY(call)                  \
    do {                           \
        const int try_rc = (call); \
        if (try_rc)                \
            return try_rc;         \
    } while (0)

#endif
