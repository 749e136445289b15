/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An application that has set its user's locale and then uses the library. Prints the decimal point that C's own
 * functions use now, and what the library made of numbers in text and of scores; test_locale.py compares two locales.
 */
#include <assay/assay.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* The means of all keys, as bits: printf's numbers have the locale's point. */
static void print_means(assay_session *s)
{
    for (uint32_t i = 0; i < assay_session_keys(s); i++) {
        double value = 0.0;
        uint64_t bits;
        assay_session_pooled(s, assay_session_key(s, i), "mean", &value);
        memcpy(&bits, &value, sizeof bits);
        printf("%s %016llx\n", assay_session_key(s, i), (unsigned long long)bits);
    }
}

int main(int argc, char **argv)
{
    enum { SIZE = 32 };
    static uint8_t a[SIZE * SIZE], b[SIZE * SIZE];
    const assay_format format = {.width = SIZE, .height = SIZE, .bit_depth = 8, .layout = ASSAY_LAYOUT_400};
    const assay_picture ref = {.plane = {a}, .stride = {SIZE}}, dis = {.plane = {b}, .stride = {SIZE}};
    double value = 0.0;
    assay_session *s;
    setlocale(LC_ALL, "");
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = (uint8_t)(i * 7);
        b[i] = (uint8_t)(i * 7 + i % 3);
    }
    if (assay_session_new(&s, NULL, NULL, 0))
        return 1;
    int rc = assay_session_add_metric(s, "psnr=min_sse=0.5");
    if (argc > 1) /* one more metric */
        rc = rc ? rc : assay_session_add_metric(s, argv[1]);
    rc = rc ? rc : assay_session_start(s, &format);
    rc = rc ? rc : assay_session_submit(s, 0, &ref, &dis);
    rc = rc ? rc : assay_session_flush(s);
    rc = rc ? rc : assay_session_pooled(s, "psnr_y", "perc2.5", &value);
    printf("point %s\n%s\n%.0f\n", localeconv()->decimal_point, assay_session_configuration(s), value * 1e12);
    print_means(s);
    puts(rc ? assay_session_error(s) : assay_session_notes(s));
    const int comma = assay_session_pooled(s, "psnr_y", "perc2,5", &value);
    printf("%d %s\n", comma, assay_session_error(s));
    assay_session_close(&s);
    return rc ? 1 : 0;
}
