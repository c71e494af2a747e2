#define _GNU_SOURCE
#include "CLinux.h"
#include <elf.h>
#include <link.h>
#include <string.h>

struct walk {
  void (*each)(const char *path, const unsigned char *id, size_t count, void *context);
  void *context;
};

// The build id stands among an object's notes (elf(5)): a note of the name "GNU" and the type NT_GNU_BUILD_ID.
static const unsigned char *build_id(const struct dl_phdr_info *object, size_t *count) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    // Notes that are aligned to eight bytes are properties of the processor, in another layout.
    if (header->p_type != PT_NOTE || header->p_align > 4) continue;
    const unsigned char *place = (const unsigned char *)(object->dlpi_addr + header->p_vaddr);
    const unsigned char *end = place + header->p_memsz;
    while (place + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      memcpy(&note, place, sizeof note);
      const unsigned char *name = place + sizeof note;
      const unsigned char *content = name + ((note.n_namesz + 3) & ~3u);
      if (content + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        *count = note.n_descsz;
        return content;
      }
      place = content + ((note.n_descsz + 3) & ~3u);
    }
  }
  return NULL;
}

static int visit(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct walk *walk = context;
  // The kernel's own page of code has no file, and decides nothing.
  if (strncmp(object->dlpi_name, "linux-vdso", 10) == 0) return 0;
  size_t count = 0;
  const unsigned char *id = build_id(object, &count);
  walk->each(object->dlpi_name[0] ? object->dlpi_name : "/proc/self/exe", id, count, walk->context);
  return 0;
}

void spool_loaded_code(
    void (*each)(const char *path, const unsigned char *id, size_t count, void *context), void *context) {
  struct walk walk = {each, context};
  dl_iterate_phdr(visit, &walk);
}
