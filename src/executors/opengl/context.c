/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/opengl/context.h"

#include <stdlib.h>
#include <string.h>

#include "executors/open.h"
#include "host/late.h"
#include "host/text.h"
#include "host/thread.h"

enum {
    MAX_DEVICES = 32,
    DEPTH = 6,    /* frames in flight: copies, passes and the host stay busy, and a frame may be late */
    TOGETHER = 3, /* frames whose passes run level by level: one frame's small pictures don't fill a large device */
};

/* ---- EGL --------------------------------------------------------------------------------------------------------- */

#define EGL_EACH(X) \
    X(PFNEGLGETERRORPROC, eglGetError) X(PFNEGLQUERYSTRINGPROC, eglQueryString) X(PFNEGLINITIALIZEPROC, eglInitialize) \
    X(PFNEGLBINDAPIPROC, eglBindAPI) X(PFNEGLCHOOSECONFIGPROC, eglChooseConfig) \
    X(PFNEGLCREATECONTEXTPROC, eglCreateContext) X(PFNEGLDESTROYCONTEXTPROC, eglDestroyContext) \
    X(PFNEGLMAKECURRENTPROC, eglMakeCurrent) X(PFNEGLRELEASETHREADPROC, eglReleaseThread) \
    X(PFNEGLGETPLATFORMDISPLAYEXTPROC, eglGetPlatformDisplayEXT)

struct egl {
    void *library;
    PFNEGLGETPROCADDRESSPROC get;
#define EGL_FIELD(type, name) type name;
    EGL_EACH(EGL_FIELD)
#undef EGL_FIELD
    PFNEGLQUERYDEVICESEXTPROC eglQueryDevicesEXT; /* NULL without device enumeration */
    EGLDisplay display[MAX_DEVICES];              /* candidates: devices, then Mesa's own platform */
    unsigned displays;
};

/* `list`: NULL where the driver has none. */
static bool egl_has_word(const char *list, const char *word)
{
    return list && text_word(list, word) >= 0;
}

static void egl_add_display(struct egl *egl, EGLDisplay display)
{
    egl->display[egl->displays] = display;
    egl->displays += display != EGL_NO_DISPLAY;
}

/* Displays are never terminated: EGL counts no users, and the application may have the same one open. */
static void egl_find_displays(struct egl *egl)
{
    const char *client = egl->eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EGLDeviceEXT device[MAX_DEVICES - 1];
    EGLint n = 0;
    if (egl->eglQueryDevicesEXT && egl_has_word(client, "EGL_EXT_platform_device") &&
        egl->eglQueryDevicesEXT(MAX_DEVICES - 1, device, &n))
        for (EGLint i = 0; i < n; i++)
            egl_add_display(egl, egl->eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device[i], NULL));
    if (!egl->displays && egl_has_word(client, "EGL_MESA_platform_surfaceless"))
        egl_add_display(egl, egl->eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL));
}

static int egl_open(struct egl *egl, struct assay_error *e)
{
    egl->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!egl->library)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: libEGL.so.1 is not installed");
    bool whole = late_find(egl->library, "eglGetProcAddress", &egl->get);
    /* Before EGL 1.5 only extensions come from eglGetProcAddress. */
