// Swift Testing imports this module into files that import CoreImage beside it. There is nothing to add.
