/* SPDX-License-Identifier: BSD-2-Clause */
/* Written by tools/derive_exact_math.py. Don't edit. A `struct dd` is the unevaluated sum hi + lo. */
#ifndef ASSAY_HOST_EXACT_MATH_CONSTANTS_H
#define ASSAY_HOST_EXACT_MATH_CONSTANTS_H

struct dd {
    double hi, lo;
};

static const struct dd ln2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 }; /* ln 2 */
static const struct dd log10_2 = { 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59 }; /* log10 2 */
static const struct dd log10_e = { 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 }; /* log10 e */
static const struct dd log2_e = { 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56 }; /* log2 e */

enum { ATANH_TERMS = 21, ATANH_SPLIT = 9, EXP_TERMS = 24, EXP_SPLIT = 12 };

/* 1 / (2k + 1) */
static const struct dd inverse_odd[21] = {
    { 0x1.0000000000000p+0, 0x0.0p+0 },
    { 0x1.5555555555555p-2, 0x1.5555555555555p-56 },
    { 0x1.999999999999ap-3, -0x1.999999999999ap-57 },
    { 0x1.2492492492492p-3, 0x1.2492492492492p-57 },
    { 0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58 },
    { 0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59 },
    { 0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58 },
    { 0x1.1111111111111p-4, 0x1.1111111111111p-60 },
    { 0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61 },
    { 0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59 },
    { 0x1.8618618618618p-5, 0x1.8618618618618p-59 },
    { 0x1.642c8590b2164p-5, 0x1.642c8590b2164p-60 },
    { 0x1.47ae147ae147bp-5, -0x1.eb851eb851eb8p-61 },
    { 0x1.2f684bda12f68p-5, 0x1.2f684bda12f68p-59 },
    { 0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b96p-61 },
    { 0x1.0842108421084p-5, 0x1.0842108421084p-60 },
    { 0x1.f07c1f07c1f08p-6, -0x1.f07c1f07c1f08p-61 },
    { 0x1.d41d41d41d41dp-6, 0x1.0750750750750p-60 },
    { 0x1.bacf914c1bad0p-6, -0x1.bacf914c1bad0p-60 },
    { 0x1.a41a41a41a41ap-6, 0x1.0690690690690p-60 },
    { 0x1.8f9c18f9c18fap-6, -0x1.f3831f3831f38p-61 },
};

/* 1 / n! */
static const struct dd inverse_factorial[24] = {
    { 0x1.0000000000000p+0, 0x0.0p+0 },
    { 0x1.0000000000000p+0, 0x0.0p+0 },
    { 0x1.0000000000000p-1, 0x0.0p+0 },
    { 0x1.5555555555555p-3, 0x1.5555555555555p-57 },
    { 0x1.5555555555555p-5, 0x1.5555555555555p-59 },
    { 0x1.1111111111111p-7, 0x1.1111111111111p-63 },
    { 0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65 },
    { 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73 },
    { 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76 },
    { 0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73 },
    { 0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76 },
    { 0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80 },
    { 0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83 },
    { 0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87 },
    { 0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92 },
    { 0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97 },
    { 0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101 },
    { 0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103 },
    { 0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107 },
    { 0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112 },
    { 0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120 },
    { 0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120 },
    { 0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124 },
    { 0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130 },
};

#endif
