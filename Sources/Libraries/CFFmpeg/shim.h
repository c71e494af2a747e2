// FFmpeg's libraries for Swift. Swift does not import some macros, so they are repeated here as constants.
#ifndef SPOOL_CFFMPEG_H
#define SPOOL_CFFMPEG_H

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

#endif
