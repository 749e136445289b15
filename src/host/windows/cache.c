/* SPDX-License-Identifier: BSD-2-Clause */
/* %LOCALAPPDATA%\assay. Windows makes that folder with rights for its user and for administrators alone, so what is in
 * it is believed. */
#include "host/cache.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/windows/windows.h"

enum { PLACE = 1024 }; /* units of UTF-16 */

/* The folder, and behind it the name. False when the machine has no place for caches. */
static bool find_place(wchar_t folder[PLACE], const wchar_t *name)
{
    const DWORD n = GetEnvironmentVariableW(L"LOCALAPPDATA", folder, PLACE - 100);
    if (!n || n >= PLACE - 100)
        return false;
    wcscat(folder, L"\\assay");
    if (name)
        wcsncat(wcscat(folder, L"\\"), name, 60);
    return true;
}

static bool name_place(wchar_t path[PLACE], const char *name)
{
    wchar_t *const w = wide(name);
    const bool is = w && find_place(path, w);
    free(w);
    return is;
}

char *cache_read(const char *name, size_t most, size_t *bytes, char why[CACHE_WHY])
{
    wchar_t path[PLACE];
    LARGE_INTEGER size;
    DWORD got = 0;
    char *data = NULL;
    *bytes = 0;
    why[0] = '\0';
    const HANDLE h = !name_place(path, name) ? INVALID_HANDLE_VALUE
        : CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
    if (h == INVALID_HANDLE_VALUE)
        return NULL;
    if (GetFileSizeEx(h, &size) && size.QuadPart > 0 && size.QuadPart <= INT32_MAX && (uint64_t)size.QuadPart <= most)
        data = malloc((size_t)size.QuadPart + 1);
    if (data && !ReadFile(h, data, (DWORD)size.QuadPart, &got, NULL))
        got = 0;
    CloseHandle(h);
    if (data)
        data[got] = '\0';
    *bytes = got;
    return data;
}

/* Writes under another name and renames. */
void cache_write(const char *name, const char *data, size_t bytes)
{
    wchar_t folder[PLACE], path[PLACE], beside[MAX_PATH + 1];
    DWORD put = 0;
    if (!find_place(folder, NULL) || !name_place(path, name) || bytes > INT32_MAX)
        return;
    CreateDirectoryW(folder, NULL);
    if (!GetTempFileNameW(folder, L"new", 0, beside))
        return;
    const HANDLE h = CreateFileW(beside, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    const bool written = h != INVALID_HANDLE_VALUE && WriteFile(h, data, (DWORD)bytes, &put, NULL) && put == bytes;
    if (h != INVALID_HANDLE_VALUE)
        CloseHandle(h);
    if (!written || !MoveFileExW(beside, path, MOVEFILE_REPLACE_EXISTING))
        DeleteFileW(beside);
}
