// Swift Testing imports a module of this name into every file that imports it beside a module CoreGraphics. On Apple's systems
// that one attaches pictures to tests. Here it holds nothing, but must be there.
