/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a library that is opened when something needs it. */
#ifndef ASSAY_HOST_LATE_H
#define ASSAY_HOST_LATE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Sets the pointer to a function at `function`; to NULL where the library has none of the name, or is NULL. ISO C has
 * no conversion from a data pointer to a function pointer; POSIX promises that the bytes are the same. */
static inline bool late_find(void *library, const char *name, void *function)
{
    void *const address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

#endif
