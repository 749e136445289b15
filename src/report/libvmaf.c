/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/libvmaf.h"

#include <string.h>

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

bool libvmaf_known_at_end(const char *key)
{
    return begins(key, "integer_motion2") || begins(key, "integer_motion3");
}

/* Where a key stands. Features come in the order in which their first values are known: those of the models, then those
 * asked for. motion3 of float_motion is known a frame later, what looks at the next frame in motion behind the last, in
 * the same order, and then the scores of models: first those of all, then those of the members of each. */
enum place { OF_MODELS, ASKED_FOR, A_FRAME_LATER, BEHIND_ALL, ASKED_BEHIND_ALL, AT_THE_END, MEMBERS, PLACES };

static enum place place_of(const assay_session *s, const char *const *model, uint32_t models, uint32_t key)
{
    const char *name = assay_session_key(s, key);
    const uint32_t metric = assay_session_key_metric(s, key);
    if (metric < models)
        return strcmp(name, model[metric]) ? MEMBERS : AT_THE_END;
    if (libvmaf_known_at_end(name))
        return assay_session_key_feature(s, key) ? BEHIND_ALL : ASKED_BEHIND_ALL;
    if (begins(name, "motion3") && !strstr(name, "_force_0"))
        return A_FRAME_LATER;
    return assay_session_key_feature(s, key) ? OF_MODELS : ASKED_FOR;
}

/* The key "psnr_P" of the key "mse_P", or the other way round, of the same metric. False: there is none. */
static bool partner(const assay_session *s, uint32_t key, const char *from, const char *to, uint32_t *other)
{
    const char *name = assay_session_key(s, key);
    if (!begins(name, from))
        return false;
    for (*other = 0; *other < assay_session_keys(s); ++*other)
        if (begins(assay_session_key(s, *other), to) &&
            !strcmp(assay_session_key(s, *other) + strlen(to), name + strlen(from)))
            return true;
    return false;
}

uint32_t libvmaf_columns(const assay_session *s, const char *const *model, uint32_t models, bool predicted,
                         uint32_t *column)
{
    uint32_t columns = 0, other;
    for (enum place at = 0; at < (predicted ? PLACES : AT_THE_END); at++)
        for (uint32_t key = 0; key < assay_session_keys(s); key++) {
            if (place_of(s, model, models, key) != at || partner(s, key, "mse_", "psnr_", &other))
                continue;
            column[columns++] = key;
            if (partner(s, key, "psnr_", "mse_", &other))
                column[columns++] = other;
        }
    return columns;
}
