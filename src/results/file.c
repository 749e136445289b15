/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/system.h"
#include "host/text.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Waits until somebody writes to a pipe that has a name, a second at most. One without a name has a writer, as that of
 * `<(...)` and of `... |` in a shell, which may take its time. */
static bool has_writer(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct statfs fs;
    int n;
    if (!fstatfs(fd, &fs) && fs.f_type == PIPEFS_MAGIC)
        return true;
    do
        n = poll(&wait, 1, 1000);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

int file_open(const char *path, struct assay_error *e)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int rc = fd < 0 || fstat(fd, &st) || fcntl(fd, F_SETFL, 0)
        ? assay_fail(e, ASSAY_EINPUT, "%s: can't be opened: %s", path, strerror(errno)) : ASSAY_OK;
    if (!rc && S_ISFIFO(st.st_mode) && !has_writer(fd))
        rc = assay_fail(e, ASSAY_EINPUT, "%s: is a pipe, and nobody writes to it", path);
    if (rc && fd >= 0)
        close(fd);
    return rc ? rc : fd;
}

static int read_all(int fd, const char *path, char **text, size_t *used, struct assay_error *e)
{
    struct stat st;
    size_t room = 0;
    const bool known = !fstat(fd, &st), device = known && S_ISCHR(st.st_mode);
    if (known && S_ISREG(st.st_mode) && st.st_size > FILE_MOST)
        return assay_fail(e, ASSAY_EINPUT, "%s: has more than %d MiB", path, FILE_MOST >> 20);
    for (ssize_t n = 1; n;) {
        if (*used == room) {
            room = room ? room * 2 : 1 << 16;
            char *larger = realloc(*text, room);
            if (!larger)
                return assay_fail_memory(e, "a file");
            *text = larger;
        }
        n = read(fd, *text + *used, room - *used);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        if (n < 0)
            return assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", path, strerror(errno));
        if (device && memchr(*text + *used, 0, (size_t)n))
            return assay_fail(e, ASSAY_EINPUT, "%s: is a device, and no text comes from it", path);
        *used += (size_t)n;
        if (*used > FILE_MOST)
            return assay_fail(e, ASSAY_EINPUT, "%s: has more than %d MiB", path, FILE_MOST >> 20);
    }
    return ASSAY_OK;
}

char *file_read(const char *path, size_t *size, struct assay_error *e)
{
    char *text = NULL;
    const int fd = file_open(path, e);
    *size = 0;
    if (fd < 0)
        return NULL;
    const int rc = read_all(fd, path, &text, size, e);
    close(fd);
    if (!rc) {
        text[*size] = '\0'; /* the last read had room, and found nothing more */
        return text;
    }
    free(text);
    return NULL;
}

/* ---- what assay writes ------------------------------------------------------------------------------------------- */

enum { HEAD_MOST = 65536 }; /* bytes; the heading of a CSV with all scores has about 4000 */

static const char *const form_name[] = {"JSON", "XML", "CSV", "SUB", "a log", "SVG", "PNG", "HTML", "a plane",
                                        "samples"};

/* How a file of a form begins where assay writes it. In a pattern, # is a number, and * is any text before the rest of
 * the pattern. */
