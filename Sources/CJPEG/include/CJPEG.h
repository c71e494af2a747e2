// What libjpeg-turbo finds wrong in a JPEG picture, which decoders for players pass over.
#ifndef SPOOL_CJPEG_H
#define SPOOL_CJPEG_H

#include <stddef.h>

/// Decodes the coded samples of up to `pictures` JPEG pictures that follow each other (two fields of one frame may), at an eighth of
/// their size.
///
/// Returns how often the data were no code, ended too early, or went on behind the last sample by more than cameras are careless: 0 for a
/// whole picture. -1 where libjpeg has no opinion: it is of a kind that it does not read, or takes too long. Any thread.
int spool_jpeg_faults(const unsigned char *bytes, size_t count, int pictures);

#endif
