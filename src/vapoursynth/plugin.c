/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin of VapourSynth: core.assay.Score and core.assay.Map (docs/vapoursynth.md). A frame is asked for in any
 * order, and by several threads at once. Its scores are those of the whole clip: a session gets the frame with the
 * frames within the metrics' reach around it, which makes them a sequence of its own.
 */
#include <VSHelper4.h>
#include <VapourSynth4.h>
#include <assay/assay.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vapoursynth/clip.h"

enum { TEXT = 512, SPARE = 64 };

/* A session, and the number that its next pair gets: numbers rise, whatever frame is asked for. */
struct lane {
    assay_session *session;
    uint64_t next;
};

/* An instance of a function. */
struct filter {
    struct vs_clip clip[2];
    VSVideoInfo shown; /* what the filter puts out */
    assay_config config;
    char *metrics[SPARE]; /* as for assay_session_add_metric; NULL behind the last one */
    char *backend, *device;
    char (*property)[TEXT]; /* a name for each key */
    uint32_t keys, before, after;
    uint32_t map;      /* of Map: the plane; of Score: UINT32_MAX */
    pthread_mutex_t lock; /* guards `spare` */
    struct lane spare[SPARE]; /* that no thread uses */
};

static void filter_free(struct filter *f, const VSAPI *vsapi)
{
    for (unsigned i = 0; i < SPARE; i++) {
        free(f->metrics[i]);
        assay_session_close(&f->spare[i].session);
    }
    for (unsigned side = 0; side < 2; side++)
        vsapi->freeNode(f->clip[side].node);
    free(f->backend);
    free(f->device);
    free(f->property);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* Copies a session's line, or says that there is none. */
static int fail_by(char *why, const assay_session *session)
{
    snprintf(why, TEXT, "%s", session ? assay_session_error(session) : "not enough memory");
    return -1;
}

/* Without metrics by name these are scored, as far as the clips allow them, as by the command. */
static const char *const usual[] = {"vmaf", "psnr", "float_ms_ssim"};

static int add_metrics(const struct filter *f, assay_session *session)
{
    if (f->metrics[0]) {
        for (unsigned i = 0; i < SPARE && f->metrics[i]; i++) {
            const int rc = strcmp(f->metrics[i], "all") ? assay_session_add_metric(session, f->metrics[i])
                                                        : assay_session_add_all(session, &f->clip[0].format, NULL,
                                                                                NULL);
            if (rc)
                return rc;
        }
        return 0;
    }
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (!assay_metric_allows(usual[i], &f->config, &f->clip[0].format, NULL, 0) &&
            assay_session_add_metric(session, usual[i]))
            return -1;
    return 0;
}

/* A session that no other thread uses, started. Non-zero: `why` says why there is none. */
static int lane_get(struct filter *f, struct lane *lane, char *why)
{
    *lane = (struct lane) {0};
    pthread_mutex_lock(&f->lock);
    for (unsigned i = 0; i < SPARE && !lane->session; i++) {
        *lane = f->spare[i];
        f->spare[i] = (struct lane) {0};
    }
    pthread_mutex_unlock(&f->lock);
    if (lane->session)
        return 0;
    if (assay_session_new(&lane->session, &f->config, why, TEXT))
        return -1;
    if (!add_metrics(f, lane->session) && !assay_session_start(lane->session, &f->clip[0].format))
        return 0;
    fail_by(why, lane->session);
    assay_session_close(&lane->session);
    return -1;
}

static void lane_put(struct filter *f, struct lane lane)
{
    pthread_mutex_lock(&f->lock);
    for (unsigned i = 0; i < SPARE && lane.session; i++)
        if (!f->spare[i].session) {
            f->spare[i] = lane;
            lane.session = NULL;
        }
    pthread_mutex_unlock(&f->lock);
    assay_session_close(&lane.session);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int first_of(const struct filter *f, int n)
{
    return (uint32_t)n > f->before ? n - (int)f->before : 0;
}

static int end_of(const struct filter *f, int n)
{
    const int last = f->clip[0].frames - 1;
    return (uint32_t)(last - n) > f->after ? n + (int)f->after + 1 : last + 1;
}

/* Submits frame `at` of both clips, for the scores of frame n. */
static int submit(struct filter *f, struct lane *lane, int at, int n, VSFrameContext *context, const VSAPI *vsapi,
                  char *why)
{
    const VSFrame *frame[2] = {NULL, NULL};
    assay_picture picture[2];
    int rc = 0;
    for (unsigned side = 0; side < 2 && !rc; side++) {
        frame[side] = vsapi->getFrameFilter(at, f->clip[side].node, context);
        rc = vs_clip_picture(&f->clip[side], frame[side], at, &picture[side], vsapi, why, TEXT);
    }
    if (!rc && (at == n ? assay_session_submit : assay_session_submit_neighbour)(lane->session, lane->next++,
                                                                                  &picture[0], &picture[1]))
        rc = fail_by(why, lane->session);
    for (unsigned side = 0; side < 2; side++)
        vsapi->freeFrame(frame[side]);
    return rc;
}

/* The distorted frame with the scores as properties. NULL: `why`. */
static VSFrame *scored(struct filter *f, struct lane *lane, int n, VSFrameContext *context, VSCore *core,
                       const VSAPI *vsapi, char *why)
{
    for (int at = first_of(f, n), end = end_of(f, n); at < end; at++)
        if (submit(f, lane, at, n, context, vsapi, why))
            return NULL;
    if (assay_session_flush(lane->session)) {
        fail_by(why, lane->session);
        return NULL;
    }
    uint64_t frame = 0;
    double *const values = malloc(f->keys * sizeof *values + 1);
    if (!values || assay_session_poll(lane->session, &frame, values) != 1) {
        snprintf(why, TEXT, "frame %d: there are no scores of it", n);
        free(values);
        return NULL;
    }
    const VSFrame *const source = vsapi->getFrameFilter(n, f->clip[1].node, context);
    VSFrame *const out = vsapi->copyFrame(source, core);
    vsapi->freeFrame(source);
    VSMap *const properties = vsapi->getFramePropertiesRW(out);
    for (uint32_t key = 0; key < f->keys; key++)
        vsapi->mapSetFloat(properties, f->property[key], values[key], maReplace);
    free(values);
    return out;
}

/* A frame with a map's values. The frames before it come first, and none comes behind it: a map needs none. */
static VSFrame *mapped(struct filter *f, struct lane *lane, int n, VSFrameContext *context, VSCore *core,
                       const VSAPI *vsapi, char *why)
{
    for (int at = first_of(f, n); at <= n; at++)
        if (submit(f, lane, at, n, context, vsapi, why))
            return NULL;
    const VSFrame *const source = vsapi->getFrameFilter(n, f->clip[1].node, context);
    VSFrame *out = vsapi->newVideoFrame(&f->shown.format, f->shown.width, f->shown.height, source, core);
    vsapi->freeFrame(source);
    const int rc = assay_session_read_plane(lane->session, f->map, vsapi->getWritePtr(out, 0),
                                            (size_t)vsapi->getStride(out, 0));
    if (rc || assay_session_flush(lane->session)) {
        fail_by(why, lane->session);
        vsapi->freeFrame(out);
        return NULL;
    }
    uint64_t frame;
    double *const values = malloc(f->keys * sizeof *values + 1);
    while (values && assay_session_poll(lane->session, &frame, values) == 1)
        continue; /* a map's frame has scores, which nobody asked for here */
    free(values);
    return out;
}

static const VSFrame *VS_CC get_frame(int n, int reason, void *data, void **frame_data, VSFrameContext *context,
                                      VSCore *core, const VSAPI *vsapi)
{
    struct filter *const f = data;
    (void)frame_data;
    if (reason == arInitial) {
        for (int at = first_of(f, n), end = end_of(f, n); at < end; at++)
            for (unsigned side = 0; side < 2; side++)
                vsapi->requestFrameFilter(at, f->clip[side].node, context);
        return NULL;
    }
    if (reason != arAllFramesReady)
        return NULL;
    char why[TEXT + 16] = "assay: ";
    char *const text = why + strlen(why);
    struct lane lane;
    VSFrame *out = NULL;
    if (!lane_get(f, &lane, text))
        out = (f->map == UINT32_MAX ? scored : mapped)(f, &lane, n, context, core, vsapi, text);
    if (out)
        lane_put(f, lane);
    else
        assay_session_close(&lane.session); /* it holds a part of a sequence */
    if (!out)
        vsapi->setFilterError(why, context);
    return out;
}

static void VS_CC free_filter(void *data, VSCore *core, const VSAPI *vsapi)
{
    (void)core;
    filter_free(data, vsapi);
}

/* ---- making a filter --------------------------------------------------------------------------------------------- */

/* A copy of a text argument, or NULL without one. */
static char *text_of(const VSMap *in, const char *name, int index, const VSAPI *vsapi)
{
    int missing = 0;
    const char *const text = vsapi->mapGetData(in, name, index, &missing);
    return missing ? NULL : strdup(text);
}

/* The metrics: a list of texts, each of which may hold several with commas between. */
static int read_metrics(struct filter *f, const VSMap *in, const VSAPI *vsapi, char *why)
{
    unsigned count = 0;
    char *text, *rest, *word;
    for (int i = 0; (text = text_of(in, "metrics", i, vsapi)); i++) {
        for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
            if (count + 1 == SPARE || !(f->metrics[count] = strdup(word))) {
                snprintf(why, TEXT, "there are too many metrics");
                free(text);
                return -1;
            }
            count++;
        }
        free(text);
    }
    return 0;
}

/* The names of properties: those of the keys, with _ for what such a name can't have. */
static int name_keys(struct filter *f, const assay_session *session, char *why)
{
    f->keys = assay_session_keys(session);
    f->property = calloc(f->keys + 1, sizeof *f->property);
    if (!f->property)
        return fail_by(why, NULL);
    for (uint32_t key = 0; key < f->keys; key++) {
        snprintf(f->property[key], sizeof *f->property, "%s", assay_session_key(session, key));
        for (char *c = f->property[key]; *c; c++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
                *c = '_';
    }
    return 0;
}

/* The plane of the map `name`, or of the first one. Maps are floats, or integers of 16 or 32 bits or 8. */
static int find_map(struct filter *f, assay_session *session, const char *name, VSCore *core,
                    const VSAPI *vsapi, char *why)
{
    assay_plane plane;
    char known[TEXT / 2] = "";
    for (uint32_t i = 0; i < assay_session_planes(session); i++) {
        if (assay_session_plane(session, i, &plane) || !plane.map)
            continue;
        if (!name || !strcmp(plane.map, name)) {
            const int whole = plane.type[0] != 'f';
            if (!vsapi->queryVideoFormat(&f->shown.format, cfGray, whole ? stInteger : stFloat,
                                         8 * (int)plane.sample_size, 0, 0, core)) {
                snprintf(why, TEXT, "the map %s has samples of the type %s, and VapourSynth has no such clip",
                         plane.map, plane.type);
                return -1;
            }
            f->map = i;
            f->shown.width = (int)plane.width;
            f->shown.height = (int)plane.height;
            return 0;
        }
        const size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", plane.map);
    }
    if (known[0])
        snprintf(why, TEXT, "no map '%s'; there are %s", name, known);
    else
        snprintf(why, TEXT, "none of the metrics has a map");
    return -1;
}

static int make(struct filter *f, const VSMap *in, int maps, VSCore *core, const VSAPI *vsapi, char *why)
{
    static const char *const argument[] = {"ref", "dis"};
    int missing = 0;
    for (unsigned side = 0; side < 2; side++)
        if (vs_clip_open(&f->clip[side], argument[side], in, vsapi, why, TEXT))
            return -1;
    if (f->clip[0].frames != f->clip[1].frames) {
        snprintf(why, TEXT, "the lengths differ: ref has %d frames, dis %d", f->clip[0].frames, f->clip[1].frames);
        return -1;
    }
    if (read_metrics(f, in, vsapi, why))
        return -1;
    const int64_t threads = vsapi->mapGetInt(in, "threads", 0, &missing);
    f->backend = text_of(in, "backend", 0, vsapi);
    f->device = text_of(in, "device", 0, vsapi);
    /* VapourSynth asks for several frames at once, and each of them has a session: one thread for each is enough. */
    f->config = (assay_config) {.backend = f->backend, .device = f->device, .keep_planes = maps ? 1 : 0,
                                .threads = missing || threads < 1 ? 1 : (unsigned)threads, .maps = maps ? 1 : 0,
                                .distorted = &f->clip[1].format, .frames_in_flight = 1};
    f->shown = *vsapi->getVideoInfo(f->clip[1].node);
    f->map = UINT32_MAX;
    struct lane lane;
    if (lane_get(f, &lane, why))
        return -1;
    int rc = assay_session_reach(lane.session, &f->before, &f->after) ? fail_by(why, lane.session) : 0;
    rc = rc ? rc : name_keys(f, lane.session, why);
    if (maps && !rc) {
        char *const name = text_of(in, "map", 0, vsapi);
        rc = find_map(f, lane.session, name, core, vsapi, why);
        free(name);
        f->after = 0;
    }
    lane_put(f, lane);
    return rc;
}

/* `data` is not NULL for Map. */
static void VS_CC create(const VSMap *in, VSMap *out, void *data, VSCore *core, const VSAPI *vsapi)
{
    char why[TEXT + 16];
    snprintf(why, sizeof why, "%s: ", data ? "Map" : "Score");
    struct filter *const f = calloc(1, sizeof *f);
    if (!f) {
        vsapi->mapSetError(out, "assay: not enough memory");
        return;
    }
    pthread_mutex_init(&f->lock, NULL);
    if (make(f, in, data != NULL, core, vsapi, why + strlen(why))) {
        vsapi->mapSetError(out, why);
        filter_free(f, vsapi);
        return;
    }
    const int pattern = f->before || f->after ? rpGeneral : rpStrictSpatial;
    const VSFilterDependency needs[] = {{f->clip[0].node, pattern}, {f->clip[1].node, pattern}};
    vsapi->createVideoFilter(out, data ? "Map" : "Score", &f->shown, get_frame, free_filter, fmParallel, needs, 2, f,
                             core);
}

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin *plugin, const VSPLUGINAPI *vspapi);
VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin *plugin, const VSPLUGINAPI *vspapi)
{
    static char is_map;
    vspapi->configPlugin("io.assay.score", "assay", "Quality metrics with the same bits on every device",
                         VS_MAKE_VERSION(0, 2), VAPOURSYNTH_API_VERSION, 0, plugin);
    vspapi->registerFunction("Score",
                             "ref:vnode;dis:vnode;metrics:data[]:opt;threads:int:opt;backend:data:opt;device:data:opt;",
                             "clip:vnode;", create, NULL, plugin);
    vspapi->registerFunction("Map",
                             "ref:vnode;dis:vnode;metrics:data[]:opt;map:data:opt;threads:int:opt;backend:data:opt;"
                             "device:data:opt;", "clip:vnode;", create, &is_map, plugin);
}
