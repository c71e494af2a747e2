/// What is mixed where pictures cover each other in part; the raw values are the document's names.
package enum Blending: String, Hashable, Sendable, Codable, CaseIterable {
  /// The output's code values, as AVFoundation and editors mix them.
  case encoded
  /// The light that they stand for.
  case linear
}
