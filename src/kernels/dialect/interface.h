/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of a kernel's head that only the host reads, through dialect/describe.h. C, CUDA and GLSL ignore them. The
 * checking C build gets the rows of READS and WRITES from the host, as struct kernel_rows.
 */
#ifndef ASSAY_DIALECT_INTERFACE_H
#define ASSAY_DIALECT_INTERFACE_H

#define READS(name, layers, factor, before, after)
#define WRITES(name, layers)
#define LAYERS(name, layers)
#define SUM(k, name)
#define SUMS(k, n, name)
#define SUM_HALVES(k, name)
#define SUMS_HALVES(k, n, name)
#define SUM_LIMBS(k, limbs, scale, name)
#define SUMS_LIMBS(k, n, limbs, scale, name)

#endif