#define PATTERN(form, text) {form, text, sizeof text - 1}
static const struct {
    enum file_form form;
    const char *text;
    size_t length;
} ours[] = {
    PATTERN(FILE_JSON, "{\n  \"version\": \"assay "), /* reports of scores, images and parity */
    PATTERN(FILE_JSON, "{\n  \"version\": \"#.#.#+assay."),
    PATTERN(FILE_JSON, "{\n  \"assay_shard\": "), /* parts of a run in a former form */
    PATTERN(FILE_JSON, "{\n  \"assay_bench\": "),
    PATTERN(FILE_JSON, "{\"files\": [\n  {\"file\": "), /* assay probe */
    PATTERN(FILE_XML, "<VMAF version=\"assay "),
    PATTERN(FILE_XML, "<VMAF version=\"#.#.#+assay."),
    PATTERN(FILE_CSV, "Frame,*time\n"),
    PATTERN(FILE_CSV, "encode,Frame,*time\n"), /* of several encodes */
    PATTERN(FILE_CSV, "image,reference,distorted,result,"), /* assay image --csv */
    PATTERN(FILE_CSV, "score,better,method,"), /* assay bdrate --csv */
    PATTERN(FILE_CSV, "reference,distorted,options,status,reason,"), /* assay batch */
    PATTERN(FILE_SUB, "{#}{#}frame: #|"),
    PATTERN(FILE_LOG, "n: *  XPSNR y: "),
    PATTERN(FILE_SVG, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- assay "),
    PATTERN(FILE_HTML, "<!DOCTYPE html>\n<!-- assay "),
    PATTERN(FILE_PLANE, "Pf\n# #\n-1.00\n"),                     /* others write -1.0 or -1.000000 */
    PATTERN(FILE_PLANE, "\x93NUMPY\x01\x00\xb6\x00{'descr': '"), /* NumPy pads such a head to 128 bytes, not to 192 */
    PATTERN(FILE_PNG, "\x89PNG\r\n\x1a\n*tEXtSoftware\x00" "assay"),
};

static bool begins(const char *head, size_t n, const char *pattern, size_t length)
{
    size_t i = 0;
    for (size_t p = 0; p < length; p++) {
        if (pattern[p] == '#') {
            const size_t first = i;
            while (i < n && head[i] >= '0' && head[i] <= '9')
                i++;
            if (i == first)
                return false;
        } else if (pattern[p] == '*') {
            for (const char *rest = pattern + p + 1; i < n; i++)
                if (begins(head + i, n - i, rest, length - p - 1))
                    return true;
            return false;
        } else if (i == n || head[i++] != pattern[p]) {
            return false;
        }
    }
    return true;
}

int file_spare(const char *path, enum file_form form, struct assay_error *e)
{
    struct stat st;
    if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
        return ASSAY_OK;
    FILE *f = fopen(path, "rbe");
    char *head = malloc(HEAD_MOST);
    bool good = false;
    const size_t n = f && head ? fread(head, 1, HEAD_MOST, f) : 0;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0] && !good; i++)
        good = ours[i].form == form && begins(head, n, ours[i].text, ours[i].length);
    const bool no_memory = !head, unread = !f || ferror(f);
    const int why = errno;
    free(head);
    if (f)
        fclose(f);
    if (no_memory)
        return assay_fail_memory(e, "a file");
    if (unread)
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be read, to see whether assay wrote it: %s", path, strerror(why));
    return good ? ASSAY_OK
                : assay_fail(e, ASSAY_EUSAGE, "%s: is there, and nothing in it says that assay wrote it as %s "
                             "(--force overwrites it)", path, form_name[form]);
}

/* ---- where files are --------------------------------------------------------------------------------------------- */

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether a folder is of /proc, whose entries are links by name only: they lead to open files. Also where it can't be
 * opened. */
