/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of options by name. */
#ifndef ASSAY_LIBVMAF_DICTIONARY_H
#define ASSAY_LIBVMAF_DICTIONARY_H

#include <libvmaf/feature.h>

struct VmafFeatureDictionary {
    unsigned count;
    struct dictionary_entry {
        char *key, *value;
    } *entry;
};

/* Sets an entry, also where the list has one of this key. Makes the list where *dict is NULL. 0 or -ENOMEM. */
int dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *value);

/* Appends printf's text to a text of the heap. Returns 0, or -ENOMEM and leaves the text as it was. */
__attribute__((format(printf, 2, 3))) int text_grow(char **text, const char *format, ...);

#endif
