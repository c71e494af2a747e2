// The SQL that the program carries. It is C because Swift's compiler takes half a minute for a file in a Swift array.
#ifndef SPOOL_CSCHEMA_H
#define SPOOL_CSCHEMA_H

#include <stddef.h>

/// The bytes of schema.sql at the top of the repository. They live as long as the program.
///
/// @param size is set to how many they are.
const unsigned char *spool_schema(size_t *size);

#endif
