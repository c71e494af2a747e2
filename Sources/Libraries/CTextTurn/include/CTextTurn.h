// The turn of whoever sets or draws text with Pango and Cairo. Cairo 1.16 keeps at most ten font files open, and closes one of them for
// another while a second thread may be taking it up, so text is for one thread at a time in the whole process.
#ifndef SPOOL_CTEXTTURN_H
#define SPOOL_CTEXTTURN_H

/// Waits for the turn. The thread that has it may take it again, and gives it back as often as it took it.
void spool_take_text_turn(void);

/// Gives the turn back. The calling thread has it.
void spool_give_text_turn(void);

#endif
