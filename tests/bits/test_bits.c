/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of scores, as committed: whatever compiler, instruction set or machine made this program, it must reproduce
 * scores.txt. A change that moves a bit shows there, in the commit that makes it.
 *
 *     test_bits REF.y4m DIS.y4m                prints the scores
 *     test_bits REF.y4m DIS.y4m SCORES.txt     compares them
 *     test_bits REF.y4m DIS.y4m SCORES.txt -1  the same with one sample off by one, which must be noticed
 *     test_bits REF.y4m DIS.y4m SCORES.txt --small   compares the sample and the small pairs
 *
 * A plain program without any library but assay, so that it cross-builds with nothing but a compiler.
 */
#include <assay/assay.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pair made by formula: sample (x, y) of plane p of the reference and of the distorted picture. A clip of it has the
 * pair, then its sides swapped, then the pair again from further right and below: the reference moves by as much as the
 * sides differ, there and back. */
enum { MADE_FRAMES = 3, FURTHER = 10 };
struct pair {
    const char *name;
    uint32_t width, height, bit_depth;
    assay_layout layout;
    uint32_t (*sample)(const struct pair *pair, unsigned side, uint32_t plane, uint32_t x, uint32_t y);
};

static uint32_t peak_of(const struct pair *p)
{
    return (1u << p->bit_depth) - 1;
}

static uint32_t checkerboard(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    (void)plane;
    return ((x ^ y ^ side) & 1u) ? peak_of(p) : 0;
}

static uint32_t extremes(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    (void)plane, (void)x, (void)y;
    return side ? peak_of(p) : 0;
}

static uint32_t flat(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    (void)side, (void)plane, (void)x, (void)y;
    return peak_of(p) / 2;
}

static uint32_t corners(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    (void)plane;
    return side && x % (p->width - 1) == 0 && y % (p->height - 1) == 0 ? peak_of(p) : 16;
}

/* A permutation of 32 bits that leaves no pattern: Wang's integer hash. */
static uint32_t hash(uint32_t v)
{
    v = (v ^ 61) ^ (v >> 16);
    v *= 9;
    v ^= v >> 4;
    v *= 0x27d4eb2d;
    return v ^ v >> 15;
}

static uint32_t noise_on_white(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const uint32_t n = hash(x + 4099 * y + 16777259 * plane + 7 * side) % 3;
    return peak_of(p) - (side ? n : 1);
}

static uint32_t slope(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const uint32_t top = peak_of(p), v = (3 * x + 2 * y + 31 * plane) * (top / 255) % (top / 2) + top / 8;
    return v + (side ? hash(x + 4099 * y + plane) % (top / 32 + 1) : 0);
}

/* In 256ths: a room with a window. */
static uint32_t light(const struct pair *p, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const uint32_t room = 9 + 3 * x + 2 * y + 31 * plane, window = x % 40 > 29 && y % 30 > 17 ? 51200 : 0;
    (void)p;
    return (room + window) * (16 + (side ? hash(x + 4099 * y + plane) % 4 : 0)) / 16;
}

static const struct pair pairs[] = {
    {"checkerboard", 193, 181, 8, ASSAY_LAYOUT_420, checkerboard},
    {"checkerboard 16 bit", 193, 181, 16, ASSAY_LAYOUT_444, checkerboard},
    {"black against white", 177, 176, 16, ASSAY_LAYOUT_400, extremes},
    {"flat", 192, 180, 10, ASSAY_LAYOUT_422, flat},
    {"corners", 191, 183, 8, ASSAY_LAYOUT_420, corners},
    {"noise on white", 300, 200, 8, ASSAY_LAYOUT_420, noise_on_white},
    {"noise on white 10 bit", 531, 390, 10, ASSAY_LAYOUT_400, noise_on_white},
    {"slope 9 bit", 201, 199, 9, ASSAY_LAYOUT_444, slope},
    {"slope 12 bit", 640, 400, 12, ASSAY_LAYOUT_411, slope},
    {"slope RGB", 64, 48, 14, ASSAY_LAYOUT_RGB, slope},
    {"light RGB", 64, 48, ASSAY_DEPTH_FLOAT, ASSAY_LAYOUT_RGB, light},
};

