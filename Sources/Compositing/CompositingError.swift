package import Media

/// Why a frame could not be composited.
package enum CompositingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// zimg refused: its code and its words. `call` is the C function.
  case zimg(call: String, code: Int32, reason: String)
  /// A frame could not be had, for want of memory, or a wipe's map.
  case media(MediaError)

  package var description: String {
    switch self {
    case .zimg(_, _, let reason): "a picture cannot be scaled or converted, which is a bug of spool: \(reason)"
    case .media(let error): "\(error)"
    }
  }
}
