/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a library that is opened when something needs it. */
#ifndef ASSAY_HOST_LATE_H
#define ASSAY_HOST_LATE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#ifndef LATE_MODULE /* Windows' dlfcn.h has its own */
/* The name of a library of the system, and of a module of assay's. */
#define LATE_SYSTEM(elsewhere, windows) elsewhere
#define LATE_MODULE(name) "libassay-" name ".so.0"
#endif

/* Sets the pointer to a function at `function`; to NULL where the library has none of the name, or is NULL. ISO C has
 * no conversion from a data pointer to a function pointer; POSIX promises that the bytes are the same. */
static inline bool late_find(void *library, const char *name, void *function)
{
    void *const address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

#endif
