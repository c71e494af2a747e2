#define _GNU_SOURCE
#include "CTextTurn.h"

#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

// A recursive lock of glibc's fails only where a thread has it some billion times.
void spool_take_text_turn(void) { pthread_mutex_lock(&turn); }

void spool_give_text_turn(void) { pthread_mutex_unlock(&turn); }
