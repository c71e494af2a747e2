internal import Linux

/// The reason why a server does not listen.
package struct WebServerError: Error, CustomStringConvertible {
  /// The address or the file at fault.
  package let place: String
  package let reason: String

  package var description: String { "\(place): \(reason)" }

  init(_ place: String, _ reason: String) { (self.place, self.reason) = (place, reason) }

  init(_ place: String, code: Int32) { (self.place, reason) = (place, SystemWords.of(code)) }
}
