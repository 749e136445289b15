/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of units, their notes, and what is done. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/json_tree.h"
#include "host/text.h"
#include "jobs/jobs.h"
#include "results/json_write.h"
#include "results/report_read.h"

char *jobs_path(const struct jobs *j, uint64_t key, const char *ending)
{
    return text_new("%s/done/%02x/%016" PRIx64 "%s", j->path, (unsigned)(key >> 56), key, ending);
}

/* The last bytes of a report that is whole, which begin a line: no cut through one ends with them. */
static const char report_end[] = "\n}\n";
enum { END = sizeof report_end - 1 };

bool jobs_has(const struct jobs *j, uint64_t key)
{
    char path[PATH_MAX], end[END];
    struct stat st;
    snprintf(path, sizeof path, "%s/done/%02x/%016" PRIx64 JOBS_PART, j->path, (unsigned)(key >> 56), key);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool whole = !fstat(file, &st) && S_ISREG(st.st_mode) && st.st_size > END &&
                       pread(file, end, END, st.st_size - END) == END && !memcmp(end, report_end, END);
    close(file);
    return whole;
}

static void look(const struct jobs *j, struct jobs_unit *u, bool done)
{
    jobs_note_free(&u->note);
    u->state = done ? UNIT_DONE : jobs_note_read(j, u->key, &u->note) && u->note.code ? UNIT_FAILED : UNIT_LEFT;
}

void jobs_look_at(const struct jobs *j, struct jobs_unit *u)
{
    look(j, u, jobs_has(j, u->key));
}

void jobs_look(const struct jobs *j)
{
    for (uint32_t i = 0; i < j->jobs; i++) {
        const struct jobs_job *job = &j->job[i];
        const bool whole = job->units > 1 && jobs_has(j, job->key);
        for (struct jobs_unit *u = &j->unit[job->unit]; u < &j->unit[job->unit + job->units]; u++)
            look(j, u, whole || jobs_has(j, u->key));
    }
}

void jobs_remove(const struct jobs *j, uint64_t key, const char *ending)
{
    char *path = jobs_path(j, key, ending);
    if (path)
        unlink(path);
    free(path);
}

bool jobs_drop(const struct jobs *j, uint64_t key)
{
    char *path = jobs_path(j, key, JOBS_PART);
    struct stored s = {0};
    const bool damaged = path && stored_read(&s, path, NULL, 0, NULL) == ASSAY_EINPUT;
    stored_free(&s);
    if (damaged)
        unlink(path);
    free(path);
    return damaged;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

void jobs_note_free(struct jobs_note *n)
{
    free(n->reason);
    free(n->notices);
    *n = (struct jobs_note){0};
}

bool jobs_note_read(const struct jobs *j, uint64_t key, struct jobs_note *n)
{
    size_t size = 0;
    char *path = jobs_path(j, key, JOBS_NOTE);
    char *text = path && !access(path, R_OK) ? file_read(path, &size, NULL) : NULL;
    const char *end;
    cJSON *root = NULL;
    if (text)
        json_tree(&root, path, text, size, &end, NULL);
    const cJSON *code = JSON_GET(root, "code"),
                *reason = JSON_GET(root, "reason"),
                *notices = JSON_GET(root, "notices");
    const bool good = cJSON_IsNumber(code) && code->valueint >= 0 && code->valueint < 256 && cJSON_IsString(reason) &&
                      cJSON_IsString(notices);
    *n = (struct jobs_note){.code = good ? code->valueint : 0, .reason = good ? strdup(reason->valuestring) : NULL,
                            .notices = good ? strdup(notices->valuestring) : NULL};
    cJSON_Delete(root);
    free(text);
    free(path);
    if (n->reason && n->notices)
        return true;
    jobs_note_free(n);
    return false;
}

char *jobs_notices(const struct jobs *j, const struct jobs_job *job)
{
    char *text = strdup("");
    for (uint32_t k = 0; text && k < job->units; k++) {
        struct jobs_note n;
        if (!jobs_note_read(j, j->unit[job->unit + k].key, &n))
            continue;
        char *more = NULL;
        if (!strstr(text, n.notices) && asprintf(&more, "%s%s%s", text, *text ? "\n" : "", n.notices) > 0) {
            free(text);
            text = more;
        }
        jobs_note_free(&n);
    }
    return text;
}

void jobs_forget(const struct jobs *j)
{
    for (uint32_t i = 0; i < j->units; i++)
        if (j->unit[i].state == UNIT_FAILED) {
            jobs_remove(j, j->unit[i].key, JOBS_NOTE);
            j->unit[i].state = UNIT_LEFT;
        }
}

/* Names in a folder are on the disk when the folder is. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    text_folder(folder, sizeof folder, path);
    const int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at >= 0) {
        fsync(at);
        close(at);
    }
}

int jobs_note_write(const struct jobs *j, uint64_t key, const struct jobs_note *n, struct assay_error *e)
{
    char *path = jobs_path(j, key, JOBS_NOTE);
    struct json json = {0};
    struct sink s;
    int rc = path ? sink_open(&s, path, e) : assay_fail_memory(e, "a note");
    if (rc) {
        free(path);
        return rc;
    }
    json.sink = &s;
    json_object(&json, NULL, JSON_LINES);
    json_whole(&json, "code", n->code);
    json_text(&json, "reason", n->reason ? n->reason : "");
    json_text(&json, "notices", n->notices ? n->notices : "");
    json_end(&json);
    if (!sink_flush(&s, NULL) && fsync(fileno(s.file)))
        s.error = s.error ? s.error : errno;
    rc = sink_close(&s, e);
    if (!rc)
        sync_folder(path);
    free(path);
    return rc;
}

int jobs_put(const struct jobs *j, uint64_t key, const char *beside, const struct jobs_note *n, struct assay_error *e)
{
    char *path = jobs_path(j, key, JOBS_PART);
    const int file = open(beside, O_RDONLY | O_CLOEXEC);
    int why = file < 0 || (fsync(file) && errno != EINVAL && errno != EROFS) ? errno : 0;
    if (file >= 0)
        close(file);
    int rc = path ? ASSAY_OK : assay_fail_memory(e, "a part");
    if (!rc && !why && n)
        rc = jobs_note_write(j, key, n, e);
    if (!rc && !why && rename(beside, path))
        why = errno;
    if (!rc && !why)
        sync_folder(path);
    if (!rc && why)
        rc = assay_fail(e, ASSAY_EINTERNAL, "%s: can't be written: %s", path, strerror(why));
    if (rc)
        unlink(beside);
    free(path);
    return rc;
}

bool jobs_is_left(const struct jobs_unit *u)
{
    const int code = -u->note.code;
    const bool lasts = u->state == UNIT_FAILED &&
                       (code == ASSAY_EUSAGE || code == ASSAY_EINPUT || code == ASSAY_EMISMATCH);
    return u->state != UNIT_DONE && !lasts;
}
