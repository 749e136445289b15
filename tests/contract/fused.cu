/* SPDX-License-Identifier: BSD-2-Clause */
/* What check_ptx.py must complain about, one thing per kernel. */
extern "C" __global__ void fused(float *p)
{
    p[0] = __fmaf_rn(p[0], p[1], p[2]);
}

extern "C" __global__ void approximate(float *p)
{
    p[0] = __fdividef(p[0], p[1]);
}

extern "C" __global__ void rounded_up(float *p)
{
    p[0] = __fadd_ru(p[0], p[1]);
}

extern "C" __global__ void large(float *p)
{
    __shared__ float tile[13000];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[threadIdx.x ^ 1];
}
