// zimg as Swift sees it.
#ifndef SPOOL_CZIMG_H
#define SPOOL_CZIMG_H

#include <zimg.h>

static const unsigned spool_ZIMG_API_VERSION = ZIMG_API_VERSION;

// The planes of a buffer are an array of unnamed structs, which Swift does not see.
static inline void spool_set_input_plane(zimg_image_buffer_const *buffer, int index, const void *data, ptrdiff_t stride) {
  buffer->plane[index].data = data;
  buffer->plane[index].stride = stride;
  buffer->plane[index].mask = ZIMG_BUFFER_MAX;
}

static inline void spool_set_output_plane(zimg_image_buffer *buffer, int index, void *data, ptrdiff_t stride) {
  buffer->plane[index].data = data;
  buffer->plane[index].stride = stride;
  buffer->plane[index].mask = ZIMG_BUFFER_MAX;
}

// One code path for all machines of a farm, since zimg's differ in their last bit (fused multiplication or not):
// AVX2 on x86-64, NEON on ARM, whatever wider units a machine has. A machine without them takes the portable path.
static inline zimg_cpu_type_e spool_zimg_cpu_type(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? ZIMG_CPU_X86_AVX2 : ZIMG_CPU_NONE;
#elif defined(__aarch64__)
  return ZIMG_CPU_ARM_NEON_VFPv4;
#else
  return ZIMG_CPU_NONE;
#endif
}

#endif