static const char *const metrics[] = {
    "psnr=enable_mse=true:enable_apsnr=true", "float_psnr", "ssim", "float_ssim=enable_lcs=true",
    "float_ms_ssim=enable_lcs=true", "float_moment", "float_adm=debug=true", "float_vif=debug=true",
    "psnr_hvs", "ssimulacra2", "motion=debug=true",
    "vif=debug=true",
    "adm=debug=true",
    "motion=motion_five_frame_window=true:motion_moving_average=true", "ciede2000",
    "cambi=full_ref=true", "speed_chroma=speed_weight_var_mode=5", "speed_temporal",
    "speed_chroma=speed_prescale=0.6:speed_prescale_method=lanczos4:speed_kernelscale=3",
    "float_motion", "vmaf=disable_clip=true", "vmaf=model=vmaf_float_v0.6.1:name=vmaf_float",
    "float_motion=motion_add_scale1=true", "xpsnr=fps=60", "flip=pools",
    "butteraugli=norms", "cvvdp=fps=30:display=standard_fhd",
};
static const char *const metrics_of_rgb[] = {"psnr=enable_mse=true:enable_apsnr=true", "float_moment", "ssimulacra2", "ciede2000",
                                             "flip=ppd=90",
                                             "butteraugli=norms:intensity_target=203", "cvvdp=still"};
static const char *const metrics_of_light[] = {"flip=pools:tone_mapper=hable"};

/* Lines of the result, printed or compared one by one. */
struct lines {
    FILE *expected; /* NULL: print */
    bool small; /* pairs of more than SMALL samples are left out */
    unsigned line, wrong;
};

static void put(struct lines *l, const char *name, const char *what, const char *key, double value)
{
    char got[256], want[256];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    snprintf(got, sizeof got, "%s, %s: %s %016" PRIx64 "\n", name, what, key, bits);
    l->line++;
    if (!l->expected) {
        fputs(got, stdout);
        return;
    }
    const size_t pair = strlen(name) + 1; /* with its comma */
    char *more;
    do
        more = fgets(want, sizeof want, l->expected);
    while (more && l->small && strncmp(got, want, pair)); /* a pair that is left out */
    if (!more || strcmp(got, want)) {
        if (l->wrong++ < 10)
            printf("line %u is    %s", l->line, got);
    }
}

static int fail(const char *name, const char *why)
{
    fprintf(stderr, "test_bits: %s: %s\n", name, why);
    return 1;
}

/* Whether SpEED has a block: it needs 80 samples each way after its scale, of which 0.6 is the smallest here. */
static int takes_speed(const char *metric, const assay_format *format)
{
    const assay_layout layout = format->layout;
    const int chroma = !strncmp(metric, "speed_chroma", 12), scaled = strstr(metric, "prescale") != NULL;
    const uint32_t w = chroma && layout != ASSAY_LAYOUT_444 ? format->width / 2 : format->width;
    const uint32_t h = chroma && layout == ASSAY_LAYOUT_420 ? format->height / 2 : format->height;
    if (chroma && layout != ASSAY_LAYOUT_420 && layout != ASSAY_LAYOUT_422 && layout != ASSAY_LAYOUT_444)
        return 0;
    return (scaled ? 6 * w / 10 : w) >= 80 && (scaled ? 6 * h / 10 : h) >= 80;
}

/* No metric of colour takes 4:1:1, ciede2000 takes no grey, xpsnr no 16 bits, and cambi nothing that is below 216 on both axes. */
static int takes(const char *metric, const assay_format *format)
{
    const assay_layout layout = format->layout;
    if (!strncmp(metric, "cambi", 5) && format->width < 216 && format->height < 216)
        return 0;
    if (!strncmp(metric, "speed", 5))
        return takes_speed(metric, format);
    if (!strncmp(metric, "xpsnr", 5))
        return format->bit_depth <= 14;
    const int ciede = !strcmp(metric, "ciede2000");
    if (layout == ASSAY_LAYOUT_411)
        return !ciede && strcmp(metric, "ssimulacra2") && strncmp(metric, "flip", 4) &&
               strncmp(metric, "butteraugli", 11) && strncmp(metric, "cvvdp", 5);
    return layout != ASSAY_LAYOUT_400 || !ciede;
}

