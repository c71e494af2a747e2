#include <zimg.h>