static bool is_of_proc(int from, const char *folder)
{
    struct statfs fs;
    const int fd = openat(from, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const bool is = fd < 0 || fstatfs(fd, &fs) || fs.f_type == PROC_SUPER_MAGIC;
    if (fd >= 0)
        close(fd);
    return is;
}

/* Makes a path, relative to the folder `from`, that of the regular file that it leads to, or of a file to be made.
 * False of anything else. */
static bool follow_links(int from, char at[PATH_MAX])
{
    enum { LINKS = 40 };
    char folder[PATH_MAX], to[PATH_MAX];
    for (unsigned i = 0; i < LINKS; i++) {
        struct stat st;
        const bool exists = !fstatat(from, at, &st, AT_SYMLINK_NOFOLLOW), missing = !exists && errno == ENOENT;
        text_folder(folder, sizeof folder, at);
        if (is_of_proc(from, folder) || (!exists && !missing))
            return false;
        if (missing || S_ISREG(st.st_mode))
            return true;
        const ssize_t n = S_ISLNK(st.st_mode) ? readlinkat(from, at, to, sizeof to) : -1;
        if (n < 0 || n == sizeof to)
            return false;
        to[n] = '\0';
        const size_t above = *to == '/' || !strchr(at, '/') ? 0 : strlen(folder);
        if (above + (size_t)n >= PATH_MAX)
            return false;
        at[above] = '\0'; /* the folder's slash is the last byte that stays */
        strcat(at, to);
    }
    return false;
}

bool file_spot(struct file_spot *s, int folder, const char *path)
{
    struct stat st;
    char at[PATH_MAX], above[PATH_MAX];
    *s = (struct file_spot){0};
    bool there = !fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW);
    if (there && S_ISLNK(st.st_mode)) {
        there = !fstatat(folder, path, &st, 0);
        snprintf(at, sizeof at, "%s", path); /* the kernel takes no longer paths */
        path = !there && follow_links(folder, at) ? at : path;
    }
    if (!there) {
        text_folder(above, sizeof above, path);
        if (fstatat(folder, above, &st, 0))
            st = (struct stat){.st_mode = S_IFDIR};
        else
            path = file_name(path);
        s->name = system_name_digest(path);
    }
    s->device = st.st_dev;
    s->number = st.st_ino;
    return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

int file_spot_compare(const struct file_spot *a, const struct file_spot *b)
{
    const int device = (a->device > b->device) - (a->device < b->device),
              number = (a->number > b->number) - (a->number < b->number);
    return device ? device : number ? number : (a->name > b->name) - (a->name < b->name);
}

bool file_same_spot(const char *a, const char *b)
{
    struct file_spot one, other;
    return file_spot(&one, AT_FDCWD, a) && file_spot(&other, AT_FDCWD, b) && !file_spot_compare(&one, &other);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Opens NAME.part-PID-N beside f->place. NAME is cut to 200 bytes, so that the longer name fits any file system. */
static int open_beside(struct file_out *f)
{
    const char *name = file_name(f->place);
    for (unsigned n = 0; n < 1000; n++) {
        f->beside = text_new("%.*s%.200s.part-%ld-%u", (int)(name - f->place), f->place, name, (long)getpid(), n);
        if (!f->beside)
            return ENOMEM;
        errno = 0;
        if ((f->stream = fopen(f->beside, "wxe")))
            return 0;
        free(f->beside);
        f->beside = NULL;
        if (errno != EEXIST)
            break;
    }
    return errno ? errno : EIO;
}

int file_folders(const char *path)
{
    char folder[PATH_MAX];
    struct stat st;
    text_folder(folder, sizeof folder, path);
    if (strlen(path) >= sizeof folder || !stat(folder, &st) || errno != ENOENT)
        return 0;
    return text_make_folders(path, 0777);
}

int file_begin(struct file_out *f, const char *path, struct assay_error *e)
{
    struct stat st;
    char at[PATH_MAX];
    const bool exists = !stat(path, &st);
    int why = exists ? 0 : file_folders(path);
    *f = (struct file_out){0};
    /* A regular file that exists, or a file to be made; any other one is written where it is. */
    const bool placed = *path && strlen(path) < sizeof at && follow_links(AT_FDCWD, strcpy(at, path));
    if (!why && placed && !(f->place = strdup(at)))
        why = ENOMEM;
    if (!why && !placed) {
        f->stream = fopen(path, "we");
        why = f->stream ? 0 : errno;
    } else if (!why && exists && access(f->place, W_OK)) {
        why = errno; /* a write-protected file is not replaced */
    } else if (!why) {
        why = open_beside(f);
        if (!why && exists)
            (void)!fchmod(fileno(f->stream), st.st_mode & 0777); /* the old file's permissions, if that is allowed */
    }
    if (!why)
        return ASSAY_OK;
    file_discard(f);
    if (why == ENOMEM)
        return assay_fail_memory(e, "a report");
    return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be opened for writing: %s", path, strerror(why));
}

int file_place(struct file_out *f, char **beside)
{
    errno = 0;
    *beside = NULL;
    /* Some file systems report a full disk only when the file is closed. */
    int why = fclose(f->stream) ? errno ? errno : EIO : 0;
    f->stream = NULL;
    if (!why && f->beside && rename(f->beside, f->place)) {
        why = errno;
        *beside = f->beside;
        f->beside = NULL;
    }
    if (why) {
        file_discard(f);
        return why;
    }
    free(f->place);
    free(f->beside);
    *f = (struct file_out){0};
    return 0;
}

void file_discard(struct file_out *f)
{
    if (f->stream)
        fclose(f->stream);
    if (f->beside)
        unlink(f->beside);
    free(f->place);
    free(f->beside);
    *f = (struct file_out){0};
}
