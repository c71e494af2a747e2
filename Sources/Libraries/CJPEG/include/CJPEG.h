// Faults of a JPEG picture that libjpeg-turbo finds. Players' decoders ignore them.
#ifndef SPOOL_CJPEG_H
#define SPOOL_CJPEG_H

#include <stddef.h>

/// Decodes the samples of up to `pictures` JPEG pictures that follow each other, at an eighth of their size. The two fields of a
/// frame may be two such pictures.
///
/// Returns the number of faults, which is 0 for a whole picture. A fault is data that are not valid code, data that end too
/// early, or more bytes behind the last sample than careless cameras write. Returns -1 when libjpeg cannot tell: it does not read
/// this kind of picture, or decoding takes too long. May be called on any thread.
int spool_jpeg_faults(const unsigned char *bytes, size_t count, int pictures);

#endif
