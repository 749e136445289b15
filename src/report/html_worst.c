/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst frames of each encode in the HTML report, with small pictures of both sides and of a map. */
#include <inttypes.h>
#include <math.h>

#include "report/html_page.h"
#include "report/reporter.h"

static void put_base64(struct sink *s, const unsigned char *data, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { PIECE = 768 };
    char text[PIECE / 3 * 4 + 1];
    for (size_t from = 0; from < size; from += PIECE) {
        const size_t n = size - from < PIECE ? size - from : PIECE;
        size_t used = 0;
        for (size_t i = 0; i < n; i += 3) {
            const unsigned char *p = data + from + i;
            const unsigned b = i + 1 < n ? p[1] : 0, c = i + 2 < n ? p[2] : 0;
            text[used++] = letters[p[0] >> 2];
            text[used++] = letters[((unsigned)p[0] << 4 | b >> 4) & 63];
            text[used++] = i + 1 < n ? letters[(b << 2 | c >> 6) & 63] : '=';
            text[used++] = i + 2 < n ? letters[c & 63] : '=';
        }
        text[used] = 0;
        sink_text(s, text);
    }
}

void html_picture(struct sink *s, const struct report_picture *picture, const char *what, const char *label)
{
    if (!picture->size)
        return;
    sink_format(s, "<div class=\"side\" data-side=\"%s\"><img width=\"%u\" height=\"%u\" alt=\"", what, picture->width,
                picture->height);
    html_text(s, label);
    sink_format(s, "\" src=\"data:%s;base64,", picture->type);
    put_base64(s, picture->data, picture->size);
    html_within(s, "\"><span>", label, "</span></div>\n");
}

static void put_frame(const struct page *p, const struct stored *encode, const struct report_worst *w)
{
    static const char *const side[] = {"reference", "distorted", "map"};
    const struct scores *s = &encode->scores;
    const double v = score_at(s, w->row, w->key);
    char number[NUMBER_TEXT_SIZE];
    report_frame(number, &encode->run, s->frame[w->row]);
    sink_format(p->s, "<li class=\"frame\" style=\"--width:%upx\" data-frame=\"%" PRIu64 "\"><p><b>frame %s</b>",
                w->picture[0].width, s->frame[w->row], number);
    if (s->time[w->row] != SCORES_NO_TIME) {
        sink_text(p->s, " <span>at ");
        html_time(p->s, s->time[w->row]);
        sink_text(p->s, "</span>");
    }
    sink_format(p->s, " <span>%s <b", s->key[w->key]);
    html_value(p->s, v, html_decimals(p, fabs(v)), "</b></span></p>\n");
    if (w->picture[0].size) {
        sink_text(p->s, "<div class=\"sides\">\n");
        for (unsigned i = 0; i < 3; i++)
            html_picture(p->s, &w->picture[i], side[i], i < 2 ? side[i] : w->map);
        sink_text(p->s, "</div>\n");
    }
    sink_text(p->s, "</li>\n");
}

void html_worst(const struct page *p)
{
    bool begun = false;
    for (uint32_t i = 0; i < p->encodes; i++) {
        const struct stored *encode = &p->encode[i];
        const struct report_run *run = &encode->run;
        if (!run->worsts)
            continue;
        if (!begun)
            sink_text(p->s, "<section id=\"worst\" aria-labelledby=\"worst-title\">\n"
                      "<h2 id=\"worst-title\">Worst frames</h2>\n");
        begun = true;
        if (p->encodes > 1)
            html_numbered(p->s, "<h3>", i, encode->name, "</h3>\n");
        sink_format(p->s, "<ol class=\"frames\" data-encode=\"%u\">\n", i);
        for (uint32_t k = 0; k < run->worsts; k++)
            put_frame(p, encode, &run->worst[k]);
        sink_text(p->s, "</ol>\n");
        if (run->pictures)
            html_within(p->s, "<p class=\"hint\">", run->pictures, "</p>\n");
    }
    if (begun)
        sink_text(p->s, "</section>\n");
}
