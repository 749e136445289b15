/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that are opened late. Each is opened by its full path: Windows itself would look in the current folder as
 * well, where anybody may have put a DLL. */
#include "host/windows/late/dlfcn.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/windows/windows.h"

static _Thread_local char why[256];

/* Opens a DLL that is in the folder of n units; one without a drive is none. False: it isn't there. Libraries that it
 * needs are those beside it, and the system's. */
static bool open_in(const wchar_t *folder, size_t n, const wchar_t *dll, void **library)
{
    const bool quoted = n > 2 && folder[0] == L'"' && folder[n - 1] == L'"';
    folder += quoted;
    n -= quoted ? 2 : 0;
    if (n < 3 || ((folder[1] != L':' || !wcschr(L"\\/", folder[2])) && (folder[0] != L'\\' || folder[1] != L'\\')))
        return false;
    wchar_t *const path = malloc((n + wcslen(dll) + 2) * sizeof *path);
    if (!path)
        return false;
    wmemcpy(path, folder, n);
    path[n] = L'\\';
    wcscpy(path + n + 1, dll);
    const bool there = GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
    *library = there ? LoadLibraryExW(path, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32)
                     : NULL;
    if (there && !*library) {
        char *const text = narrow(path);
        snprintf(why, sizeof why, "%s: error %lu of Windows", text ? text : "", GetLastError());
        free(text);
    }
    free(path);
    return there;
}

/* The same in the folders of a variable, with `;` between them. */
static bool open_in_any(const wchar_t *variable, const wchar_t *dll, void **library)
{
    enum { MOST = 32768 }; /* units of a variable */
    wchar_t *const list = malloc(MOST * sizeof *list), *at = list;
    const DWORD n = list ? GetEnvironmentVariableW(variable, list, MOST) : 0;
    bool there = false;
    while (n && n < MOST && !there && *at) {
        const size_t length = wcscspn(at, L";");
        there = open_in(at, length, dll, library);
        at += length + (at[length] == L';');
    }
    free(list);
    return there;
}

/* A DLL beside the one, or the program, that has this code. */
static bool open_beside(const wchar_t *dll, void **library)
{
    static const wchar_t mine;
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    wchar_t own[MAX_PATH];
    HMODULE here;
    const DWORD n = GetModuleHandleExW(flags, &mine, &here) ? GetModuleFileNameW(here, own, MAX_PATH) : 0;
    const wchar_t *const slash = n && n < MAX_PATH ? wcsrchr(own, L'\\') : NULL;
    return slash && open_in(own, (size_t)(slash - own), dll, library);
}

/* libNAME.so.N is NAME-N.dll here. A DLL is beside the program or the library; FFmpeg's (libav...) may be in the
 * folders of ASSAY_FFMPEG or PATH instead; one that another one has loaded is that one's. What is called NAME.dll and
 * is no module of assay's is the system's, and is looked for in the system's folder alone. */
void *dlopen(const char *name, int flags)
{
    const char *const stem = name + (strncmp(name, "lib", 3) ? 0 : 3), *const so = strstr(stem, ".so.");
    void *library = NULL;
    (void)flags;
    if (so)
        snprintf(why, sizeof why, "%.*s-%s.dll", (int)(so - stem), stem, so + 4);
    else
        snprintf(why, sizeof why, "%s", name);
    wchar_t *const dll = wide(why);
    if (dll && !so && strncmp(name, "assay-", 6))
        library = LoadLibraryExW(dll, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    else if (dll && !GetModuleHandleExW(0, dll, (HMODULE *)&library) && !open_beside(dll, &library) &&
             !strncmp(stem, "av", 2))
        (void)(open_in_any(L"ASSAY_FFMPEG", dll, &library) || open_in_any(L"PATH", dll, &library));
    free(dll);
    return library;
}

void *dlsym(void *library, const char *name)
{
    void *address;
    const FARPROC found = GetProcAddress(library, name);
    memcpy(&address, &found, sizeof address);
    return address;
}

int dlclose(void *library)
{
    return FreeLibrary(library) ? 0 : -1;
}

/* The library alone: it isn't there. */
char *dlerror(void)
{
    return why;
}
