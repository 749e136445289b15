/* SPDX-License-Identifier: BSD-2-Clause */
/* What posix/posix.h declares. */
#include "host/windows/posix/posix.h"

#include <ctype.h>
#include <stdarg.h>

#include "host/error.h"
#include "host/windows/windows.h"

/* ---- files ---- */

/* Frees a path. Where it could not be used as was asked, errno says why. */
static int done(wchar_t *path, bool ok)
{
    if (path && !ok)
        errno = error_number(GetLastError());
    free(path);
    return ok ? 0 : -1;
}

static bool is_null(const char *path)
{
    return !strcasecmp(path, "NUL") || !strcmp(path, "/dev/null");
}

int open(const char *path, int flags, ...)
{
    const int what = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    const bool makes = flags & O_CREAT;
    const HANDLE h = open_handle(is_null(path) ? "NUL" : path,
        what == O_RDONLY ? GENERIC_READ : what == O_WRONLY ? GENERIC_WRITE : GENERIC_READ | GENERIC_WRITE,
        makes && flags & O_EXCL ? CREATE_NEW : makes && flags & O_TRUNC ? CREATE_ALWAYS : makes ? OPEN_ALWAYS
        : flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING,
        what == O_RDONLY ? FILE_FLAG_BACKUP_SEMANTICS : 0);
    return h == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)h, what | O_BINARY | O_NOINHERIT);
}

/* "x" refuses to open a file that is there; "e" and "b" are so in any case. */
FILE *fopen(const char *path, const char *mode)
{
    const bool writes = *mode == 'w', both = strchr(mode, '+') != NULL;
    const int fd = open(path, (both ? O_RDWR : writes ? O_WRONLY : O_RDONLY) | (writes ? O_CREAT | O_TRUNC : 0) |
                              (strchr(mode, 'x') ? O_EXCL : 0));
    struct posix_stat st;
    if (fd >= 0 && !posix_fstat(fd, &st) && st.st_mode == S_IFDIR) {
        close(fd);
        return errno = EISDIR, NULL;
    }
    FILE *const f = fd < 0 ? NULL : fdopen(fd, writes ? both ? "w+b" : "wb" : both ? "r+b" : "rb");
    if (!f && fd >= 0)
        close(fd);
    return f;
}

ssize_t read(int fd, void *to, size_t n)
{
    struct posix_stat st;
    const int got = _read(fd, to, n < INT_MAX ? (unsigned)n : INT_MAX);
    if (got < 0 && errno == EINVAL && !posix_fstat(fd, &st) && st.st_mode == S_IFDIR)
        errno = EISDIR;
    return got;
}

ssize_t write(int fd, const void *from, size_t n)
{
    return _write(fd, from, n < INT_MAX ? (unsigned)n : INT_MAX);
}

