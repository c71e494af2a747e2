#include "CPages.h"

#include <string.h>

static const unsigned char api[] = {
#embed "../Console/Pages/openapi.json"
};
static const unsigned char page[] = {
#embed "../Console/Pages/index.html"
};
static const unsigned char style[] = {
#embed "../Console/Pages/console.css"
};
static const unsigned char console[] = {
#embed "../Console/Pages/console.js"
};
static const unsigned char pages[] = {
#embed "../Console/Pages/pages.js"
};
static const unsigned char map[] = {
#embed "../Console/Pages/map.js"
};
static const unsigned char records[] = {
#embed "../Console/Pages/records.js"
};
static const unsigned char pictures[] = {
#embed "../Console/Pages/pictures.js"
};
static const unsigned char player[] = {
#embed "../Console/Pages/player.js"
};
static const unsigned char changes[] = {
#embed "../Console/Pages/changes.js"
};
static const unsigned char webhooks[] = {
#embed "../Console/Pages/webhooks.js"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
} files[] = {
    {"openapi.json", api, sizeof api},      {"index.html", page, sizeof page},   {"console.css", style, sizeof style},
    {"console.js", console, sizeof console}, {"pages.js", pages, sizeof pages}, {"map.js", map, sizeof map},
    {"records.js", records, sizeof records},
    {"changes.js", changes, sizeof changes}, {"webhooks.js", webhooks, sizeof webhooks},
    {"pictures.js", pictures, sizeof pictures}, {"player.js", player, sizeof player},
};

const unsigned char *spool_page(const char *name, size_t *size) {
  for (size_t at = 0; at < sizeof files / sizeof *files; at++) {
    if (strcmp(files[at].name, name) == 0) {
      *size = files[at].size;
      return files[at].bytes;
    }
  }
  return 0;
}