static int start(assay_session **session, const char *name, const assay_format *format)
{
    char error[256];
    const int rgb = format->layout == ASSAY_LAYOUT_RGB, floats = format->bit_depth == ASSAY_DEPTH_FLOAT;
    const char *const *list = floats ? metrics_of_light : rgb ? metrics_of_rgb : metrics;
    const size_t n = floats ? sizeof metrics_of_light / sizeof *list
                     : rgb  ? sizeof metrics_of_rgb / sizeof *list
                            : sizeof metrics / sizeof *list;
    int rc = assay_session_new(session, NULL, error, sizeof error);
    if (rc)
        return fail(name, error);
    for (size_t i = 0; !rc && i < n; i++)
        if (takes(list[i], format))
            rc = assay_session_add_metric(*session, list[i]);
    rc = rc ? rc : assay_session_start(*session, format);
    return rc ? fail(name, assay_session_error(*session)) : 0;
}

/* All scores of the session so far, per frame; then the aggregates and two pools of each key. */
static int scores(assay_session *s, const char *name, struct lines *l)
{
    static const char *const pool[] = {"mean", "harmonic_mean"};
    double value[160];
    uint64_t frame;
    char what[32];
    if (assay_session_flush(s) || assay_session_keys(s) > sizeof value / sizeof value[0])
        return fail(name, assay_session_error(s));
    while (assay_session_poll(s, &frame, value) == 1)
        for (uint32_t i = 0; i < assay_session_keys(s); i++) {
            snprintf(what, sizeof what, "frame %" PRIu64, frame);
            put(l, name, what, assay_session_key(s, i), value[i]);
        }
    for (uint32_t i = 0; i < assay_session_keys(s); i++)
        for (unsigned p = 0; p < 2; p++) {
            if (assay_session_pooled(s, assay_session_key(s, i), pool[p], value))
                return fail(name, assay_session_error(s));
            put(l, name, pool[p], assay_session_key(s, i), value[0]);
        }
    for (uint32_t i = 0; i < assay_session_aggregates(s); i++) {
        if (assay_session_aggregate(s, i, value))
            return fail(name, assay_session_error(s));
        put(l, name, "sequence", assay_session_aggregate_key(s, i), value[0]);
    }
    return 0;
}

static void draw(const struct pair *p, const assay_format *f, unsigned frame, unsigned side, const assay_buffer *to)
{
    const uint32_t from = frame == 2 ? FURTHER : 0;
    for (uint32_t plane = 0; plane < assay_format_planes(f); plane++)
        for (uint32_t y = 0; y < assay_format_plane_height(f, plane); y++) {
            unsigned char *row = (unsigned char *)to->plane[plane] + (ptrdiff_t)y * to->stride[plane];
            for (uint32_t x = 0; x < assay_format_plane_width(f, plane); x++) {
                const uint32_t sample = p->sample(p, side ^ (frame == 1), plane, x + from, y + from);
                const uint16_t v = (uint16_t)sample;
                const float real = (float)sample / 256;
                if (p->bit_depth == ASSAY_DEPTH_FLOAT)
                    memcpy(row + sizeof real * x, &real, sizeof real);
                else if (p->bit_depth > 8)
                    memcpy(row + 2 * (size_t)x, &v, 2);
                else
                    row[x] = (unsigned char)v;
            }
        }
}

static int made_pair(const struct pair *p, struct lines *l)
{
    const int floats = p->bit_depth == ASSAY_DEPTH_FLOAT;
    const assay_format format = {.width = p->width, .height = p->height, .bit_depth = p->bit_depth,
                                 .layout = p->layout, .transfer = floats ? 8 : 0, .light_largest = floats ? 200 : 0,
                                 .light_median = floats ? 0.75 : 0};
    assay_session *s = NULL;
    assay_buffer buffer[2];
    int rc = start(&s, p->name, &format);
    for (unsigned frame = 0; !rc && frame < MADE_FRAMES; frame++) {
        if (assay_session_take(s, &buffer[0], &buffer[1]))
            rc = fail(p->name, assay_session_error(s));
        for (unsigned side = 0; !rc && side < 2; side++)
            draw(p, &format, frame, side, &buffer[side]);
        if (!rc && assay_session_commit(s, frame, 1))
            rc = fail(p->name, assay_session_error(s));
    }
    rc = rc ? rc : scores(s, p->name, l);
    assay_session_close(&s);
    return rc;
}

