/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/libvmaf.h"

#include <stdio.h>
#include <string.h>

#include "host/cpu.h"

const char *libvmaf_version(void)
{
    return LIBVMAF_VERSION "+assay." ASSAY_VERSION;
}

const char *libvmaf_cpu_level(uint64_t mask)
{
    enum { SSE2_OR_NEON = 1, SSSE3 = 2, SSE41 = 4, AVX2 = 8, AVX512 = 16, AVX512ICL = 32 };
    const uint32_t wide = 1u << CPU_AVX512 | 1u << CPU_AVX512VNNI;
    const uint32_t have = cpu_levels();
    uint32_t levels = have;
    if (mask & (SSE2_OR_NEON | SSSE3 | SSE41))
        levels &= ~(1u << CPU_SSE4 | 1u << CPU_AVX2 | wide);
    if (mask & SSE2_OR_NEON)
        levels &= ~(1u << CPU_NEON);
    if (mask & AVX2)
        levels &= ~(1u << CPU_AVX2 | wide);
    if (mask & AVX512)
        levels &= ~wide;
    if (mask & AVX512ICL)
        levels &= ~(1u << CPU_AVX512VNNI);
    return levels == have ? NULL : cpu_level_name(cpu_best_level(levels));
}

/* Names are BEFORE STEM "_score", keys are KEY STEM. */
static const struct libvmaf_names {
    const char *before, *key, *stem[12];
} names[] = {
    {"VMAF_integer_feature_", "integer_",
     {"adm2", "aim", "adm3", "motion", "motion2", "motion3", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"}},
    {"VMAF_feature_", "",
     {"adm2", "aim", "adm3", "adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3", "motion", "motion2", "motion3"}},
    {"VMAF_feature_", "", {"vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"}},
    {"Cambi_feature_", "", {"cambi"}},
    {"Speed_chroma_feature_", "", {"speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"}},
    {"Speed_temporal_feature_", "", {"speed_temporal"}},
};
enum { NAMES = sizeof names / sizeof names[0], STEMS = sizeof names[0].stem / sizeof names[0].stem[0] };

/* Whether `text` is a, b and c, one after the other. */
static bool is_joined(const char *text, const char *a, const char *b, const char *c)
{
    const size_t x = strlen(a), y = strlen(b);
    return !strncmp(text, a, x) && !strncmp(text + x, b, y) && !strcmp(text + x + y, c);
}

void libvmaf_kept_name(char *name, size_t size, const char *key)
{
    for (unsigned i = 0; i < NAMES; i++)
        for (unsigned k = 0; k < STEMS && names[i].stem[k]; k++)
            if (is_joined(key, names[i].key, names[i].stem[k], "")) {
                snprintf(name, size, "%s%s_score", names[i].before, names[i].stem[k]);
                return;
            }
    snprintf(name, size, "%s", key);
}

void libvmaf_report_key(char *key, size_t size, const char *name)
{
    for (unsigned i = 0; i < NAMES; i++)
        for (unsigned k = 0; k < STEMS && names[i].stem[k]; k++)
            if (is_joined(name, names[i].before, names[i].stem[k], "_score")) {
                snprintf(key, size, "%s%s", names[i].key, names[i].stem[k]);
                return;
            }
    snprintf(key, size, "%s", name);
}
