/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder, its plan and its locks. */
#include <dirent.h>
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

enum { VERSION = 2, FOLDERS = 256, UNITS_MOST = 1 << 24 };

void jobs_result_free(struct jobs_result *r)
{
    jobs_note_free(&r->note);
    free(r->figure);
    *r = (struct jobs_result){0};
}

void jobs_free(struct jobs *j)
{
    for (uint32_t i = 0; i < j->jobs; i++) {
        struct jobs_job *job = &j->job[i];
        free(job->reference);
        free(job->distorted);
        free(job->request);
        free(job->options);
        free(job->listed);
        jobs_result_free(&job->result);
    }
    for (uint32_t i = 0; i < j->units; i++)
        jobs_note_free(&j->unit[i].note);
    free(j->job);
    free(j->unit);
    free(j->path);
    free(j->list);
    free(j->folder);
    if (j->lock >= 0)
        close(j->lock);
    *j = (struct jobs)JOBS_START;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Those below `done` are made when a first file is written there. */
static int make_folders(const char *path, const char *done, struct assay_error *e)
{
    const bool made = (!mkdir(path, 0777) || errno == EEXIST) && (!mkdir(done, 0777) || errno == EEXIST);
    const int why = made ? 0 : errno;
    return why ? assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made: %s (--state names another folder)", path,
                            strerror(why)) : ASSAY_OK;
}

int jobs_open(struct jobs *j, const char *path, bool make, struct assay_error *e)
{
    struct stat st;
    const bool there = !stat(path, &st);
    if (there && !S_ISDIR(st.st_mode))
        return assay_fail(e, ASSAY_EUSAGE, "%s: is no folder of jobs%s (--state names another)", path,
                          S_ISREG(st.st_mode) ? " but a file, as earlier versions of assay wrote: remove it" : "");
    char *plan = text_new("%s/plan.jsonl", path), *done = text_new("%s/done", path), *lock = text_new("%s/lock", path);
    int rc = plan && done && lock ? ASSAY_OK : assay_fail_memory(e, "a folder of jobs");
    const bool has = !rc && there && (!access(plan, F_OK) || !access(done, F_OK));
    if (!rc && make && there && !has && rmdir(path) && errno != EBUSY) /* an empty folder is as good as none */
        rc = assay_fail(e, ASSAY_EUSAGE, "%s: is no folder of assay batch: it has other files (--state names another)",
                        path);
    if (!rc && !make && !has)
        rc = assay_fail(e, ASSAY_EUSAGE, "%s: has no plan: assay batch JOBS.csv --plan %s makes one", path, path);
    if (!rc && make)
        rc = make_folders(path, done, e);
    if (!rc && !(j->path = realpath(path, NULL)))
        rc = assay_fail(e, ASSAY_EINTERNAL, "%s: can't be read: %s", path, strerror(errno));
    if (!rc) {
        j->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (j->lock < 0)
            j->lock = open(lock, O_RDONLY | O_CLOEXEC); /* of a folder that can only be read */
        if (j->lock < 0 && make)
            rc = assay_fail(e, ASSAY_EINTERNAL, "%s: can't be written: %s (--state names another folder)", path,
                            strerror(errno));
    }
    free(plan);
    free(done);
    free(lock);
    return rc;
}

char *jobs_way(const char *from, const char *to)
{
    char text[2 * PATH_MAX] = "";
    size_t same = 0, i = 0;
    for (; from[i] && from[i] == to[i]; i++)
        same = from[i] == '/' ? i : same;
    if ((!from[i] || from[i] == '/') && (!to[i] || to[i] == '/'))
        same = i;
    if (same <= 0 || strlen(from) > PATH_MAX / 2)
        return strdup(to);
    for (const char *at = from + same; *at; at++)
        if (*at == '/')
            text_append(text, sizeof text, "%s..", *text ? "/" : "");
    if (to[same] == '/')
        text_append(text, sizeof text, "%s%s", *text ? "/" : "", to + same + 1);
    return strdup(*text ? text : ".");
}

/* ---- locks ------------------------------------------------------------------------------------------------------- */

static struct flock range(short type, int64_t task)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = task < 0 ? 0 : task,
                          .l_len = task < 0 ? 0 : 1};
}

bool jobs_lock(const struct jobs *j, int64_t task)
{
    struct flock l = range(F_WRLCK, task);
    return j->lock < 0 || !fcntl(j->lock, F_OFD_SETLK, &l) || (errno != EAGAIN && errno != EACCES);
}

