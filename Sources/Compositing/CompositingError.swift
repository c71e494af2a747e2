package import Media

/// Why a frame could not be composited.
package enum CompositingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// zimg refused: its code and its words. `call` is the C function.
  case zimg(call: String, code: Int32, reason: String)
  /// A frame could not be had: out of memory.
  case media(MediaError)
  /// The scene shows a source that was not given.
  case missingSource(String)
  /// The scene shows the layer at this position of `timeline.layers`, which was not given.
  case missingOverlay(Int)

  package var description: String {
    switch self {
    case .zimg(_, _, let reason): "a picture cannot be scaled or converted, which is a bug of spool: \(reason)"
    case .media(let error): "\(error)"
    case .missingSource(let name): "no frame of \(name) was given"
    case .missingOverlay(let position): "layers[\(position)]: no picture of the layer was given"
    }
  }
}
