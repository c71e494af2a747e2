// The console's files, which the program carries. They are C because Swift's compiler takes long for a file in a Swift array.
#ifndef SPOOL_CPAGES_H
#define SPOOL_CPAGES_H

#include <stddef.h>

/// The bytes of a file in the folder Console/Pages, such as "console.css"; null when there is none of that name. They live as long
/// as the program.
///
/// @param size is set to how many they are.
const unsigned char *spool_page(const char *name, size_t *size);

#endif