#define LOAD(type, name) \
    if (whole && !(egl->name = (type)egl->get(#name))) \
        whole = late_find(egl->library, #name, &egl->name);
    EGL_EACH(LOAD)
#undef LOAD
    if (!whole)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: libEGL.so.1 is too old: it opens no device without a window");
    egl->eglQueryDevicesEXT = (PFNEGLQUERYDEVICESEXTPROC)egl->get("eglQueryDevicesEXT");
    egl_find_displays(egl);
    return egl->displays ? ASSAY_OK
                         : assay_fail(e, ASSAY_EDEVICE, "OpenGL: EGL knows no device; is a driver installed?");
}

/* ---- a context on one display ------------------------------------------------------------------------------------ */

/* The newest version first: some drivers give exactly what is asked for, and 4.4 has buffers that stay mapped. With
 * notice of a lost device where the driver can, else without. */
static EGLContext egl_newest_context(const struct egl *egl, EGLDisplay display, EGLConfig config)
{
    static const EGLint minor[] = {6, 5, 4, 3};
    EGLContext context = EGL_NO_CONTEXT;
    for (unsigned i = 0; context == EGL_NO_CONTEXT && i < 2 * sizeof minor / sizeof minor[0]; i++) {
        const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, minor[i / 2],
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 i % 2 ? EGL_NONE : EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                 EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE};
        context = egl->eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
    }
    return context;
}

static EGLContext egl_create_context(const struct egl *egl, EGLDisplay display)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
    EGLint major, minor, n = 0;
    EGLConfig config = EGL_NO_CONFIG_KHR;
    if (!egl->eglInitialize(display, &major, &minor) || !egl->eglBindAPI(EGL_OPENGL_API))
        return EGL_NO_CONTEXT;
    const char *extensions = egl->eglQueryString(display, EGL_EXTENSIONS);
    if (!egl_has_word(extensions, "EGL_KHR_surfaceless_context"))
        return EGL_NO_CONTEXT;
    if (!egl_has_word(extensions, "EGL_KHR_no_config_context") &&
        (!egl->eglChooseConfig(display, wanted, &config, 1, &n) || n < 1))
        return EGL_NO_CONTEXT;
    return egl_newest_context(egl, display, config);
}

static void egl_leave(const struct egl *egl, struct gl_context *c)
{
    if (c->context == EGL_NO_CONTEXT)
        return;
    egl->eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl->eglDestroyContext(c->display, c->context);
    c->context = EGL_NO_CONTEXT;
}

static void egl_read_limits(struct gl_context *c)
{
    const struct gl_api *gl = &c->gl;
    GLint64 binding = 0;
    GLint align = 0, shared = 0, invocations = 0, width = 0, groups[2] = {0};
    gl->glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &binding);
    gl->glGetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &align);
    gl->glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &c->uniform_align);
    gl->glGetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &shared);
    gl->glGetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &invocations);
    gl->glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 0, &width);
    for (GLuint i = 0; i < 2; i++)
        gl->glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, i, &groups[i]);
    c->base.limits = (struct gpu_limits){
        .binding_bytes = (uint64_t)binding, .offset_align = (uint32_t)align, .shared_bytes = (uint32_t)shared,
        .full = true, .threads = (uint32_t)(invocations < width ? invocations : width),
        .groups = {(uint32_t)groups[0], (uint32_t)groups[1]}, .binds_late = true};
    c->base.limits.plane_bytes = binding < INT32_MAX ? (uint64_t)binding : INT32_MAX;
}

int gl_context_look(struct gl_context *c, gl_get_proc *get, struct assay_error *e)
{
    TRY(gl_api_load(&c->gl, get, e));
    const char *renderer = (const char *)c->gl.glGetString(GL_RENDERER);
    const char *version = (const char *)c->gl.glGetString(GL_VERSION);
    snprintf(c->base.name, sizeof c->base.name, "%.127s", renderer ? renderer : "unknown");
    snprintf(c->base.driver, sizeof c->base.driver, "OpenGL %.110s", version ? version : "unknown");
    c->software = strstr(c->base.name, "llvmpipe") || strstr(c->base.name, "softpipe") ||
                  strstr(c->base.name, "swrast");
    c->base.ops = &gl_device_ops;
    c->base.depth = DEPTH;
    c->base.together = TOGETHER;
    c->base.keeps = true;
    c->base.reads_host = !c->gl.glBufferStorage;
    egl_read_limits(c);
    return ASSAY_OK;
}

/* Lets the driver compile on as many threads as it likes, which is 1.8 times as fast with NVIDIA's. Its threads are the
 * process's, and driver 580 crashes in the call while another context compiles: it is made once for each display, and
 * egl_choose enters all of them before anything is compiled. */
static void egl_ask_for_threads(const struct egl *egl, const struct gl_context *c)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static EGLDisplay asked[MAX_DEVICES];
    unsigned i = 0;
    PFNGLMAXSHADERCOMPILERTHREADSKHRPROC threads = (PFNGLMAXSHADERCOMPILERTHREADSKHRPROC)
                                                       egl->get("glMaxShaderCompilerThreadsKHR");
    pthread_mutex_lock(&lock);
    while (i < MAX_DEVICES && asked[i] && asked[i] != c->display)
        i++;
    if (i < MAX_DEVICES && !asked[i] && threads && gl_has_extension(&c->gl, "GL_KHR_parallel_shader_compile")) {
        threads(UINT32_MAX);
        asked[i] = c->display;
    }
    pthread_mutex_unlock(&lock);
}

/* Makes a context on a display current in this thread and looks at it. */
static int egl_enter(const struct egl *egl, EGLDisplay display, struct gl_context *c, struct assay_error *e)
{
    c->display = display;
    c->context = egl_create_context(egl, display);
    int rc;
    if (c->context == EGL_NO_CONTEXT || !egl->eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context))
        rc = assay_fail(e, ASSAY_EDEVICE, "OpenGL: the device gives no OpenGL 4.3 context without a window");
    else
        rc = gl_context_look(c, egl->get, e);
    if (rc)
        egl_leave(egl, c);
    else
        egl_ask_for_threads(egl, c);
    return rc;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* Opens the devices one after the other until the best is known, and leaves that one current. */