void jobs_unlock(const struct jobs *j, int64_t task)
{
    struct flock l = range(F_UNLCK, task);
    if (j->lock >= 0)
        fcntl(j->lock, F_OFD_SETLK, &l);
}

static void clean(const char *path, bool everything)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (everything || strstr(entry->d_name, JOBS_NEW) || strstr(entry->d_name, ".part-"))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

void jobs_clean(const struct jobs *j)
{
    char path[PATH_MAX];
    for (unsigned i = 0; i < FOLDERS; i++)
        if (snprintf(path, sizeof path, "%s/done/%02x", j->path, i) < (int)sizeof path)
            clean(path, false);
}

void jobs_erase(const char *root)
{
    char path[PATH_MAX];
    for (unsigned i = 0; i < FOLDERS; i++)
        if (snprintf(path, sizeof path, "%s/done/%02x", root, i) < (int)sizeof path) {
            clean(path, true);
            rmdir(path);
        }
    if (snprintf(path, sizeof path, "%s/done", root) < (int)sizeof path)
        rmdir(path);
    clean(root, true);
    rmdir(root);
}

/* ---- writing the plan -------------------------------------------------------------------------------------------- */

/* Text that may hold any bytes: json_text would exchange those that are not UTF-8. */
static void write_bytes(struct json *json, const char *name, const char *text)
{
    const cJSON value = {.type = cJSON_String, .valuestring = (char *)text};
    char *quoted = cJSON_PrintUnformatted(&value);
    if (quoted)
        json_value(json, name, quoted);
    else
        json->sink->error = ENOMEM;
    free(quoted);
}

static void write_job(struct json *json, const struct jobs *j, const struct jobs_job *job)
{
    char key[24];
    json_object(json, NULL, JSON_TIGHT | JSON_HANG);
    snprintf(key, sizeof key, "%016" PRIx64, job->key);
    json_text(json, "job", key);
    json_count(json, "line", job->line);
    json_value(json, "request", job->request);
    write_bytes(json, "options", job->options);
    write_bytes(json, "listed", job->listed);
    json_number(json, "seconds", job->seconds, 3);
    json_list(json, "first", JSON_TIGHT);
    for (uint32_t k = 0; k < job->units; k++)
        json_count(json, NULL, j->unit[job->unit + k].first);
    json_end(json);
    json_list(json, "task", JSON_TIGHT);
    for (uint32_t k = 0; k < job->units; k++)
        json_count(json, NULL, j->unit[job->unit + k].task);
    json_end(json);
    json_end(json);
    sink_text(json->sink, "\n");
}

int jobs_write(const struct jobs *j, struct assay_error *e)
{
    char *path = text_new("%s/plan.jsonl", j->path);
    struct json json = {0};
    struct sink s;
    int rc = path ? sink_open(&s, path, e) : assay_fail_memory(e, "a plan");
    free(path);
    TRY(rc);
    json.sink = &s;
    json_object(&json, NULL, JSON_TIGHT | JSON_HANG);
    json_count(&json, "assay_batch", VERSION);
    write_bytes(&json, "list", j->list);
    write_bytes(&json, "folder", j->folder);
    json_count(&json, "jobs", j->jobs);
    json_count(&json, "tasks", j->tasks);
    json_end(&json);
    sink_text(&s, "\n");
    for (uint32_t i = 0; i < j->jobs; i++)
        write_job(&json, j, &j->job[i]);
    if (!sink_flush(&s, NULL) && fsync(fileno(s.file)))
        s.error = s.error ? s.error : errno;
    return sink_close(&s, e);
}

/* ---- reading it -------------------------------------------------------------------------------------------------- */

static bool get_count(const cJSON *item, uint64_t most, uint64_t *value)
{
    const double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(v >= 0 && v <= (double)most) || v != (double)(uint64_t)v)
        return false;
    *value = (uint64_t)v;
    return true;
}

static bool copy(const cJSON *item, char **to)
{
    *to = cJSON_IsString(item) ? strdup(item->valuestring) : NULL;
    return *to;
}

