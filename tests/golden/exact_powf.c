/* SPDX-License-Identifier: BSD-2-Clause */
/* powf for LD_PRELOAD: pow, rounded once more to float. pow is within one ULP of double, so that is the exactly rounded
 * value unless it lies within 2^-28 of a float's ULP of the middle between two floats. With SABOTAGE it is the next
 * float above. */
#include <math.h>

float powf(float x, float y);

float powf(float x, float y)
{
    const float exact = (float)pow((double)x, (double)y);
#ifdef SABOTAGE
    return nextafterf(exact, 1e9f);
#else
    return exact;
#endif
}
