// A library to be loaded into a program before its others (LD_PRELOAD). It makes a fork server of the program: see ForkServer.c.
// It declares nothing, because nobody calls it by name.
