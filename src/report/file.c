/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST ((size_t)1 << 30) /* bytes */

char *file_read(const char *path, size_t *size, struct assay_error *e)
{
    FILE *f = fopen(path, "rbe");
    if (!f) {
        assay_fail(e, ASSAY_EINPUT, "%s: can't be opened: %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (used == capacity) {
            capacity = capacity ? capacity * 2 : 1 << 16;
            char *larger = capacity <= FILE_MOST ? realloc(text, capacity) : NULL;
            if (!larger) {
                if (capacity > FILE_MOST)
                    assay_fail(e, ASSAY_EINPUT, "%s: too large", path);
                else
                    assay_fail_memory(e, "a file");
                break;
            }
            text = larger;
        }
        size_t got = fread(text + used, 1, capacity - used, f);
        used += got;
        if (got == 0 && ferror(f)) {
            assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", path, strerror(errno));
            break;
        }
        if (got == 0) {
            fclose(f);
            *size = used;
            return text;
        }
    }
    fclose(f);
    free(text);
    return NULL;
}
