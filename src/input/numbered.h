/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbered pictures: "frames/x_%04d.png" names the files x_0001.png, x_0002.png, ... of a folder. Their numbers are as
 * printf(3) writes them: "%d" from 0 on, "%0Nd" (N: 1 to 9) with N digits at least. A path has one, in its last part.
 */
#ifndef ASSAY_INPUT_NUMBERED_H
#define ASSAY_INPUT_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>

#include "host/error.h"

struct numbered {
    const char *path;      /* the caller's */
    int before, digits;    /* its bytes in front of the number, and the digits of a number at least */
    const char *behind;    /* the number */
    uint32_t first, count; /* the lowest number that is there, and the pictures. No number is left out */
    uint64_t bytes;        /* of all files */
    uint64_t changed;      /* the sum of the times at which they were changed last, in ns */
};

/* Whether a path names numbered pictures: it has the form, and there is no file of that very name. */
bool numbered_is(const char *path);

/* Looks for the pictures of such a path. Fails where there are none, and where a number between the lowest and the
 * highest one has no file. `name` is the path in messages. */
int numbered_find(struct numbered *n, const char *path, const char *name, struct assay_error *e);

/* Writes the path of picture i, which counts from 0. */
void numbered_path(const struct numbered *n, uint32_t i, char *to, size_t size);

/* Whether a path is that of one of these pictures. `numbered` may be any path, or NULL. */
bool numbered_has(const char *numbered, const char *path);

#endif
