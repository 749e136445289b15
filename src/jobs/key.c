/* SPDX-License-Identifier: BSD-2-Clause */
/* What jobs and units are known by, and the input files that are a part of it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input/input.h"
#include "input/numbered.h"
#include "jobs/jobs.h"
#include "results/digest.h"

enum { HEADER = 512 }; /* words of 8 bytes in front of a file: what containers and Y4M say of their pictures */

static int digest_file(const char *path, const struct stat *st, uint64_t *digest)
{
    uint64_t word[HEADER] = {0}, d = *digest;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return errno;
    const ssize_t n = pread(file, word, sizeof word, 0);
    const int why = n < 0 ? errno : 0;
    close(file);
    if (why)
        return why;
    d = digest_word(d, (uint64_t)st->st_size);
    d = digest_word(d, (uint64_t)st->st_mtim.tv_sec);
    d = digest_word(d, (uint64_t)st->st_mtim.tv_nsec);
    for (size_t i = 0; i < ((size_t)n + 7) / 8; i++)
        d = digest_word(d, word[i]);
    *digest = d;
    return 0;
}

uint64_t jobs_unit_key(uint64_t job, uint64_t first, uint64_t frames)
{
    return first || frames ? digest_word(digest_word(digest_item(job, "part"), first), frames) : job;
}

/* Looks at a file, or at each of the numbered pictures. */
static int see_files(struct jobs_seen *l, const char *path)
{
    char one[PATH_MAX];
    struct numbered n = {.count = 1};
    const bool many = numbered_is(path);
    int why = many && numbered_find(&n, path, path, NULL) ? ENOENT : 0;
    l->digest = digest_of_nothing;
    for (uint32_t i = 0; !why && i < n.count; i++) {
        if (many)
            numbered_path(&n, i, one, sizeof one);
        const char *const file = many ? one : path;
        why = stat(file, &l->st) || access(file, R_OK) ? errno
            : S_ISREG(l->st.st_mode) ? digest_file(file, &l->st, &l->digest) : 0;
    }
    return why;
}

int jobs_see(struct jobs_seen *l, const char *path)
{
    int why = 0;
    if (!*path || strcmp(l->path, path)) {
        why = see_files(l, path);
        snprintf(l->path, sizeof l->path, "%s", why || strlen(path) >= sizeof l->path ? "" : path);
    }
    return why;
}

/* Adds a file beside the inputs: a part of a playlist, or a model. */
static void add_file(void *digest, const char *path)
{
    struct stat st;
    if (!stat(path, &st) && S_ISREG(st.st_mode))
        digest_file(path, &st, digest);
}

/* Adds files that a metric's text names: models. */
static void add_models(uint64_t *digest, const char *metric)
{
    char path[PATH_MAX];
    for (size_t n; *metric; metric += n + (metric[n] != '\0')) {
        n = strcspn(metric, "=:");
        snprintf(path, sizeof path, "%.*s", n < sizeof path ? (int)n : 0, metric);
        if (*path)
            add_file(digest, path);
    }
}

uint64_t jobs_key(const struct jobs_job *job, const struct jobs_seen seen[2], bool playlists,
                  const char *const *metric, uint32_t metrics, bool *no_models)
{
    uint64_t key = digest_text(digest_of_nothing, assay_version());
    for (unsigned side = 0; side < 2; side++) {
        const char *path = side ? job->distorted : job->reference;
        key = digest_word(digest_item(key, path), seen[side].digest);
        if (playlists)
            input_parts(path, add_file, &key);
    }
    key = digest_item(key, job->listed);
    const uint64_t others = key;
    for (uint32_t i = 0; !*no_models && i < metrics; i++)
        add_models(&key, metric[i]);
    *no_models = key == others;
    return key;
}
