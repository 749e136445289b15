/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines to standard error, "libvmaf WARNING ...", as libvmaf writes them. Any thread may write one. */
#ifndef ASSAY_LIBVMAF_LOG_H
#define ASSAY_LIBVMAF_LOG_H

#include <errno.h>
#include <libvmaf/libvmaf.h>

/* The level of the process: models are loaded without a context. Before the first context it is INFO. */
void log_set_level(enum VmafLogLevel level);

/* Writes a line. `format` has no line feed. */
__attribute__((format(printf, 2, 3))) void log_line(enum VmafLogLevel level, const char *format, ...);

/* Writes an ERROR and returns -EINVAL. */
#define log_refuse(...) (log_line(VMAF_LOG_LEVEL_ERROR, __VA_ARGS__), -EINVAL)

#endif
