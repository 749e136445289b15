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

enum { ATANH_TERMS = 21, ATANH_SPLIT = 9, EXP_TERMS = 24, EXP_SPLIT = 12, EXP_PARTS = 64 };

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

/* 2^(j / 64) */
static const struct dd exp_part[64] = {
    { 0x1.0000000000000p+0, 0x0.0p+0 },
    { 0x1.02c9a3e778061p+0, -0x1.19083535b085dp-56 },
    { 0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55 },
    { 0x1.0874518759bc8p+0, 0x1.186be4bb284ffp-57 },
    { 0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54 },
    { 0x1.0e3ec32d3d1a2p+0, 0x1.03a1727c57b53p-59 },
    { 0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54 },
    { 0x1.1429aaea92de0p+0, -0x1.32fbf9af1369ep-54 },
    { 0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55 },
    { 0x1.1a35beb6fcb75p+0, 0x1.e5b4c7b4968e4p-55 },
    { 0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54 },
    { 0x1.2063b88628cd6p+0, 0x1.dc775814a8495p-55 },
    { 0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54 },
    { 0x1.26b4565e27cddp+0, 0x1.2bd339940e9d9p-55 },
    { 0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55 },
    { 0x1.2d285a6e4030bp+0, 0x1.0024754db41d5p-54 },
    { 0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55 },
    { 0x1.33c08b26416ffp+0, 0x1.32721843659a6p-54 },
    { 0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54 },
    { 0x1.3a7db34e59ff7p+0, -0x1.5e436d661f5e3p-56 },
    { 0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55 },
    { 0x1.4160a21f72e2ap+0, -0x1.ef3691c309278p-58 },
    { 0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59 },
    { 0x1.486a2b5c13cd0p+0, 0x1.3c1a3b69062f0p-56 },
    { 0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56 },
    { 0x1.4f9b2769d2ca7p+0, -0x1.4b309d25957e3p-54 },
    { 0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55 },
    { 0x1.56f4736b527dap+0, 0x1.9bb2c011d93adp-54 },
    { 0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54 },
    { 0x1.5e76f15ad2148p+0, 0x1.ba6f93080e65ep-54 },
    { 0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54 },
    { 0x1.6623882552225p+0, -0x1.bb60987591c34p-54 },
    { 0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54 },
    { 0x1.6dfb23c651a2fp+0, -0x1.bbe3a683c88abp-57 },
    { 0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55 },
    { 0x1.75feb564267c9p+0, -0x1.0245957316dd3p-54 },
    { 0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55 },
    { 0x1.7e2f336cf4e62p+0, 0x1.05d02ba15797ep-56 },
    { 0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54 },
    { 0x1.868d99b4492edp+0, -0x1.fc6f89bd4f6bap-54 },
    { 0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54 },
    { 0x1.8f1ae99157736p+0, 0x1.5cc13a2e3976cp-55 },
    { 0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57 },
    { 0x1.97d829fde4e50p+0, -0x1.d185b7c1b85d1p-54 },
    { 0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56 },
    { 0x1.a0c667b5de565p+0, -0x1.359495d1cd533p-54 },
    { 0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54 },
    { 0x1.a9e6b5579fdbfp+0, 0x1.0fac90ef7fd31p-54 },
    { 0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54 },
    { 0x1.b33a2b84f15fbp+0, -0x1.2805e3084d708p-57 },
    { 0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56 },
    { 0x1.bcc1e904bc1d2p+0, 0x1.23dd07a2d9e84p-55 },
    { 0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55 },
    { 0x1.c67f12e57d14bp+0, 0x1.2884dff483cadp-54 },
    { 0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56 },
    { 0x1.d072d4a07897cp+0, -0x1.cbc3743797a9cp-54 },
    { 0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55 },
    { 0x1.da9e603db3285p+0, 0x1.c2300696db532p-54 },
    { 0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54 },
    { 0x1.e502ee78b3ff6p+0, 0x1.39e8980a9cc8fp-55 },
    { 0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54 },
    { 0x1.efa1bee615a27p+0, 0x1.dc7f486a4b6b0p-54 },
    { 0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54 },
    { 0x1.fa7c1819e90d8p+0, 0x1.74853f3a5931ep-55 },
};

#endif
