/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/cpu.h"
#include "host/windows/windows.h"

/* Where a machine has several groups of processors, those of the process's own group are in its mask; a process that
 * was given no mask may use all groups, of which its threads take one each. */
unsigned cpu_allowed_count(void)
{
    DWORD_PTR mine = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) || !mine)
        return 1;
    return (unsigned)__builtin_popcountll(mine);
}
