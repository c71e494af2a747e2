// FreeType, Fontconfig, Pango and Cairo for Swift. Swift does not import some macros, so they are repeated here as constants.
#ifndef SPOOL_CPANGO_H
#define SPOOL_CPANGO_H

#include <fontconfig/fontconfig.h>
#include <fontconfig/fcfreetype.h>
#include <cairo-ft.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-fontmap.h>

static const PangoGlyph spool_PANGO_GLYPH_EMPTY = PANGO_GLYPH_EMPTY;
static const PangoGlyph spool_PANGO_GLYPH_INVALID_INPUT = PANGO_GLYPH_INVALID_INPUT;
static const PangoGlyph spool_PANGO_GLYPH_UNKNOWN_FLAG = PANGO_GLYPH_UNKNOWN_FLAG;

#endif
