#include "CStillJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

struct jump {
  struct jpeg_error_mgr errors;
  jmp_buf place;
};

static void leave(j_common_ptr context) { longjmp(((struct jump *)context->err)->place, 1); }
static void say_nothing(j_common_ptr context, int level) {}
static void print_nothing(j_common_ptr context) {}

static void prepare(struct jump *jump) {
  jpeg_std_error(&jump->errors);
  jump->errors.error_exit = leave;
  jump->errors.emit_message = say_nothing;
  jump->errors.output_message = print_nothing;
}

int spool_still_jpeg_decode(const unsigned char *bytes, size_t count, unsigned char *pixels, int width, int height, size_t stride) {
  struct jpeg_decompress_struct context;
  struct jump jump;
  memset(&context, 0, sizeof context);
  prepare(&jump);
  context.err = &jump.errors;
  if (setjmp(jump.place)) {
    jpeg_destroy_decompress(&context);
    return -1;
  }
  jpeg_create_decompress(&context);
  jpeg_mem_src(&context, bytes, count);
  jpeg_read_header(&context, TRUE);
  context.out_color_space = JCS_EXT_BGRA;
  context.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&context);
  if ((int)context.output_width != width || (int)context.output_height != height) longjmp(jump.place, 1);
  while (context.output_scanline < context.output_height) {
    unsigned char *row = pixels + stride * context.output_scanline;
    jpeg_read_scanlines(&context, &row, 1);
  }
  jpeg_finish_decompress(&context);
  jpeg_destroy_decompress(&context);
  return 0;
}

unsigned char *spool_still_jpeg_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, size_t *count) {
  struct jpeg_compress_struct context;
  struct jump jump;
  // longjmp may leave a local variable as it was; these two are written by libjpeg through their addresses.
  static _Thread_local unsigned char *bytes;
  static _Thread_local unsigned long size;
  bytes = NULL;
  size = 0;
  memset(&context, 0, sizeof context);
  prepare(&jump);
  context.err = &jump.errors;
  if (setjmp(jump.place)) {
    jpeg_destroy_compress(&context);
    free(bytes);
    return NULL;
  }
  jpeg_create_compress(&context);
  jpeg_mem_dest(&context, &bytes, &size);
  context.image_width = width;
  context.image_height = height;
  context.input_components = 4;
  context.in_color_space = JCS_EXT_BGRX;
  jpeg_set_defaults(&context);
  jpeg_set_quality(&context, quality, TRUE);
  jpeg_start_compress(&context, TRUE);
  while (context.next_scanline < context.image_height) {
    JSAMPROW row = (JSAMPROW)(pixels + stride * context.next_scanline);
    jpeg_write_scanlines(&context, &row, 1);
  }
  jpeg_finish_compress(&context);
  jpeg_destroy_compress(&context);
  *count = size;
  return bytes;
}

void spool_still_jpeg_free(unsigned char *bytes) { free(bytes); }
