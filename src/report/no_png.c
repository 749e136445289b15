/* SPDX-License-Identifier: BSD-2-Clause */
/* The build without libpng. */
#include "report/png_file.h"

int png_file_available(struct assay_error *e)
{
    return assay_fail(e, ASSAY_EUSAGE, "this build writes no PNG: it was made without libpng");
}

int png_file_write(const char *path, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                   const char *comment, struct assay_error *e)
{
    (void)path, (void)width, (void)height, (void)row, (void)opaque, (void)comment;
    return png_file_available(e);
}

int png_file_put(struct sink *s, uint32_t width, uint32_t height, png_file_row *row, const void *opaque,
                 const char *comment, struct assay_error *e)
{
    (void)s, (void)width, (void)height, (void)row, (void)opaque, (void)comment;
    return png_file_available(e);
}
