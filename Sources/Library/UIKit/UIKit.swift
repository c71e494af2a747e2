@_exported public import UIKitCore

/// The type of `#imageLiteral`.
public typealias _ImageLiteralType = UIImage
