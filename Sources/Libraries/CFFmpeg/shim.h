// FFmpeg's libraries for Swift. Swift does not import some macros, so they are repeated here as constants.
#ifndef SPOOL_CFFMPEG_H
#define SPOOL_CFFMPEG_H

#include <dlfcn.h>
#include <stdlib.h>

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/cpu.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/hash.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mathematics.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int spool_AVERROR_EOF = AVERROR_EOF;
static const int spool_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int spool_AVERROR_INVALIDDATA = AVERROR_INVALIDDATA;
static const int spool_AVERROR_EXIT = AVERROR_EXIT;
static const int spool_AVERROR_DECODER_NOT_FOUND = AVERROR_DECODER_NOT_FOUND;
static const int spool_AVERROR_DEMUXER_NOT_FOUND = AVERROR_DEMUXER_NOT_FOUND;
static const int spool_AVERROR_ENCODER_NOT_FOUND = AVERROR_ENCODER_NOT_FOUND;
static const int spool_AVERROR_MUXER_NOT_FOUND = AVERROR_MUXER_NOT_FOUND;
static const int spool_AVERROR_PATCHWELCOME = AVERROR_PATCHWELCOME;
static const int64_t spool_AV_NOPTS_VALUE = AV_NOPTS_VALUE;
static const int64_t spool_AV_TIME_BASE = AV_TIME_BASE;

// libavfilter's functions that are called. The program is not linked with that library: it brings thirty others, and a third of the time that a
// process needs to start, but few movies need it.
#define SPOOL_FILTER_CALLS(call)                                                                                                       \
  call(av_buffersink_get_frame) call(av_buffersrc_add_frame) call(av_buffersrc_write_frame) call(avfilter_get_by_name)                 \
  call(avfilter_graph_alloc) call(avfilter_graph_config) call(avfilter_graph_create_filter) call(avfilter_graph_free)                  \
  call(avfilter_graph_get_filter) call(avfilter_graph_parse2) call(avfilter_graph_set_auto_convert) call(avfilter_inout_free)          \
  call(avfilter_link)

struct spool_filter_calls {
#define SPOOL_FILTER_CALL(name) __typeof__(name) *_Nonnull name;
  SPOOL_FILTER_CALLS(SPOOL_FILTER_CALL)
#undef SPOOL_FILTER_CALL
};

// Loads libavfilter. NULL where it is not installed, lacks a function, or does not fit into memory; the caller owns the result, and the library
// stays.
static inline struct spool_filter_calls *_Nullable spool_load_filters(void) {
  void *library = dlopen("libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  if (!library) return NULL;
  struct spool_filter_calls *calls = calloc(1, sizeof *calls);
  if (!calls) return NULL;
#define SPOOL_FILTER_CALL(name) \
  if (!(calls->name = (__typeof__(name) *)dlsym(library, #name))) goto missing;
  SPOOL_FILTER_CALLS(SPOOL_FILTER_CALL)
#undef SPOOL_FILTER_CALL
  return calls;
missing:
  free(calls);
  return NULL;
}

#endif