static int state_of(HANDLE h, struct posix_stat *st)
{
    BY_HANDLE_FILE_INFORMATION i;
    const DWORD type = GetFileType(h);
    *st = (struct posix_stat){.st_mode = type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR};
    if (type != FILE_TYPE_DISK)
        return type == FILE_TYPE_UNKNOWN ? errno = EBADF, -1 : 0;
    if (!GetFileInformationByHandle(h, &i)) {
        /* A file without a name, as wine's standard input is. */
        FILE_STANDARD_INFO s;
        FILE_ID_INFO id;
        if (!GetFileInformationByHandleEx(h, FileStandardInfo, &s, sizeof s) ||
            !GetFileInformationByHandleEx(h, FileIdInfo, &id, sizeof id))
            return errno = error_number(GetLastError()), -1;
        *st = (struct posix_stat){.st_mode = S_IFREG, .st_dev = id.VolumeSerialNumber, .st_size = s.EndOfFile.QuadPart};
        memcpy(&st->st_ino, &id.FileId, sizeof st->st_ino);
        return 0;
    }
    st->st_mode = i.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG;
    st->st_dev = i.dwVolumeSerialNumber;
    st->st_ino = (uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow;
    st->st_size = (int64_t)((uint64_t)i.nFileSizeHigh << 32 | i.nFileSizeLow);
    st->st_mtim.tv_sec = (int64_t)((uint64_t)i.ftLastWriteTime.dwHighDateTime << 32 | i.ftLastWriteTime.dwLowDateTime);
    return 0;
}

int posix_fstat(int fd, struct posix_stat *st)
{
    return state_of((HANDLE)_get_osfhandle(fd), st);
}

int posix_stat(const char *path, struct posix_stat *st)
{
    const HANDLE h = open_handle(is_null(path) ? "NUL" : path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    const int rc = h == INVALID_HANDLE_VALUE ? -1 : state_of(h, st);
    if (h != INVALID_HANDLE_VALUE)
        CloseHandle(h);
    return rc;
}

int fstatat(int folder, const char *path, struct posix_stat *st, int flags)
{
    (void)folder;
    (void)flags;
    return posix_stat(path, st);
}

int openat(int folder, const char *path, int flags, ...)
{
    (void)folder;
    return open(path, flags & (O_RDONLY | O_WRONLY | O_RDWR));
}

ssize_t readlinkat(int folder, const char *path, char *to, size_t size)
{
    (void)folder;
    (void)path;
    (void)to;
    (void)size;
    return -1;
}

ssize_t pread(int fd, void *to, size_t n, int64_t at)
{
    OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD got = 0;
    if (ReadFile((HANDLE)_get_osfhandle(fd), to, n < 0x7ffff000 ? (DWORD)n : 0x7ffff000, &got, &place) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)got;
    return errno = error_number(GetLastError()), -1;
}

int mkdir(const char *path, unsigned mode)
{
    (void)mode;
    wchar_t *const w = wide_path(path);
    return done(w, w && CreateDirectoryW(w, NULL));
}

int access(const char *path, int mode)
{
    wchar_t *const w = wide_path(path);
    const DWORD is = w ? GetFileAttributesW(w) : INVALID_FILE_ATTRIBUTES;
    const int rc = done(w, is != INVALID_FILE_ATTRIBUTES);
    if (!rc && mode & W_OK && is & FILE_ATTRIBUTE_READONLY && !(is & FILE_ATTRIBUTE_DIRECTORY))
        return errno = EACCES, -1;
    return rc;
}

int unlink(const char *path)
{
    wchar_t *const w = wide_path(path);
    return done(w, w && DeleteFileW(w));
}

int rename(const char *from, const char *to)
{
    wchar_t *const a = wide_path(from), *const b = wide_path(to);
    const bool moved = a && b && MoveFileExW(a, b, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    const int rc = done(b ? a : NULL, moved);
    free(b ? b : a);
    return rc;
}

int fcntl(int fd, int what, int value)
{
    (void)value;
    const int copy = what == F_DUPFD_CLOEXEC ? _dup(fd) : 0;
    if (copy > 0)
        _setmode(copy, O_BINARY);
    return copy;
}

int fstatfs(int fd, struct statfs *fs)
{
    fs->f_type = GetFileType((HANDLE)_get_osfhandle(fd)) == FILE_TYPE_PIPE ? PIPEFS_MAGIC : 0;
    return 0;
}

/* Pipes of Windows have nothing to wait for: they are asked again and again. */
int poll(struct pollfd *p, unsigned n, int milliseconds)
{
    const HANDLE h = (HANDLE)_get_osfhandle(p->fd);
    (void)n;
    for (int waited = 0; GetFileType(h) == FILE_TYPE_PIPE; waited++) {
        DWORD there = 0;
        if (!PeekNamedPipe(h, NULL, 0, NULL, &there, NULL) || there)
            break; /* the end is one, too */
        if (waited >= milliseconds)
            return 0;
        Sleep(1);
    }
    p->revents = POLLIN;
    return 1;
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Whether a name fits a pattern: ? is a character, * any number of them, and case does not matter. */
static bool fits(const wchar_t *name, const wchar_t *pattern)
{
    for (; *pattern != '*'; name++, pattern++)
        if (!*name || !*pattern)
            return !*name && !*pattern;
        else if (*pattern != '?' && CompareStringOrdinal(name, 1, pattern, 1, TRUE) != CSTR_EQUAL)
            return false;
    return fits(name, pattern + 1) || (*name && fits(name + 1, pattern));
}

/* The names of a folder that fit a pattern of its last part. Windows finds those whose short name fits, too: a.y4m~ by
 * *.y4m. -1 sets errno. */
static int names_in(const char *pattern, char ***list)
{
    WIN32_FIND_DATAW found;
    wchar_t *const w = wide_path(pattern);
    const HANDLE h = w ? FindFirstFileW(w, &found) : INVALID_HANDLE_VALUE;
    const wchar_t *last = w ? w + wcslen(w) : NULL;
    struct assay_error e = {0};
    int n = 0;
    *list = NULL;
    if (h == INVALID_HANDLE_VALUE)
        return done(w, false);
    while (last > w && !wcschr(L"\\/:", last[-1]))
        last--;
    do {
        if (!fits(found.cFileName, last))
            continue;
        if (assay_grow(list, (size_t)n, sizeof **list, "names", &e) || !((*list)[n] = narrow(found.cFileName))) {
            errno = ENOMEM;
            n = -1;
            break;
        }
        n++;
    } while (FindNextFileW(h, &found));
    FindClose(h);
    free(w);
    if (n > 0)
        qsort(*list, (size_t)n, sizeof **list, by_name);
    return n;
}

int scandir(const char *path, struct dirent ***entry, int (*filter)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    char pattern[2 * PATH_MAX], **list;
    (void)filter;
    (void)order;
    snprintf(pattern, sizeof pattern, "%s/*", path);
    const int n = names_in(pattern, &list);
    *entry = n < 0 ? NULL : calloc((size_t)n + 1, sizeof **entry);
    for (int i = 0; i < n; i++) {
        if (((*entry)[i] = calloc(1, sizeof ***entry)))
            snprintf((*entry)[i]->d_name, sizeof (*entry)[i]->d_name, "%s", list[i]);
        free(list[i]);
    }
    free(list);
    return n;
}

int glob(const char *pattern, int flags, int (*error)(const char *, int), glob_t *found)
{
    const char *slash = strrchr(pattern, '/');
    const int folder = slash ? (int)(slash - pattern) + 1 : *pattern && pattern[1] == ':' ? 2 : 0;
    (void)flags;
    (void)error;
    *found = (glob_t){0};
    int n = names_in(pattern, &found->gl_pathv);
    for (int i = 0, names = n; i < names; i++) {
        char *const name = found->gl_pathv[i], *path;
        if (*name == '.' && pattern[folder] != '.') /* hidden, or the folder itself, or the one above */
            n--;
        else if (asprintf(&path, "%.*s%s", folder, pattern, name) >= 0)
            found->gl_pathv[found->gl_pathc++] = path;
        free(name);
    }
    return n > 0 && (int)found->gl_pathc == n ? 0 : 1;
}

void globfree(glob_t *found)
{
    for (size_t i = 0; i < found->gl_pathc; i++)
        free(found->gl_pathv[i]);
    free(found->gl_pathv);
    *found = (glob_t){0};
}

/* ---- texts ---- */

char *strsep(char **text, const char *ends)
{
    char *const start = *text;
    if (start) {
        *text = start + strcspn(start, ends);
        *text = **text ? *(*text)++ = '\0', *text : NULL;
    }
    return start;
}

char *strndup(const char *text, size_t n)
{
    const size_t length = strnlen(text, n);
    char *const copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* C's files have EINVAL for a pipe that nobody reads. */
char *posix_strerror(int number)
{
    const bool pipe = number == EINVAL && (_doserrno == ERROR_NO_DATA || _doserrno == ERROR_PIPE_NOT_CONNECTED);
    return (strerror)(pipe ? EPIPE : number);
}

/* ---- memory ---- */

void *mmap(void *at, size_t n, int protection, int flags, int fd, int64_t offset)
{
    (void)protection;
    (void)flags;
    (void)fd;
    (void)offset;
    return VirtualAlloc(at, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

int munmap(void *at, size_t n)
{
    (void)n;
    return VirtualFree(at, 0, MEM_RELEASE) ? 0 : -1;
}

/* ---- the console ---- */

int isatty(int fd)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(fd), &mode) != 0;
}

int ioctl(int fd, int what, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO i;
    (void)what;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &i))
        return -1;
    size->ws_col = (unsigned short)(i.srWindow.Right - i.srWindow.Left + 1);
    size->ws_row = (unsigned short)(i.srWindow.Bottom - i.srWindow.Top + 1);
    return 0;
}

static void (*_Atomic stop)(int);

/* Runs in a thread of its own. The second time the process ends, as it does by a signal. */
static BOOL WINAPI on_event(DWORD event)
{
    void (*const act)(int) = stop;
    stop = NULL;
    if (act)
        act(event == CTRL_C_EVENT ? SIGINT : event == CTRL_BREAK_EVENT ? SIGTERM : SIGHUP);
    if (act && event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE); /* the process ends when this function does: main ends it before, or the system in 5 s */
    return act != NULL;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (old)
        *old = (struct sigaction){0};
    if (action && number == SIGINT) {
        stop = action->sa_handler;
        SetConsoleCtrlHandler(on_event, TRUE);
    }
    return 0;
}
