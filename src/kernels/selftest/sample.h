/* SPDX-License-Identifier: BSD-2-Clause */
/* Any sample as 32 bits. */
#ifdef SAMPLE_IS_F32
#define SAMPLE_BITS(v) f32_bits(v)
#else
#define SAMPLE_BITS(v) to_u32(v)
#endif