static int egl_choose(struct gl_context *c, struct egl *egl, const char *want, struct assay_error *e)
{
    struct device_names names = {""};
    struct assay_error first = {0};
    int best = -1;
    bool best_software = true;
    for (unsigned i = 0; i < egl->displays; i++) {
        if (egl_enter(egl, egl->display[i], c, &first))
            continue;
        device_names_add(&names, i, c->base.name);
        const bool named = !want || device_name_matches(want, i, c->base.name);
        if (named && (best < 0 || (!want && best_software && !c->software))) {
            best = (int)i;
            best_software = c->software;
        }
        egl_leave(egl, c);
    }
    if (best >= 0)
        return egl_enter(egl, egl->display[best], c, e);
    if (want && *names.text)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: no device '%s': %s", want, names.text);
    return assay_fail(e, ASSAY_EDEVICE, "%s", first.code ? first.text : "OpenGL: no device");
}

/* ---- the context's thread ---------------------------------------------------------------------------------------- */

/* What is done first on the thread. */
struct start {
    struct gl_context *context;
    const char *want; /* of a context that is opened */
    void (*show)(void *opaque, const struct executor_device *device); /* of a list */
    void *opaque;
};

static int egl_start(void *opaque, struct assay_error *e)
{
    const struct start *start = opaque;
    struct gl_context *c = start->context;
    TRY(egl_open(c->egl, e));
    TRY(egl_choose(c, c->egl, start->want, e));
    TRY(gpu_shaders_open(&c->base.limits, MODULE_OPENGL, e));
    return gpu_limits_from_environment(&c->base.limits, e);
}

static void *egl_live(void *opaque)
{
    struct gl_context *c = opaque;
    struct egl egl = {0};
    c->egl = &egl;
    pthread_mutex_lock(&c->lock);
    while (!c->quit) {
        gpu_work *work = c->work;
        if (!work) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        pthread_mutex_unlock(&c->lock);
        const int result = work(c->opaque, c->error);
        pthread_mutex_lock(&c->lock);
        c->result = result;
        c->done = true;
        c->work = NULL;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    egl_leave(&egl, c);
    if (egl.eglReleaseThread)
        egl.eglReleaseThread();
    return NULL;
}

int gl_context_run(struct gl_context *c, gpu_work *work, void *opaque, struct assay_error *e)
{
    struct assay_error none = {0};
    if (c->applications)
        return gl_context_run_adopted(c, work, opaque, e ? e : &none);
    pthread_mutex_lock(&c->lock);
    while (c->work || c->done) /* somebody else's, or its result not fetched yet */
        pthread_cond_wait(&c->changed, &c->lock);
    c->work = work;
    c->opaque = opaque;
    c->error = e ? e : &none;
    pthread_cond_broadcast(&c->changed);
    while (!c->done)
        pthread_cond_wait(&c->changed, &c->lock);
    const int result = c->result;
    c->done = false;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return result;
}

int gl_context_make(struct gl_context **out, struct assay_error *e)
{
    struct gl_context *c = *out = calloc(1, sizeof *c);
    if (!c)
        return assay_fail_memory(e, "the OpenGL context");
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    return ASSAY_OK;
}

/* Makes a context with a thread, on which `work` is done. */
static int egl_begin(struct gl_context **out, gpu_work *work, struct start *start, struct assay_error *e)
{
    TRY(gl_context_make(out, e));
    struct gl_context *c = start->context = *out;
    c->started = !thread_start(&c->thread, egl_live, c);
    const int rc = c->started ? gl_context_run(c, work, start, e)
                              : assay_fail(e, ASSAY_EINTERNAL, "can't start the OpenGL thread");
    if (rc)
        gl_context_close(c);
    return rc;
}

int gl_context_open(struct gpu_device **out, const char *want, struct assay_error *e)
{
    struct gl_context *c;
    TRY(egl_begin(&c, egl_start, &(struct start){.want = want}, e));
    *out = &c->base;
    return ASSAY_OK;
}

void gl_context_close(struct gl_context *c)
{
    if (c->started) {
        pthread_mutex_lock(&c->lock);
        c->quit = true;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->thread, NULL);
    }
    /* libEGL stays loaded: drivers leave threads and exit handlers behind. */
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

/* On a thread of its own, because the caller's may have a context current. */
static int egl_list_devices(void *opaque, struct assay_error *e)
{
    const struct start *start = opaque;
    struct gl_context *c = start->context;
    TRY(egl_open(c->egl, e));
    for (unsigned i = 0; i < c->egl->displays; i++) {
        const bool usable = !egl_enter(c->egl, c->egl->display[i], c, NULL);
        const struct executor_device device = {.number = i, .name = usable ? c->base.name : "unknown", .usable = usable,
                                               .driver = usable ? c->base.driver : "no OpenGL 4.3",
                                               .software = usable && c->software};
        start->show(start->opaque, &device);
        egl_leave(c->egl, c);
    }
    return ASSAY_OK;
}

int gl_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque,
                   struct assay_error *e)
{
    struct gpu_limits limits;
    struct gl_context *c;
    TRY(gpu_shaders_open(&limits, MODULE_OPENGL, e));
    TRY(egl_begin(&c, egl_list_devices, &(struct start){.show = show, .opaque = opaque}, e));
    gl_context_close(c);
    return ASSAY_OK;
}
