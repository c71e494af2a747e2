#include "CObjectMaking.h"

#include <stddef.h>
#include <stdint.h>

// NSObject.init(), as an allocating function. Swift's convention passes the class in the context register.
extern void allocate_object(void) __asm__("$s10Foundation8NSObjectCACycfC");
typedef void *(*allocating)(__attribute__((swift_context)) const void *) __attribute__((swiftcall));

// A class's metadata in Swift's ABI: the kind, the superclass, and then these fields.
struct class_metadata {
  const void *kind, *superclass;
  uint32_t flags, instance_address_point, instance_size;
  uint16_t instance_alignment, reserved;
  uint32_t class_size, class_address_point;
};

void *spool_make_object(const void *subclass, const void *object) {
  const struct class_metadata *metadata = object;
  if (metadata->class_size < metadata->class_address_point) return NULL;
  size_t words = (metadata->class_size - metadata->class_address_point) / sizeof(void *);
  for (size_t index = sizeof *metadata / sizeof(void *); index < words; index++) {
    if (((void *const *)object)[index] != (void *)allocate_object) continue;
    return ((allocating)((void *const *)subclass)[index])(subclass);
  }
  return NULL;
}
