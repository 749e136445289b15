# SPDX-License-Identifier: BSD-2-Clause
"""The definition of docs/bdrate.md a second time, in exact fractions."""
import decimal
from decimal import Decimal
from fractions import Fraction


def log10(x):
    with decimal.localcontext() as context:
        context.prec = 50
        return Fraction(Decimal(x).log10())


def pchip(x, y):
    """Slopes: the weighted harmonic mean of neighbouring secants; three points at the ends, never against the curve."""
    h = [b - a for a, b in zip(x, x[1:])]
    d = [(b - a) / w for a, b, w in zip(y, y[1:], h)]

    def end(h0, h1, d0, d1):
        slope = d0 + (d0 - d1) * h0 / (h0 + h1)
        return slope if slope * d0 > 0 else Fraction(0)
    inner = []
    for i in range(1, len(h)):
        weight = (h[i - 1] + 2 * h[i]) / (3 * (h[i - 1] + h[i]))
        inner.append(d[i - 1] * d[i] / (weight * d[i] + (1 - weight) * d[i - 1]))
    return [end(h[0], h[1], d[0], d[1]), *inner, end(h[-1], h[-2], d[-1], d[-2])]


def akima(x, y):
    d = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(len(x) - 1)]
    d = [3 * d[0] - 2 * d[1], 2 * d[0] - d[1], *d, 2 * d[-1] - d[-2], 3 * d[-1] - 2 * d[-2]]
    slopes = []
    for i in range(len(x)):
        left, right = abs(d[i + 1] - d[i]), abs(d[i + 3] - d[i + 2])
        slopes.append((d[i + 1] * right + d[i + 2] * left) / (left + right) if left + right
                      else (d[i + 1] + d[i + 2]) / 2)
    return slopes


def cubic(x, y):
    """The values and slopes at the points of the polynomial of degree 3 with the least squares."""
    m = [[sum(a**(i + j) for a in x) for j in range(4)] + [sum(b * a**i for a, b in zip(x, y))] for i in range(4)]
    for k in range(4):
        m[k] = [v / m[k][k] for v in m[k]]
        m = [row if i == k else [v - row[k] * w for v, w in zip(row, m[k])] for i, row in enumerate(m)]
    c = [row[4] for row in m]
    return ([c[0] + a * (c[1] + a * (c[2] + a * c[3])) for a in x],
            [c[1] + a * (2 * c[2] + a * 3 * c[3]) for a in x])


def curve(x, y, method):
    """The values and slopes at the points between which it is cubic."""
    return cubic(x, y) if method == "cubic" else (y, (akima if method == "akima" else pchip)(x, y))


def value(x, y, slopes, at):
    """The cubic of Hermite's basis."""
    i = max(k for k in range(len(x) - 1) if x[k] <= at)
    h = x[i + 1] - x[i]
    t = (at - x[i]) / h
    return (y[i] * (1 + 2 * t) * (1 - t)**2 + slopes[i] * h * t * (1 - t)**2 + y[i + 1] * t * t * (3 - 2 * t)
            + slopes[i + 1] * h * t * t * (t - 1))


def mean(x, y, low, high, method):
    """Of the curve between low and high. Simpson's rule is exact for cubics."""
    y, slopes = curve(x, y, method)
    if method == "aom":
        at = [low + (high - low) * i / 99 for i in range(100)]
        v = [value(x, y, slopes, a) for a in at]
        return (sum(v) - (v[0] + v[-1]) / 2) / 99
    cuts, total = [low, *[a for a in x if low < a < high], high], Fraction(0)
    for a, b in zip(cuts, cuts[1:]):
        total += (b - a) / 6 * sum(w * value(x, y, slopes, p) for w, p in ((1, a), (4, (a + b) / 2), (1, b)))
    return total / (high - low)


def difference(anchor, test, method):
    a, b = sorted(anchor), sorted(test)
    low, high = max(a[0][0], b[0][0]), min(a[-1][0], b[-1][0])
    return mean(*zip(*b), low, high, method) - mean(*zip(*a), low, high, method) if low < high else None


def deltas(anchor, test, method):
    """BD-rate in % and BD-score of points (rate, score)."""
    rate = difference([(Fraction(q), log10(r)) for r, q in anchor], [(Fraction(q), log10(r)) for r, q in test], method)
    score = difference([(log10(r), Fraction(q)) for r, q in anchor], [(log10(r), Fraction(q)) for r, q in test], method)
    with decimal.localcontext() as context:
        context.prec = 40
        power = Decimal(10)**(Decimal(rate.numerator) / Decimal(rate.denominator))
        return float((power - 1) * 100), None if score is None else float(score)
