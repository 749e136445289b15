/* SPDX-License-Identifier: BSD-2-Clause */
/* What libvmaf calls things: versions, masks of instruction sets, features. The command `assay vmaf` and the library
 * libvmaf.so.3 speak so. */
#ifndef ASSAY_HOST_LIBVMAF_H
#define ASSAY_HOST_LIBVMAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of libvmaf that scores and reports are equal to. */
#define LIBVMAF_VERSION "3.2.0"

/* The version that stands in reports and that programs ask for: "3.2.0+assay.0.2.0", in the form of Python's packages
 * and of semver. Programs that compare versions read 3.2.0. */
const char *libvmaf_version(void);

/* The name of the widest level that the machine has and a mask of libvmaf's allows: a set bit forbids instruction sets.
 * NULL: the mask forbids none that the machine has. */
const char *libvmaf_cpu_level(uint64_t mask);

/* The name under which libvmaf keeps the values of a key: "VMAF_integer_feature_adm2_score" of "integer_adm2", and the
 * key itself where libvmaf has no other name, as of "psnr_y" and of "integer_adm2_egl_1". `name` holds `size` bytes;
 * what does not fit is cut off. */
void libvmaf_kept_name(char *name, size_t size, const char *key);

/* The key that libvmaf's reports have for such a name: the one that libvmaf_kept_name makes the name of. `key` holds
 * `size` bytes; what does not fit is cut off. */
void libvmaf_report_key(char *key, size_t size, const char *name);

#endif
