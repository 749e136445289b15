/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/cpu.h"
#include "host/digest.h"
#include "host/text.h"
#include "host/windows/windows.h"

wchar_t *wide(const char *text)
{
    const int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *const to = units > 0 ? malloc((size_t)units * sizeof *to) : NULL;
    if (to)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, to, units);
    else
        errno = units > 0 ? ENOMEM : EILSEQ;
    return to;
}

char *narrow(const wchar_t *text)
{
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *const to = bytes > 0 ? malloc((size_t)bytes) : NULL;
    if (to)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, to, bytes, NULL, NULL);
    return to;
}

int error_number(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND: case ERROR_PATH_NOT_FOUND: case ERROR_INVALID_NAME: case ERROR_BAD_PATHNAME:
    case ERROR_INVALID_DRIVE: case ERROR_BAD_NETPATH: return ENOENT;
    case ERROR_ACCESS_DENIED: case ERROR_SHARING_VIOLATION: case ERROR_LOCK_VIOLATION: return EACCES;
    case ERROR_ALREADY_EXISTS: case ERROR_FILE_EXISTS: return EEXIST;
    case ERROR_DISK_FULL: case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY: case ERROR_OUTOFMEMORY: return ENOMEM;
    case ERROR_BROKEN_PIPE: case ERROR_NO_DATA: case ERROR_PIPE_NOT_CONNECTED: return EPIPE;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_DIRECTORY: return ENOTDIR;
    default: return EIO;
    }
}

void *memory_aligned(size_t alignment, size_t bytes)
{
    return _aligned_malloc(bytes ? bytes : alignment, alignment);
}

/* Large pages take a privilege that few users have. */
void *memory_planes(size_t bytes)
{
    return memory_aligned(64, bytes);
}

void memory_aligned_free(void *memory)
{
    _aligned_free(memory);
}

int clock_condition(pthread_cond_t *condition)
{
    return pthread_cond_init(condition, NULL);
}

/* Where a machine has several groups of processors, those of the process's own group are in its mask; a process that
 * was given no mask may use all groups, of which its threads take one each. */
unsigned cpu_allowed_count(void)
{
    DWORD_PTR mine = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) || !mine)
        return 1;
    return (unsigned)__builtin_popcountll(mine);
}

struct c_locale c_locale_enter(void)
{
    struct c_locale saved = {.kind = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
    const char *before = setlocale(LC_NUMERIC, NULL);
    saved.before = before && strcmp(before, "C") ? strdup(before) : NULL;
    setlocale(LC_NUMERIC, "C");
    return saved;
}

void c_locale_leave(struct c_locale saved)
{
    if (saved.before)
        setlocale(LC_NUMERIC, saved.before);
    free(saved.before);
    _configthreadlocale(saved.kind);
}

void system_name(char *name, size_t size)
{
    wchar_t host[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD units = MAX_COMPUTERNAME_LENGTH + 1;
    char *const text = GetComputerNameW(host, &units) ? narrow(host) : NULL;
    snprintf(name, size, "%s", text ? text : "");
    free(text);
}

/* Longer paths than Windows takes by default are given in the form that it takes whatever their length. */
wchar_t *wide_path(const char *path)
{
    static const wchar_t any_length[] = L"\\\\?\\";
    enum { SHORT = 240, PREFIX = 4 };
    wchar_t *const given = wide(path), *whole = NULL;
    if (!given || wcslen(given) < SHORT || !wcsncmp(given, any_length, PREFIX))
        return given;
    const DWORD units = GetFullPathNameW(given, 0, NULL, NULL);
    if (units && given[0] != L'/' && given[0] != L'\\' && (whole = malloc((PREFIX + units) * sizeof *whole))) {
        wmemcpy(whole, any_length, PREFIX);
        GetFullPathNameW(given, units, whole + PREFIX, NULL);
    }
    if (whole)
        free(given);
    return whole ? whole : given;
}

HANDLE open_handle(const char *path, DWORD access, DWORD create, DWORD flags)
{
    wchar_t *const w = wide_path(path);
    const HANDLE h = w ? CreateFileW(w, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, create,
                                     flags, NULL) : INVALID_HANDLE_VALUE;
    if (w && h == INVALID_HANDLE_VALUE)
        errno = error_number(GetLastError());
    free(w);
    return h;
}

FILE *open_stream(HANDLE h, int flags, const char *mode)
{
    const int fd = _open_osfhandle((intptr_t)h, flags | O_BINARY | O_NOINHERIT);
    FILE *const file = fd < 0 ? NULL : fdopen(fd, mode);
    if (!file && fd >= 0)
        close(fd);
    else if (!file)
        CloseHandle(h);
    return file;
}

FILE *system_open_regular(const char *path, bool *regular)
{
    BY_HANDLE_FILE_INFORMATION i;
    const HANDLE h = open_handle(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    *regular = h == INVALID_HANDLE_VALUE || (GetFileType(h) == FILE_TYPE_DISK && GetFileInformationByHandle(h, &i) &&
                                             !(i.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY));
    if (*regular)
        return h == INVALID_HANDLE_VALUE ? NULL : open_stream(h, O_RDONLY, "rb");
    CloseHandle(h);
    return NULL;
}

uint64_t system_name_digest(const char *name)
{
    wchar_t *const w = wide(name);
    size_t n = w ? (size_t)LCMapStringW(LOCALE_INVARIANT, LCMAP_UPPERCASE, w, (int)wcslen(w), w, (int)wcslen(w)) : 0;
    while (n && wcschr(L". ", w[n - 1]))
        n--;
    const uint64_t digest = digest_of(w, n * sizeof *w);
    free(w);
    return digest;
}

int system_make_folder(const char *path, unsigned mode)
{
    (void)mode;
    wchar_t *const w = wide_path(path);
    const int why = !w ? errno : CreateDirectoryW(w, NULL) ? 0 : error_number(GetLastError());
    const DWORD is = why && w ? GetFileAttributesW(w) : INVALID_FILE_ATTRIBUTES;
    free(w);
    return is != INVALID_FILE_ATTRIBUTES ? EEXIST : why; /* "C:" is there, and may not be made */
}

int text_write(int fd, const char *text, size_t size)
{
    while (size) {
        const int n = write(fd, text, size < INT32_MAX ? (unsigned)size : INT32_MAX);
        if (n < 0)
            return errno;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

/* C's files on Windows are never memory: a file that is removed when it is closed, and that memory holds unless it is
 * short. */
FILE *buffer_open(struct buffer_text *b)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    *b = (struct buffer_text){0};
    if (!GetTempPathW(MAX_PATH + 1, folder) || !GetTempFileNameW(folder, L"asy", 0, name))
        return NULL;
    const HANDLE h = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                 FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    return b->file = h == INVALID_HANDLE_VALUE ? NULL : open_stream(h, O_RDWR, "w+b");
}

char *buffer_close(struct buffer_text *b)
{
    if (!b->file)
        return NULL;
    const long long size = fflush(b->file) || ferror(b->file) ? -1 : _ftelli64(b->file);
    if (size >= 0 && (b->text = malloc((size_t)size + 1))) {
        rewind(b->file);
        b->size = fread(b->text, 1, (size_t)size, b->file);
        b->text[b->size] = '\0';
    }
    if (b->text && (long long)b->size != size) {
        free(b->text);
        b->text = NULL;
    }
    fclose(b->file);
    return b->text;
}
