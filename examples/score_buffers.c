/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scores two pictures that are in memory, and asks for the result by polling.
 *
 *     cc -std=c11 score_buffers.c $(pkg-config --cflags --libs assay) -o score_buffers && ./score_buffers
 */
#include <assay/assay.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 320, HEIGHT = 240 };

/* A reference: a disc on a slope. And a distorted copy: the same with coarser steps, as a
 * strong compressor leaves them. */
static void draw(uint8_t *reference, uint8_t *distorted)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int dx = x - WIDTH / 2, dy = y - HEIGHT / 2;
            const int value = x / 2 + y / 4 + (dx * dx + dy * dy < 80 * 80 ? 30 : 0);
            reference[y * WIDTH + x] = (uint8_t)value;
            distorted[y * WIDTH + x] = (uint8_t)(value / 8 * 8 + 4);
        }
}

static int score(assay_session *session, const uint8_t *reference, const uint8_t *distorted)
{
    const assay_format format = {.width = WIDTH, .height = HEIGHT, .bit_depth = 8, .layout = ASSAY_LAYOUT_400};
    const assay_picture ref = {.plane = {reference}, .stride = {WIDTH}};
    const assay_picture dis = {.plane = {distorted}, .stride = {WIDTH}};
    double values[64];
    uint64_t frame;
    int rc;

    if ((rc = assay_session_add_metric(session, "psnr=enable_mse=true")) ||
        (rc = assay_session_add_metric(session, "float_ms_ssim")) ||
        (rc = assay_session_start(session, &format)) ||
        /* Without a release function the pictures are copied before this returns. */
        (rc = assay_session_submit(session, 0, &ref, &dis)) || (rc = assay_session_flush(session)))
        return rc;
    if (assay_session_keys(session) > sizeof values / sizeof values[0])
        return ASSAY_EINTERNAL;
    while ((rc = assay_session_poll(session, &frame, values)) == 1)
        for (uint32_t i = 0; i < assay_session_keys(session); i++)
            printf("%s %.6f\n", assay_session_key(session, i), values[i]);
    return rc;
}

int main(void)
{
    uint8_t *reference = malloc(WIDTH * HEIGHT), *distorted = malloc(WIDTH * HEIGHT);
    assay_session *session = NULL;
    char error[256] = "out of memory";
    int rc = ASSAY_EINTERNAL;

    if (reference && distorted)
        rc = assay_session_new(&session, NULL, error, sizeof error);
    if (session) {
        draw(reference, distorted);
        rc = score(session, reference, distorted);
        snprintf(error, sizeof error, "%s", assay_session_error(session));
        assay_session_close(&session);
    }
    if (rc)
        fprintf(stderr, "score_buffers: %s\n", error);
    free(reference);
    free(distorted);
    return rc ? 1 : 0;
}
