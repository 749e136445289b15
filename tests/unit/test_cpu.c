/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cpu.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failures;

#define CHECK(ok) ((ok) ? (void)0 : (failures++, (void)printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #ok)))

static bool has(uint32_t levels, enum cpu_level level)
{
    return levels >> level & 1;
}

static void check_names(void)
{
    for (int level = 0; level < CPU_LEVELS; level++)
        CHECK(cpu_level_from_name(cpu_level_name((enum cpu_level)level)) == level);
    CHECK(cpu_level_from_name("avx2") == CPU_AVX2);
    CHECK(cpu_level_from_name("AVX2") == -1);
    CHECK(cpu_level_from_name("") == -1);
    CHECK(cpu_level_from_name("avx51") == -1);
}

static void check_levels(void)
{
    const uint32_t levels = cpu_levels();
    CHECK(levels == cpu_levels());
    CHECK(has(levels, CPU_SCALAR));
    CHECK(levels >> CPU_LEVELS == 0);
    CHECK(has(levels, cpu_best_level(levels)));
    CHECK(cpu_best_level(1u << CPU_SCALAR) == CPU_SCALAR);
    CHECK(cpu_best_level(1u << CPU_SCALAR | 1u << CPU_SSE4 | 1u << CPU_AVX2) == CPU_AVX2);
#if defined(__x86_64__)
    /* the compiler's own detection, which is allowed to be spelt differently but not to find something else */
    __builtin_cpu_init();
    CHECK(has(levels, CPU_SSE4) == (__builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1")));
    CHECK(has(levels, CPU_AVX2) == !!__builtin_cpu_supports("avx2"));
    CHECK(has(levels, CPU_AVX512) == (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")));
    CHECK(has(levels, CPU_AVX512VNNI) == (has(levels, CPU_AVX512) && __builtin_cpu_supports("avx512vnni")));
    CHECK(!has(levels, CPU_NEON));
#else
    CHECK(levels == (1u << CPU_SCALAR | 1u << CPU_NEON));
#endif
    printf("levels:");
    for (int level = 0; level < CPU_LEVELS; level++) {
        if (has(levels, (enum cpu_level)level))
            printf(" %s", cpu_level_name((enum cpu_level)level));
    }
    printf(", CPUs allowed: %u\n", cpu_allowed_count());
}

static void check_affinity(void)
{
    cpu_set_t before, one;
    const unsigned allowed = cpu_allowed_count();
    CHECK(allowed >= 1);
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        return; /* more than 1024 CPUs; the library copes, this check doesn't */
    CHECK(allowed <= (unsigned)CPU_COUNT(&before));
    size_t first = 0;
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) {
        CHECK(cpu_allowed_count() == 1);
        sched_setaffinity(0, sizeof before, &before);
        CHECK(cpu_allowed_count() == allowed);
    }
}

static char folder[] = "/tmp/assay-test-cpu-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "w");
    CHECK(f && fputs(text, f) >= 0);
    CHECK(f && fclose(f) == 0);
}

static unsigned limit_of(const char *membership)
{
    char file[256];
    write_file("membership", membership);
    snprintf(file, sizeof file, "%s", in_folder("membership"));
    return cpu_cgroup_limit(file, folder);
}

static void check_cgroups(void)
{
    if (!mkdtemp(folder)) {
        printf("no folder can be made in /tmp\n");
        failures++;
        return;
    }
    static const char *const folders[] = { "a", "a/b", "cpu", "cpu/job" };
    static const char *const files[] = {"membership",
                                        "cpu.max",
                                        "a/cpu.max",
                                        "a/b/cpu.max",
                                        "cpu/job/cpu.cfs_quota_us",
                                        "cpu/job/cpu.cfs_period_us",
                                        "cpu/cpu.cfs_quota_us",
                                        "cpu/cpu.cfs_period_us"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        CHECK(mkdir(in_folder(folders[i]), 0700) == 0);

    CHECK(limit_of("0::/a/b\n") == 0); /* no file says anything */
    CHECK(limit_of("") == 0);
    CHECK(limit_of("nonsense\n0:x\n") == 0);
    write_file("a/b/cpu.max", "max 100000\n");
    CHECK(limit_of("0::/a/b\n") == 0);
    write_file("a/b/cpu.max", "300000 100000\n");
    CHECK(limit_of("0::/a/b\n") == 3);
    CHECK(limit_of("0::/a\n") == 0);
    write_file("a/cpu.max", "150000 100000\n"); /* tighter further up, and 1.5 is 2 */
    CHECK(limit_of("0::/a/b\n") == 2);
    CHECK(limit_of("0::/a/gone\n") == 2);
    CHECK(limit_of("0::/\n") == 0);
    write_file("cpu.max", "50000 100000\n"); /* a container sees its own group as the root */
    CHECK(limit_of("0::/\n") == 1);
    CHECK(limit_of("0::/a/b\n") == 1);
    CHECK(limit_of("0::/../elsewhere\n") == 1);
    write_file("cpu.max", "garbage\n");
    CHECK(limit_of("0::/\n") == 0);
    write_file("cpu.max", "1000\n");
    CHECK(limit_of("0::/\n") == 0);

    write_file("cpu/cpu.cfs_quota_us", "-1\n");
    write_file("cpu/cpu.cfs_period_us", "100000\n");
    CHECK(limit_of("4:memory:/job\n3:cpu,cpuacct:/job\n") == 0);
    write_file("cpu/job/cpu.cfs_quota_us", "400000\n");
    write_file("cpu/job/cpu.cfs_period_us", "100000\n");
    CHECK(limit_of("4:memory:/job\n3:cpu,cpuacct:/job\n") == 4);
    CHECK(limit_of("3:cpu:/job\n0::/a/b\n") == 2);
    CHECK(limit_of("4:memory:/job\n") == 0);
    CHECK(cpu_cgroup_limit("/nonexistent/file", folder) == 0);

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        CHECK(unlink(in_folder(files[i])) == 0);
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;)
        CHECK(rmdir(in_folder(folders[i])) == 0);
    CHECK(rmdir(folder) == 0);
}

int main(void)
{
    check_names();
    check_levels();
    check_affinity();
    check_cgroups();
    printf("%d failures\n", failures);
    return failures != 0;
}
