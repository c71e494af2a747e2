#include <lcms2.h>

// Swift does not import macros that call other macros.
static const cmsUInt32Number SPOOL_TYPE_RGB_8 = TYPE_RGB_8, SPOOL_TYPE_RGBA_8 = TYPE_RGBA_8;
static const cmsUInt32Number SPOOL_TYPE_RGB_16 = TYPE_RGB_16, SPOOL_TYPE_RGBA_16 = TYPE_RGBA_16;
static const cmsUInt32Number SPOOL_TYPE_RGB_16_SE = TYPE_RGB_16_SE, SPOOL_TYPE_RGBA_16_SE = COLORSPACE_SH(PT_RGB) | EXTRA_SH(1) | CHANNELS_SH(3) | BYTES_SH(2) | ENDIAN16_SH(1);
