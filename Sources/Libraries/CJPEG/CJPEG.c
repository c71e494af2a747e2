#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// Some cameras pad the end of a picture with bytes that are not part of it.
#define TOLERATED_BYTES 64
// The most scans of a picture. A progressive picture has about a dozen, and each one reads the whole picture again.
#define MAX_SCANS 100
// The most pixels of a picture, as in Sources/Media/Media/Decoder.swift.
#define MAX_PIXELS (1L << 27)

struct judge {
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf escape;
  int faults;
};

static void give_up(j_common_ptr state) { longjmp(((struct judge *)state->err)->escape, 1); }

static void keep_quiet(j_common_ptr state) { (void)state; }

static void note(j_common_ptr state, int level) {
  struct judge *judge = (struct judge *)state->err;
  if (level >= 0) return;
  switch (state->err->msg_code) {
  case JWRN_EXTRANEOUS_DATA:
    if (state->err->msg_parm.i[0] <= TOLERATED_BYTES) return;
    break;
  // JWRN_JPEG_EOF is not a fault: a picture that lacks only the marker of its end is whole.
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_ARITH_BAD_CODE:
  case JWRN_MUST_RESYNC: break;
  default: return;
  }
  judge->faults++;
}

static void count_scans(j_common_ptr state) {
  if (state->is_decompressor && ((j_decompress_ptr)state)->input_scan_number > MAX_SCANS) give_up(state);
}

// The first byte of the next picture; NULL when there is none.
static const unsigned char *next_picture(const unsigned char *at, const unsigned char *end) {
  while (end - at >= 2 && (at[0] == 0 || at[0] == 0xff) && at[1] != 0xd8) at++;
  return end - at >= 2 && at[0] == 0xff && at[1] == 0xd8 ? at : NULL;
}

int spool_jpeg_faults(const unsigned char *bytes, size_t count, int pictures) {
  struct judge judge;
  struct jpeg_decompress_struct decoder;
  unsigned char *volatile row = NULL;
  memset(&judge, 0, sizeof judge);
  memset(&decoder, 0, sizeof decoder);
  decoder.err = jpeg_std_error(&judge.errors);
  judge.errors.error_exit = give_up;
  judge.errors.emit_message = note;
  judge.errors.output_message = keep_quiet;
  judge.progress.progress_monitor = count_scans;
  // libjpeg gave up. Faults that were found before that still count.
  if (setjmp(judge.escape)) {
    jpeg_destroy_decompress(&decoder);
    free(row);
    return judge.faults > 0 ? judge.faults : -1;
  }
  jpeg_create_decompress(&decoder);
  decoder.progress = &judge.progress;
  const unsigned char *at = bytes, *end = bytes + count;
  for (int picture = 0; picture < pictures; picture++) {
    at = picture == 0 ? at : next_picture(at, end);
    if (!at || at == end) break;
    jpeg_mem_src(&decoder, at, end - at);
    jpeg_read_header(&decoder, TRUE);
    if ((long)decoder.image_width * decoder.image_height > MAX_PIXELS) give_up((j_common_ptr)&decoder);
    decoder.scale_num = 1;
    decoder.scale_denom = 8;
    decoder.out_color_space = decoder.jpeg_color_space;
    decoder.do_fancy_upsampling = FALSE;
    jpeg_start_decompress(&decoder);
    free(row);
    row = malloc((size_t)decoder.output_width * decoder.output_components + 64);
    if (!row) give_up((j_common_ptr)&decoder);
    JSAMPROW rows[1] = {row};
    while (decoder.output_scanline < decoder.output_height) jpeg_read_scanlines(&decoder, rows, 1);
    jpeg_finish_decompress(&decoder);
    at = decoder.src->next_input_byte;
  }
  jpeg_destroy_decompress(&decoder);
  free(row);
  return judge.faults;
}
