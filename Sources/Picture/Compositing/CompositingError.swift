package import Media

/// The reason for which a frame could not be composited.
package enum CompositingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// zimg refused: its code and its words. `call` is the name of the C function.
  case zimg(call: String, code: Int32, reason: String)
  /// There is no memory for a frame, or a wipe's map could not be read.
  case media(MediaError)

  package var description: String {
    switch self {
    case .zimg(_, _, let reason): "a picture cannot be scaled or converted, which is a bug of spool: \(reason)"
    case .media(let error): "\(error)"
    }
  }
}