/* The units of a job; `frames` of each is the way to the next. */
static bool read_units(struct jobs *j, struct jobs_job *job, const cJSON *root)
{
    const cJSON *first = JSON_GET(root, "first"), *task = JSON_GET(root, "task");
    const int n = cJSON_IsArray(first) ? cJSON_GetArraySize(first) : 0;
    if (n < 1 || !cJSON_IsArray(task) || cJSON_GetArraySize(task) != n || n > UNITS_MOST - (int)j->units)
        return false;
    job->unit = j->units;
    job->units = (uint32_t)n;
    for (first = first->child, task = task->child; first; first = first->next, task = task->next) {
        uint64_t at;
        if (assay_grow(&j->unit, j->units, sizeof *j->unit, "a plan", NULL))
            return false;
        struct jobs_unit *u = &j->unit[j->units++], *before = j->units - 1 > job->unit ? u - 1 : NULL;
        *u = (struct jobs_unit){.job = (uint32_t)(job - j->job)};
        if (!get_count(first, UINT64_C(1) << 53, &u->first) || !get_count(task, j->tasks - 1, &at) ||
            (before ? u->first <= before->first : u->first != 0))
            return false;
        u->task = (uint32_t)at;
        if (before)
            before->frames = u->first - before->first;
    }
    for (uint32_t k = 0; k < job->units; k++) {
        struct jobs_unit *u = &j->unit[job->unit + k];
        u->key = jobs_unit_key(job->key, u->first, u->frames);
    }
    return true;
}

static bool read_job(struct jobs *j, const cJSON *root)
{
    struct jobs_job *job = &j->job[j->jobs++];
    const cJSON *key = JSON_GET(root, "job"), *request = JSON_GET(root, "request"),
                *seconds = JSON_GET(root, "seconds"), *encode = JSON_GET(request, "encodes");
    const char *text = cJSON_IsString(key) ? key->valuestring : "";
    uint64_t line;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16 || !cJSON_IsObject(request) ||
        !get_count(JSON_GET(root, "line"), UINT32_MAX, &line) || !cJSON_IsNumber(seconds) || !cJSON_IsArray(encode))
        return false;
    job->key = strtoull(text, NULL, 16);
    job->line = (uint32_t)line;
    job->seconds = seconds->valuedouble > 0 ? seconds->valuedouble : 0;
    job->request = cJSON_PrintUnformatted(request);
    return job->request && copy(JSON_GET(root, "options"), &job->options) &&
           copy(JSON_GET(root, "listed"), &job->listed) &&
           copy(JSON_GET(JSON_GET(request, "reference"), "file"), &job->reference) &&
           copy(JSON_GET(encode->child, "file"), &job->distorted) && read_units(j, job, root);
}

static bool read_heading(struct jobs *j, const cJSON *root)
{
    uint64_t version, jobs, tasks;
    if (!get_count(JSON_GET(root, "assay_batch"), VERSION, &version) || version != VERSION ||
        !get_count(JSON_GET(root, "jobs"), UNITS_MOST, &jobs) || !jobs ||
        !get_count(JSON_GET(root, "tasks"), UNITS_MOST, &tasks) || !tasks ||
        !copy(JSON_GET(root, "list"), &j->list) || !copy(JSON_GET(root, "folder"), &j->folder))
        return false;
    j->tasks = (uint32_t)tasks;
    j->job = calloc(jobs, sizeof *j->job);
    j->jobs = (uint32_t)jobs; /* for now: how many there is room for */
    return j->job;
}

static bool read_lines(struct jobs *j, const char *text, uint32_t *line)
{
    uint32_t jobs = 0;
    size_t n;
    for (const char *at; (at = text_line(&text, &n)) && n;) {
        const char *end;
        cJSON *root;
        bool good = !json_tree(&root, "", at, n, &end, NULL) && root && (!*line || j->jobs < jobs);
        ++*line;
        if (good && *line == 1) {
            good = read_heading(j, root);
            jobs = j->jobs;
            j->jobs = 0;
        } else if (good) {
            good = read_job(j, root);
        }
        cJSON_Delete(root);
        if (!good)
            return false;
    }
    ++*line;
    return jobs && j->jobs == jobs;
}

int jobs_read(struct jobs *j, bool *found, struct assay_error *e)
{
    char *path = text_new("%s/plan.jsonl", j->path);
    size_t size;
    uint32_t line = 0;
    if (!path)
        return assay_fail_memory(e, "a plan");
    *found = !access(path, F_OK);
    char *text = *found ? file_read(path, &size, e) : NULL;
    int rc = *found && !text ? e->code : ASSAY_OK;
    if (text && !read_lines(j, text, &line))
        rc = assay_fail(e, ASSAY_EINPUT, "%s: line %u is damaged; --plan writes a new one, and keeps what is done",
                        path, line);
    free(text);
    free(path);
    return rc;
}
