/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/cambi_limits.h"

#include "host/exact_math.h"

enum { BLACK = 64, WHITE = 940, ALL = 1023 };

/* BT.1886 of a display from 0.01 to 300 cd/m2, whose light is gain * (v + lift)^2.4, or SMPTE ST 2084. */
struct cambi_display {
    int transfer;
    double gain, lift;
};

static struct cambi_display cambi_display_of(int transfer)
{
    struct cambi_display display = {.transfer = transfer};
    if (transfer != CAMBI_PQ) {
        const double white = assay_pow(300.0, 1.0 / 2.4), black = assay_pow(0.01, 1.0 / 2.4), range = white - black;
        display.gain = assay_pow(range, 2.4);
        display.lift = black / range;
    }
    return display;
}

/* In cd/m2. Codes of limited range, cut at its ends. */
static double cambi_light(const struct cambi_display *display, int code)
{
    const double v = (double)((code < BLACK ? BLACK : code > WHITE ? WHITE : code) - BLACK) / (double)(WHITE - BLACK);
    if (display->transfer == CAMBI_PQ) {
        const double e = assay_pow(v, 1.0 / 78.84375), over = e - 0.8359375 > 0.0 ? e - 0.8359375 : 0.0;
        return 10000.0 * assay_pow(over / (18.8515625 - 18.6875 * e), 1.0 / 0.1593017578125);
    }
    const double above = v + display->lift;
    return display->gain * assay_pow(above > 0.0 ? above : 0.0, 2.4);
}

static int cambi_seen(const struct cambi_display *display, double threshold, int code, int d)
{
    const double light = cambi_light(display, code);
    return cambi_light(display, code + d) - light > threshold * light;
}

int cambi_reach(int transfer, double threshold, int d)
{
    const struct cambi_display display = cambi_display_of(transfer);
    const int head = WHITE - d - 1;
    int low = BLACK, high = head;
    if (!cambi_seen(&display, threshold, BLACK, d))
        return 0;
    if (!cambi_seen(&display, threshold, BLACK + 1, d))
        return BLACK;
    if (cambi_seen(&display, threshold, head, d))
        return cambi_seen(&display, threshold, head + 1, d) ? ALL : head;
    for (;;) {
        const int middle = low + (high - low) / 2;
        if (!cambi_seen(&display, threshold, middle, d))
            high = middle;
        else if (cambi_seen(&display, threshold, middle + 1, d))
            low = middle;
        else
            return middle;
    }
}

int cambi_visible(int transfer, double light)
{
    const struct cambi_display display = cambi_display_of(transfer);
    int code = BLACK;
    while (code < WHITE && cambi_light(&display, code) < light)
        code++;
    return code == BLACK ? 0 : code;
}
