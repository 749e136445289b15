/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cpu.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const struct {
    const char *name, *title;
} level_words[CPU_LEVELS] = {
    [CPU_SCALAR] = {"scalar", "scalar C"}, [CPU_SSE4] = {"sse4", "SSE4.1"}, [CPU_AVX2] = {"avx2", "AVX2"},
    [CPU_AVX512] = {"avx512", "AVX-512"}, [CPU_AVX512VNNI] = {"avx512vnni", "AVX-512 VNNI"},
    [CPU_NEON] = {"neon", "NEON"},
};

/* ---- levels ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* Register state that the operating system saves (XCR0). Only valid if CPUID says OSXSAVE. */
static uint64_t saved_state(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool has_all(uint64_t value, uint64_t wanted)
{
    return (value & wanted) == wanted;
}

static uint32_t detect_levels(void)
{
    enum {
        ECX1_SSSE3 = 1 << 9, ECX1_SSE41 = 1 << 19, ECX1_OSXSAVE = 1 << 27, ECX1_AVX = 1 << 28,
        EBX7_AVX2 = 1 << 5, EBX7_AVX512F = 1 << 16, EBX7_AVX512DQ = 1 << 17, EBX7_AVX512BW = 1 << 30,
        ECX7_AVX512VNNI = 1 << 11,
        STATE_AVX = 0x06,    /* XMM and upper halves of YMM */
        STATE_AVX512 = 0xe6, /* those, mask registers, upper halves of ZMM, ZMM16 to ZMM31 */
    };
    const uint32_t ebx7_avx512vl = UINT32_C(1) << 31;
    uint32_t levels = 1u << CPU_SCALAR;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has_all(c, ECX1_SSSE3 | ECX1_SSE41))
        return levels;
    levels |= 1u << CPU_SSE4;
    if (!has_all(c, ECX1_OSXSAVE | ECX1_AVX))
        return levels;
    const uint64_t state = saved_state();
    if (!has_all(state, STATE_AVX) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, EBX7_AVX2))
        return levels;
    levels |= 1u << CPU_AVX2;
    if (has_all(state, STATE_AVX512) && has_all(b, EBX7_AVX512F | EBX7_AVX512DQ | EBX7_AVX512BW | ebx7_avx512vl))
        levels |= 1u << CPU_AVX512 | (has_all(c, ECX7_AVX512VNNI) ? 1u << CPU_AVX512VNNI : 0);
    return levels;
}

uint32_t cpu_levels(void)
{
    /* CPUID traps to the hypervisor in a virtual machine, tens of microseconds each time. 0: not asked yet. */
    static _Atomic uint32_t known;
    uint32_t levels = known;
    if (!levels)
        known = levels = detect_levels();
    return levels;
}

#else /* AArch64, where Advanced SIMD is part of the base */

uint32_t cpu_levels(void)
{
    return 1u << CPU_SCALAR | 1u << CPU_NEON;
}

#endif

enum cpu_level cpu_best_level(uint32_t levels)
{
    for (int level = CPU_LEVELS - 1; level > CPU_SCALAR; level--) {
        if (levels >> level & 1)
            return (enum cpu_level)level;
    }
    return CPU_SCALAR;
}

const char *cpu_level_name(enum cpu_level level)
{
    return level_words[level].name;
}

const char *cpu_level_title(enum cpu_level level)
{
    return level_words[level].title;
}

int cpu_level_from_name(const char *name)
{
    for (int level = 0; level < CPU_LEVELS; level++) {
        if (strcmp(name, level_words[level].name) == 0)
            return level;
    }
    return -1;
}

/* ---- how many CPUs ---------------------------------------------------------------------------------------------- */

/* Number of CPUs in the affinity mask. The kernel refuses a mask shorter than its own, so the mask grows until it
 * fits. */
static unsigned affinity_count(void)
{
    for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set)
            return 1;
        const size_t size = CPU_ALLOC_SIZE((size_t)cpus);
        const int status = sched_getaffinity(0, size, set);
        const int count = status == 0 ? CPU_COUNT_S(size, set) : 0;
        const bool too_short = status != 0 && errno == EINVAL;
        CPU_FREE(set);
        if (!too_short)
            return count > 0 ? (unsigned)count : 1;
    }
    return 1;
}

/* Reads the first line of root/controller/group/file; false if there is none. */
static bool read_group_file(const char *root, const char *controller, const char *group, const char *file, char *line,
                            int size)
{
    char path[3 * PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s%s%s/%s", root, *controller ? "/" : "", controller, group,
                                file);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    const bool ok = fgets(line, size, f) != NULL;
    fclose(f);
    return ok;
}

/* quota / period in whole CPUs, rounded up. 0: no limit, or values that are no limit. */
static unsigned whole_cpus(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    const long long cpus = quota / period + (quota % period != 0);
    return cpus < INT_MAX ? (unsigned)cpus : INT_MAX;
}

/* The limit that one group itself states. Version 2 states it in cpu.max ("max 100000" or "150000 100000"), version 1
 * in two files. */
static unsigned group_limit(const char *root, const char *controller, const char *group)
{
    char line[128], *end;
    if (!*controller) {
        if (!read_group_file(root, controller, group, "cpu.max", line, sizeof line))
            return 0;
        const long long quota = strtoll(line, &end, 10);
        return end == line ? 0 : whole_cpus(quota, strtoll(end, NULL, 10));
    }
    if (!read_group_file(root, controller, group, "cpu.cfs_quota_us", line, sizeof line))
        return 0;
    const long long quota = strtoll(line, NULL, 10);
    if (!read_group_file(root, controller, group, "cpu.cfs_period_us", line, sizeof line))
        return 0;
    return whole_cpus(quota, strtoll(line, NULL, 10));
}

static unsigned tighter(unsigned a, unsigned b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The tightest limit of a group and the groups above it, because a limit holds for everything below its group. In a
 * container the mounted root may be an inner group; paths that do not exist there are passed over. */
static unsigned limit_upwards(const char *root, const char *controller, char *group)
{
    unsigned limit = 0;
    for (;;) {
        limit = tighter(limit, group_limit(root, controller, strcmp(group, "/") == 0 ? "" : group));
        char *slash = strrchr(group, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

unsigned cpu_cgroup_limit(const char *membership, const char *root)
{
    FILE *f = fopen(membership, "re");
    if (!f)
        return 0;
    unsigned limit = 0;
    char line[PATH_MAX + 256];
    while (fgets(line, sizeof line, f)) { /* hierarchy-id:controllers:group, no controllers in version 2 */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *controllers++ = '\0';
        *group++ = '\0';
        const char *controller = NULL;
        if (!*controllers)
            controller = "";
        else if (strcmp(controllers, "cpu") == 0 || strcmp(controllers, "cpu,cpuacct") == 0)
            controller = "cpu"; /* a link to cpu,cpuacct where the two are mounted together */
        if (controller)
            limit = tighter(limit, limit_upwards(root, controller, group));
    }
    fclose(f);
    return limit;
}

unsigned cpu_allowed_count(void)
{
    const unsigned limit = cpu_cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    const unsigned count = affinity_count();
    return limit != 0 && limit < count ? limit : count;
}
