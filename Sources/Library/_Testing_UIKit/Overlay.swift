// Swift Testing imports this module into files that import UIKit beside it. There is nothing to add.
