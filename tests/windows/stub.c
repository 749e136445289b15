/* SPDX-License-Identifier: BSD-2-Clause */
/* A DLL that is called as one of FFmpeg's, says where it lies when it is loaded, and has functions of the names that
 * FUNCTIONS lists, each of which returns 0. */
#include <stdio.h>
#include <windows.h>

#define STUB(name) \
    __declspec(dllexport) void *name(void); \
    void *name(void) { return NULL; }
FUNCTIONS

#if defined(NEEDS)
__declspec(dllimport) void *NEEDS(void);
#endif

BOOL WINAPI DllMain(HINSTANCE dll, DWORD why, void *reserved);
BOOL WINAPI DllMain(HINSTANCE dll, DWORD why, void *reserved)
{
    char path[MAX_PATH];
    (void)reserved;
    if (why == DLL_PROCESS_ATTACH && GetModuleFileNameA(dll, path, sizeof path))
        fprintf(stderr, "loaded %s\n", path);
#if defined(NEEDS)
    NEEDS();
#endif
    return TRUE;
}
