// zimg for Swift.
#ifndef SPOOL_CZIMG_H
#define SPOOL_CZIMG_H

#include <zimg.h>

static const unsigned spool_ZIMG_API_VERSION = ZIMG_API_VERSION;

// The planes of a buffer are an array of unnamed structs, which Swift cannot use.
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

// One code path for all machines of a farm, because the paths of zimg differ in their last bit (with fused multiplication or
// without). It is AVX2 on x86-64 and NEON on ARM, even where a machine has wider units. An x86-64 machine without AVX2 takes the
// portable path.
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
