/* SPDX-License-Identifier: BSD-2-Clause */
/* `assay diff`: two reports, which a record separator divides. A report equals itself, and the order of two does not
 * matter for whether they do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare.h"
#include "texts.h"

static int compare(const char *a, const char *b)
{
    struct assay_error e = {0};
    char *said = NULL;
    size_t size;
    FILE *out = open_memstream(&said, &size);
    texts_check(out, "memory");
    const int rc = reports_compare(a, b, out, &e);
    texts_check(!fclose(out), "memory");
    if (rc < 0)
        texts_check(rc == ASSAY_EINPUT && !strncmp(e.text, "./", 2) && !strchr(e.text, '\n'), "a refusal is one line");
    else
        texts_check(*said && rc <= 1, "something is said");
    free(said);
    struct assay_error again = {0};
    texts_check(reports_compare(a, b, NULL, &again) == rc, "without words the result is the same");
    return rc;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static bool entered;
    static const char *const name[2] = {"./a.json", "./b.json"};
    if (!entered)
        texts_enter();
    entered = true;
    for (unsigned i = 0; i < 2; i++) {
        char *text = texts_cut(&data, &size);
        texts_put(name[i], text, strlen(text));
        free(text);
    }
    const int one = compare(name[0], name[0]), both = compare(name[0], name[1]);
    texts_check(one <= 0, "a report equals itself");
    texts_check(one || both < 0 || compare(name[1], name[0]) == both, "the order of two does not matter");
    return 0;
}
