// Cairo, and Pango for texts on it, for the module CoreGraphics of the library.
#ifndef SPOOL_CCAIRO_H
#define SPOOL_CCAIRO_H

#include <pango/pangocairo.h>

#endif
