// JPEG pictures are decoded and encoded by libjpeg, which leaves a function by longjmp(3) on an error. Swift code cannot do that.
#ifndef SPOOL_CSTILLJPEG_H
#define SPOOL_CSTILLJPEG_H

#include <stddef.h>

/// Decodes a JPEG picture to pixels of four bytes: blue, green, red, and 255.
///
/// `pixels` has room for `height` rows of `stride` bytes, for the size that the header says. Returns 0, or -1 where the bytes are no
/// picture of that size or of a kind that libjpeg does not turn into RGB. May be called on any thread.
int spool_still_jpeg_decode(const unsigned char *bytes, size_t count, unsigned char *pixels, int width, int height, size_t stride);

/// Encodes pixels of four bytes (blue, green, red, and one that is not used).
///
/// `quality` is 0...100. Returns the bytes, which `spool_still_jpeg_free` frees, and their number in `count`; null without memory.
unsigned char *spool_still_jpeg_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, size_t *count);

void spool_still_jpeg_free(unsigned char *bytes);

#endif
