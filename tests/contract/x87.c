/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic in 80 bits: the contract check must see it. */
long double extended(long double a, long double b);
long double extended(long double a, long double b)
{
    return a * b;
}
