// The names of submodules need no code. A target of C needs a file of it.
