/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/digest.h"
#include "host/system.h"
#include "host/text.h"

enum { HEAD = 1024, LINE = 96, RECORD_NAME = 32, TEXT_BYTES = HEAD + LINE * (KERNEL_VARIANTS + RECORD_GRAPHS) };

static const char magic[] = "assay self-test 2\n";

struct selftest_identity selftest_identity_of(const struct executor *x)
{
    struct selftest_identity id = {.modules = x->ops->modules ? x->ops->modules() : 0};
    snprintf(id.backend, sizeof id.backend, "%s", x->ops->name);
    snprintf(id.driver, sizeof id.driver, "%s", x->driver);
    if (x->threads)
        snprintf(id.device, sizeof id.device, "%.100s, %u threads", x->device, x->threads);
    else
        snprintf(id.device, sizeof id.device, "%s", x->device);
    /* A device without a driver is identified by the machine's name, because machines may share a home folder. */
    if (!id.driver[0])
        system_name(id.driver, 101);
    return id;
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

/* Returns its bytes. */
static size_t write_head(char head[HEAD], const struct selftest_identity *id)
{
    _Static_assert(sizeof *id + 200 < HEAD, "every identity fits");
    return (size_t)snprintf(head, HEAD, "%sversion %s\nbackend %s\ndevice %s\ndriver %s\nmodules %016" PRIx64 "\n",
                            magic, ASSAY_VERSION, id->backend, id->device, id->driver, id->modules);
}

char *selftest_record_text(const struct selftest_record *r, size_t *bytes)
{
    char *text = malloc(TEXT_BYTES);
    if (!text)
        return NULL;
    write_head(text, &r->identity);
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (r->state[k])
            text_append(text, TEXT_BYTES, "%s %.64s\n", r->state[k] == SELFTEST_PASSED ? "passed" : "failed",
                        assay_kernel_info[k].name);
    for (unsigned i = 0; i < r->graphs; i++)
        text_append(text, TEXT_BYTES, "graph %016" PRIx64 " %d %" PRIu64 " %" PRIu64 "\n", r->graph[i].digest,
                    r->graph[i].proved, r->graph[i].frame_time, r->graph[i].pixel_time);
    const uint64_t sum = digest_of(text, strlen(text));
    text_append(text, TEXT_BYTES, "end %016" PRIx64 "\n", sum);
    *bytes = strlen(text);
    return text;
}

static int kernel_of(const char *name)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++)
        if (!strcmp(assay_kernel_info[k].name, name))
            return (int)k;
    return -1;
}

static void read_line(struct selftest_record *r, const char *line)
{
    char word[16], name[80];
    struct selftest_graph g;
    int proved;
    if (sscanf(line, "graph %" SCNx64 " %d %" SCNu64 " %" SCNu64, &g.digest, &proved, &g.frame_time,
               &g.pixel_time) == 4) {
        g.proved = proved != 0;
        *selftest_record_graph(r, g.digest) = g;
        return;
    }
    const int k = sscanf(line, "%15s %79s", word, name) == 2 ? kernel_of(name) : -1;
    if (k >= 0)
        r->state[k] = !strcmp(word, "passed")   ? SELFTEST_PASSED
                      : !strcmp(word, "failed") ? SELFTEST_FAILED
                                                : SELFTEST_NOT_RUN;
}

bool selftest_record_parse(struct selftest_record *r, const struct selftest_identity *identity, char *text,
                           size_t bytes)
{
    static const size_t end = sizeof "end 0123456789abcdef\n" - 1;
    char head[HEAD], last[32];
    const size_t begin = write_head(head, identity);
    *r = (struct selftest_record){.identity = *identity};
    if (bytes < begin + end || memcmp(text, head, begin) || memchr(text, 0, bytes))
        return false;
    snprintf(last, sizeof last, "end %016" PRIx64 "\n", digest_of(text, bytes - end));
    if (memcmp(text + bytes - end, last, end))
        return false;
    text[bytes - end] = 0;
    for (char *line = text + begin, *rest = NULL; (line = strtok_r(line, "\n", &rest)); line = NULL)
        read_line(r, line);
    return true;
}

struct selftest_graph *selftest_record_graph(struct selftest_record *r, uint64_t digest)
{
    for (unsigned i = 0; i < r->graphs; i++)
        if (r->graph[i].digest == digest)
            return &r->graph[i];
    if (r->graphs == RECORD_GRAPHS) {
        memmove(r->graph, r->graph + 1, (RECORD_GRAPHS - 1) * sizeof *r->graph);
        r->graphs--;
    }
    r->graph[r->graphs] = (struct selftest_graph){.digest = digest};
    return &r->graph[r->graphs++];
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void name_file(const struct selftest_identity *identity, char name[RECORD_NAME])
{
    char head[HEAD];
    const size_t n = write_head(head, identity);
    snprintf(name, RECORD_NAME, "selftest-%016" PRIx64, digest_of(head, n));
}

void selftest_record_load(struct selftest_record *r, const struct selftest_identity *identity, char *why)
{
    char name[RECORD_NAME], unread[CACHE_WHY];
    size_t bytes;
    name_file(identity, name);
    char *text = cache_read(name, TEXT_BYTES - 1, &bytes, why ? why : unread);
    if (!text || !selftest_record_parse(r, identity, text, bytes))
        *r = (struct selftest_record){.identity = *identity};
    free(text);
}

void selftest_record_save(const struct selftest_record *r)
{
    char name[RECORD_NAME];
    size_t bytes;
    char *text = selftest_record_text(r, &bytes);
    name_file(&r->identity, name);
    if (text)
        cache_write(name, text, bytes);
    free(text);
}
