/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of which `assay report` makes other forms: what is refused is refused with one line, and what is read has
 * nothing in it that could begin markup where a form writes it as it is. */
#include <string.h>

#include "cli/report/told.h"
#include "texts.h"

static void look(struct report_file *f, uint32_t i)
{
    struct told t = {.s = {.path = NULL}};
    struct assay_error e = {0};
    if (told_read(&t, f, i, &e)) {
        texts_check(e.text[0] && !strchr(e.text, '\n'), "a refusal is one line");
        texts_check(e.code == ASSAY_EINPUT, "the input is to blame");
    } else {
        texts_check(!strpbrk(t.s.run.version, "<>&\"'\n "), "a version is a version");
        for (uint64_t row = 0; t.s.scores.paired && row < t.s.scores.rows; row++)
            texts_check(t.s.scores.partner[row] < UINT64_C(1) << 53, "each frame has a partner");
    }
    stored_free(&t.s);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct report_file f;
    struct assay_error e = {0};
    if (report_file_parse(&f, "report.json", (const char *)data, size, &e))
        return 0;
    for (uint32_t i = 0; i < (f.encodes ? f.encodes : 1); i++)
        look(&f, i);
    report_file_free(&f);
    return 0;
}