static int read_frame(FILE *file, const assay_format *f, const assay_buffer *to)
{
    char line[128];
    if (!fgets(line, sizeof line, file) || strncmp(line, "FRAME", 5))
        return 0;
    for (uint32_t p = 0; p < assay_format_planes(f); p++)
        for (uint32_t y = 0; y < assay_format_plane_height(f, p); y++)
            if (fread((char *)to->plane[p] + (ptrdiff_t)y * to->stride[p], assay_format_plane_width(f, p), 1, file) !=
                1)
                return 0;
    return 1;
}

/* The committed sample: 8-bit 4:2:0 Y4M of a known header. */
static int real_pair(FILE *const file[2], int off, struct lines *l)
{
    assay_format format = {.bit_depth = 8, .layout = ASSAY_LAYOUT_420};
    char line[128];
    for (unsigned side = 0; side < 2; side++)
        if (!fgets(line, sizeof line, file[side]) ||
            sscanf(line, "YUV4MPEG2 W%" SCNu32 " H%" SCNu32, &format.width, &format.height) != 2)
            return fail("sample", "not the sample pair");
    assay_session *s = NULL;
    assay_buffer buffer[2];
    int rc = start(&s, "sample", &format);
    for (uint64_t frame = 0; !rc; frame++) {
        if (assay_session_take(s, &buffer[0], &buffer[1]))
            rc = fail("sample", assay_session_error(s));
        const int more = !rc && read_frame(file[0], &format, &buffer[0]) && read_frame(file[1], &format, &buffer[1]);
        if (more && off && frame == 5)
            ((unsigned char *)buffer[1].plane[0])[1234] ^= 1;
        if (!rc && assay_session_commit(s, frame, more))
            rc = fail("sample", assay_session_error(s));
        if (!more)
            break;
    }
    rc = rc ? rc : scores(s, "sample", l);
    assay_session_close(&s);
    return rc;
}

/* All pairs, or the sample and the small ones. */
static int all_pairs(FILE *const file[2], int off, struct lines *l)
{
    enum { SMALL = 40000 };
    rewind(file[0]);
    rewind(file[1]);
    int rc = real_pair(file, off, l);
    for (size_t i = 0; !rc && i < sizeof pairs / sizeof pairs[0]; i++)
        if (!l->small || pairs[i].width * pairs[i].height < SMALL)
            rc = made_pair(&pairs[i], l);
    return rc;
}

int main(int argc, char **argv)
{
    struct lines l = {0};
    char rest[8];
    if (argc < 3 || argc > 5)
        return fail("usage", "REF.y4m DIS.y4m [SCORES.txt [-1|--small]]");
    FILE *const file[2] = {fopen(argv[1], "rb"), fopen(argv[2], "rb")};
    if (!file[0] || !file[1] || (argc > 3 && !(l.expected = fopen(argv[3], "r"))))
        return fail("usage", "a file can't be opened");
    l.small = argc > 4 && !strcmp(argv[4], "--small");
    int rc = all_pairs(file, argc > 4 && !l.small, &l);
    fclose(file[0]);
    fclose(file[1]);
    if (l.expected) {
        if (!rc && !l.small && fgets(rest, sizeof rest, l.expected))
            rc = fail(argv[3], "holds more lines than there are scores");
        fclose(l.expected);
        printf("%u scores, %u differ\n", l.line, l.wrong);
        if (l.wrong)
            printf("if that is meant: run without %s, write it there, and say so in CHANGELOG.md under Scores\n",
                   argv[3]);
    }
    return rc || l.wrong ? 1 : 0;
}
