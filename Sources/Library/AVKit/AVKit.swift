@_exported public import AVFoundation
// On iOS AVKit has UIKit's names. The module UIKit is not there for code that only imports AVKit, so that canImport(UIKit) stays false.
@_exported public import UIKitCore
