/// The reason why JSON could not be read or written, in words for its author: the place, and what was expected there. The
/// decoder's own words name Swift types and coding keys, which mean nothing to him.
package enum JSONWords {
  /// - Parameter error: the error that a decoder or an encoder threw.
  package static func of(_ error: any Error) -> String {
    let (path, reason) = found(error)
    return path.isEmpty ? reason : "\(path): \(reason)"
  }

  /// The path, such as `segments[2].start`, and what is wrong there.
  package static func found(_ error: any Error) -> (path: String, reason: String) {
    switch error {
    case DecodingError.keyNotFound(let key, let context): (path(context.codingPath + [key]), "missing")
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      (path(context.codingPath), "is not \(kind(of: type))")
    // An error without an underlying one comes from a type of this program, whose words are used. Swift's own words end with a
    // full stop.
    case DecodingError.dataCorrupted(let context) where context.underlyingError == nil && !context.codingPath.isEmpty:
      (
        path(context.codingPath),
        context.debugDescription.hasSuffix(".") ? "is not what is expected there" : context.debugDescription
      )
    case DecodingError.dataCorrupted(let context)
    where context.underlyingError == nil && !context.debugDescription.hasSuffix("."):
      ("", context.debugDescription)
    case is DecodingError: ("", "is no JSON")
    case is EncodingError: ("", "cannot be written as JSON")
    default: ("", "\(error)")
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce("") { path, key in
      if let place = key.intValue { return "\(path)[\(place)]" }
      return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
    }
  }

  private static func kind(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case _ where type == [Any].self: "a list"
    case _ where type == [String: Any].self: "an object"
    default: "what is expected there"
    }
  }
}
