/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of ssimulacra2.k over one CHANNEL; included three times, because sums are numbered by constants. */
    EACH(x, y, SPAN_W, SPAN_H + 8)
        f32 r[9];
        f32 d[9];
        f32 v[9];
        f32 p = TLDN(pivots, 1, 0, x, 0, CHANNEL, y);
        f32 q = TLDN(pivots, 1, 0, x, 0, 3 + CHANNEL, y);
        FOR(i, 9) {
            r[i] = TLD(a, i, x, CHANNEL * S2_ROWS_ALL, y) - p;
            d[i] = TLD(b, i, x, CHANNEL * S2_ROWS_ALL, y) - q;
        }
        if (border != 0) {
            i32 row = YPOS(y) - 4;
            FOR(i, 9) {
                i32 column = XPOS(x) + (i - 4);
                mask inside = and_(and_(column >= 0, column < GRID_W), and_(row >= 0, row < GRID_H));
                r[i] = sel_f32(inside, r[i], F32(0.0f));
                d[i] = sel_f32(inside, d[i], F32(0.0f));
            }
        }
        TST(blurred, 0, x, 0, y, S2_TAPS(r, 0));
        TST(blurred, 0, x, S2_ROWS_ALL, y, S2_TAPS(d, 0));
        FOR(i, 9) { v[i] = r[i] * r[i]; }
        TST(blurred, 0, x, 2 * S2_ROWS_ALL, y, S2_TAPS(v, 0));
        FOR(i, 9) { v[i] = d[i] * d[i]; }
        TST(blurred, 0, x, 3 * S2_ROWS_ALL, y, S2_TAPS(v, 0));
        FOR(i, 9) { v[i] = r[i] * d[i]; }
        TST(blurred, 0, x, 4 * S2_ROWS_ALL, y, S2_TAPS(v, 0));
    END_EACH
    SYNC
    STRIPS(x, y, SPAN_W, SPAN_H)
        f32 m[5 * ROWS];
        f32 p = TLDN(pivots, 1, 0, x, 0, CHANNEL, y);
        f32 q = TLDN(pivots, 1, 0, x, 0, 3 + CHANNEL, y);
        FOR(k, 5) {
            f32 column[ROWS + 8];
            FOR(i, ROWS + 8) { column[i] = TLD(blurred, 0, x, k * S2_ROWS_ALL + i, y); }
            FOR(i, ROWS) { m[k * ROWS + i] = S2_TAPS(column, i); }
        }
        FOR(i, ROWS) {
            f32 m1 = m[i];
            f32 m2 = m[ROWS + i];
            f32 var1 = m[2 * ROWS + i] - m1 * m1;
            f32 var2 = m[3 * ROWS + i] - m2 * m2;
            f32 cov = m[4 * ROWS + i] - m1 * m2;
            f32 edge1 = (TLD(a, 4, x, CHANNEL * S2_ROWS_ALL + 4 + i, y) - p) - m1;
            f32 edge2 = (TLD(b, 4, x, CHANNEL * S2_ROWS_ALL + 4 + i, y) - q) - m2;
            f32 mu1 = m1 + p;
            f32 mu2 = m2 + q;
            if (border != 0) {
                i32 column = XPOS(x);
                i32 row = YPOS(y) + i;
                f32 weight_x = 1.0f - (s2_lost(column) + s2_lost(GRID_W - 1 - column));
                f32 weight_y = 1.0f - (s2_lost(row) + s2_lost(GRID_H - 1 - row));
                f32 w = weight_x * weight_y;
                f32 rest = 1.0f - w;
                var1 = var1 + rest * (p * m1 + p * (m1 + p * w));
                var2 = var2 + rest * (q * m2 + q * (m2 + q * w));
                cov = cov + rest * (q * m1 + p * (m2 + q * w));
                edge1 = edge1 + p * rest;
                edge2 = edge2 + q * rest;
                mu1 = m1 + p * w;
                mu2 = m2 + q * w;
            }
            f32 similar = (1.0f - (mu1 - mu2) * (mu1 - mu2)) * (2.0f * cov + S2_C2);
            f32 error = 1.0f - div_rn(similar, (var1 + var2) + S2_C2);
            f32 edge = div_rn(1.0f + abs_f32(edge2), 1.0f + abs_f32(edge1)) - 1.0f;
            mask inside = INSIDE(x, y, i);
            error = sel_f32(error > 0.0f, error, F32(0.0f));
            f32 artefact = sel_f32(edge > 0.0f, edge, F32(0.0f));
            f32 lost = sel_f32(edge < 0.0f, 0.0f - edge, F32(0.0f));
            SUM_F32(CHANNEL * S2_SUMS, inside, error, S2_MEAN_SCALE, 2)
            SUM_F32(CHANNEL * S2_SUMS + 2, inside, s2_fourth(error), S2_FOURTH_SCALE, 5)
            SUM_F32(CHANNEL * S2_SUMS + 7, inside, artefact, S2_MEAN_SCALE, 2)
            SUM_F32(CHANNEL * S2_SUMS + 9, inside, s2_fourth(artefact), S2_FOURTH_SCALE, 5)
            SUM_F32(CHANNEL * S2_SUMS + 14, inside, lost, S2_MEAN_SCALE, 2)
            SUM_F32(CHANNEL * S2_SUMS + 16, inside, s2_fourth(lost), S2_FOURTH_SCALE, 5)
        }
    END_STRIPS
    SYNC
