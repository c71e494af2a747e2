#include "CSchema.h"

static const unsigned char schema[] = {
#embed "../../../schema.sql"
};

const unsigned char *spool_schema(size_t *size) {
  *size = sizeof schema;
  return schema;
}
