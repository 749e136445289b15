/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C dialect's choice of a function by the type of a plane, of a cell of tile memory or of a lane value: _Generic in
 * C, overloads in C++. c.h includes this header behind the types and the functions.
 */
#ifndef ASSAY_DIALECT_C_SELECT_H
#define ASSAY_DIALECT_C_SELECT_H

#ifndef __cplusplus

#define NO_PLANE_
#define OF_IN_(f, name, ...) \
    _Generic((name), u8_in: f##_u8, u16_in: f##_u16, u32_in: f##_u32, i32_in: f##_i32, f32_in: f##_f32)( \
        (name).p, __VA_ARGS__)
#define OF_SAMPLES_(f, name, ...) _Generic((name), u8_in: f##_u8, u16_in: f##_u16)((name).p, __VA_ARGS__)
#define OVERLOADS_SAMPLES_(f)
#define OF_PAIRS_(f, name, ...) \
    _Generic((name), u8_in: f##_u8, u16_in: f##_u16, u32_in: f##_u32)((name).p, __VA_ARGS__)
#define OF_OUT_(f, name, ...) \
    _Generic((name), u32_out: f##_u32, i32_out: f##_i32, f32_out: f##_f32)((name).p, __VA_ARGS__)
#define TALLY_LOAD_OF_(name) _Generic((name), u8_in: tally_load_u8, u16_in: tally_load_u16, u32_in: tally_load_u32)

#define OF_CELL_(f, at) _Generic((at), f32_cell *: f##_f32, i32_cell *: f##_i32, u32_cell *: f##_u32)
#define tile_store(at, v) OF_CELL_(tile_store, at)(at, v)
#define tile_load8(at) OF_CELL_(tile_load8, at)(at)
#define tile_load_n(at, n) OF_CELL_(tile_load_n, at)(at, n)

#define to_f32(v) _Generic((v), i32: f32_from_i32, u32: f32_from_u32_, f32: f32_same_)(v)
#define to_i32(v) _Generic((v), i32: i32_same_, u32: i32_from_u32)(v)
#define to_u32(v) _Generic((v), i32: u32_from_i32, u32: u32_same_)(v)

#else

#define NO_PLANE_ = NULL

/* f of a plane of T, with the plane's description in its place. */
#define OVERLOAD_(f, plane, T) \
    template <typename... A> LANE_FN auto f##_of(plane name, A... a) { return f##_##T(name.p, a...); }
#define OVERLOADS_SAMPLES_(f) OVERLOAD_(f, u8_in, u8) OVERLOAD_(f, u16_in, u16)
#define OVERLOADS_PAIRS_(f) OVERLOADS_SAMPLES_(f) OVERLOAD_(f, u32_in, u32)
#define OVERLOADS_IN_(f) OVERLOADS_PAIRS_(f) OVERLOAD_(f, i32_in, i32) OVERLOAD_(f, f32_in, f32)
#define OVERLOADS_OUT_(f) OVERLOAD_(f, u32_out, u32) OVERLOAD_(f, i32_out, i32) OVERLOAD_(f, f32_out, f32)
OVERLOADS_IN_(ld) OVERLOADS_IN_(ldb) OVERLOADS_IN_(ldbn) OVERLOADS_IN_(ldc) OVERLOADS_IN_(ldg)
OVERLOADS_PAIRS_(ldp) OVERLOADS_PAIRS_(ldpz) OVERLOADS_PAIRS_(ldp_inside) OVERLOADS_PAIRS_(ldp_any)
OVERLOADS_OUT_(st) OVERLOADS_OUT_(stl) OVERLOADS_OUT_(stg)
#define OF_IN_(f, name, ...) f##_of(name, __VA_ARGS__)
#define OF_SAMPLES_(f, name, ...) f##_of(name, __VA_ARGS__)
#define OF_PAIRS_(f, name, ...) f##_of(name, __VA_ARGS__)
#define OF_OUT_(f, name, ...) f##_of(name, __VA_ARGS__)

LANE_FN tally_load *tally_load_of(u8_in) { return tally_load_u8; }
LANE_FN tally_load *tally_load_of(u16_in) { return tally_load_u16; }
LANE_FN tally_load *tally_load_of(u32_in) { return tally_load_u32; }
#define TALLY_LOAD_OF_(name) tally_load_of(name)

#define OVERLOADS_CELL_(T) \
    LANE_FN void tile_store(T##_cell *at, T v) { tile_store_##T(at, v); } \
    LANE_FN T tile_load8(const T##_cell *at) { return tile_load8_##T(at); } \
    LANE_FN T tile_load_n(const T##_cell *at, int n) { return tile_load_n_##T(at, n); }
OVERLOADS_CELL_(f32) OVERLOADS_CELL_(i32) OVERLOADS_CELL_(u32)

LANE_FN f32 to_f32(i32 v) { return f32_from_i32(v); }
LANE_FN f32 to_f32(u32 v) { return f32_from_u32_(v); }
LANE_FN f32 to_f32(f32 v) { return v; }
LANE_FN i32 to_i32(i32 v) { return v; }
LANE_FN i32 to_i32(u32 v) { return i32_from_u32(v); }
LANE_FN u32 to_u32(i32 v) { return u32_from_i32(v); }
LANE_FN u32 to_u32(u32 v) { return v; }

#endif

#endif
