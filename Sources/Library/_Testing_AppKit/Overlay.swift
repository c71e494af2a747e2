// Swift Testing imports this module into files that import AppKit beside it. There is nothing to add.
