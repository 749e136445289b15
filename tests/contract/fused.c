/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled with contraction on, as a build with the wrong flags would be: the contract check must see it. */
float fused(float a, float b, float c);
float fused(float a, float b, float c)
{
    return a * b + c;
}
