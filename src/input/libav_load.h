/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libav's functions, loaded when a file needs them. libav's libraries and their dependencies take 20 ms to load, which
 * Y4M and raw files need not pay. A source of the reader includes this after libav's headers and calls the functions by
 * their own names. A call of a function that is not listed here fails to link.
 */
#ifndef ASSAY_INPUT_LIBAV_LOAD_H
#define ASSAY_INPUT_LIBAV_LOAD_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <stdbool.h>

/* library, function */
#define LIBAV_EACH_FUNCTION(X) \
    X(AVUTIL, av_dict_free) X(AVUTIL, av_dict_get) X(AVUTIL, av_dict_parse_string) X(AVUTIL, av_display_matrix_flip) \
    X(AVUTIL, av_display_rotation_get) X(AVUTIL, av_frame_alloc) X(AVUTIL, av_frame_free) \
    X(AVUTIL, av_frame_get_side_data) X(AVUTIL, av_frame_move_ref) X(AVUTIL, av_frame_unref) X(AVUTIL, av_free) \
    X(AVUTIL, av_freep) X(AVUTIL, av_get_pix_fmt_name) X(AVUTIL, av_hwdevice_ctx_create) \
    X(AVUTIL, av_log_set_callback) X(AVUTIL, av_malloc) X(AVUTIL, av_pix_fmt_desc_get) X(AVUTIL, av_rescale) \
    X(AVUTIL, av_strerror) X(AVUTIL, av_opt_find) X(AVUTIL, avutil_version) \
    X(AVCODEC, av_codec_is_decoder) X(AVCODEC, av_codec_iterate) X(AVCODEC, av_packet_alloc) \
    X(AVCODEC, av_packet_free) X(AVCODEC, av_packet_get_side_data) X(AVCODEC, av_packet_move_ref) \
    X(AVCODEC, av_packet_unref) X(AVCODEC, avcodec_flush_buffers) X(AVCODEC, avcodec_alloc_context3) \
    X(AVCODEC, avcodec_find_decoder) X(AVCODEC, avcodec_free_context) X(AVCODEC, avcodec_get_class) \
    X(AVCODEC, avcodec_get_hw_config) X(AVCODEC, avcodec_get_name) X(AVCODEC, avcodec_open2) \
    X(AVCODEC, avcodec_parameters_to_context) X(AVCODEC, avcodec_receive_frame) X(AVCODEC, avcodec_send_packet) \
    X(AVCODEC, avcodec_version) X(AVFORMAT, av_find_input_format) \
    X(AVFORMAT, av_guess_frame_rate) X(AVFORMAT, av_guess_sample_aspect_ratio) X(AVFORMAT, av_probe_input_buffer2) \
    X(AVFORMAT, av_read_frame) X(AVFORMAT, av_seek_frame) X(AVFORMAT, avformat_index_get_entries_count) \
    X(AVFORMAT, avformat_index_get_entry) X(AVFORMAT, avformat_alloc_context) X(AVFORMAT, avformat_close_input) \
    X(AVFORMAT, avformat_find_stream_info) X(AVFORMAT, avformat_get_class) X(AVFORMAT, avformat_open_input) \
    X(AVFORMAT, avformat_version) X(AVFORMAT, avio_alloc_context) X(AVFORMAT, avio_context_free) \
    LIBAV_SIDE_DATA(X)

/* Side data of a track moved from the stream to its parameters in FFmpeg 6.1. */
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
#define LIBAV_SIDE_DATA(X) X(AVCODEC, av_packet_side_data_get)
#else
#define LIBAV_SIDE_DATA(X) X(AVFORMAT, av_stream_get_side_data)
#endif

struct libav_functions {
#define LIBAV_POINTER(library, name) __typeof__(name) *name;
    LIBAV_EACH_FUNCTION(LIBAV_POINTER)
#undef LIBAV_POINTER
};
extern struct libav_functions libav_functions;

/* Loads the functions. False: a library is missing or lacks a function; `why` says which. */
bool libav_load(char *why, size_t size);

#ifndef LIBAV_LOADER
#include "input/libav_names.h" /* made by meson of the list above: each name stands for its pointer */
#endif

#endif
