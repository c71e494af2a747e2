#include <ass/ass.h>
#include <stdarg.h>

static void spool_ass_drop(int level, const char *format, va_list arguments, void *data) {
  (void)level, (void)format, (void)arguments, (void)data;
}

// libass writes words about scripts to standard error. Swift cannot make a function that takes a va_list.
static inline void spool_ass_be_silent(ASS_Library *library) { ass_set_message_cb(library, spool_ass_drop, 0); }
