/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a request. One that is taken has a text of its own, from which the same request comes; a refusal is one
 * line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <assay/run.h>

/* The text of a request that was taken, which is taken again. */
static char *text_of(const assay_request *request)
{
    char error[512], *text = assay_request_text(request), *again;
    assay_request *second;
    if (!text || assay_request_parse(&second, text, strlen(text), error, sizeof error))
        abort();
    again = assay_request_text(second);
    if (!again || strcmp(again, text))
        abort();
    free(again);
    assay_request_close(&second);
    return text;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char error[512] = "";
    assay_request *request;
    const int rc = assay_request_parse(&request, (const char *)data, size, error, sizeof error);
    if (!rc)
        free(text_of(request));
    else if (request || !*error || strchr(error, '\n'))
        abort();
    assay_request_close(&request);
    return 0;
}
