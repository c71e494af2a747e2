/// The quantity that is mixed where pictures cover each other in part. The raw values are the document's names.
package enum Blending: String, Hashable, Sendable, Codable, CaseIterable {
  /// The output's code values are mixed, as in AVFoundation and editors.
  case encoded
  /// The light that the code values stand for is mixed.
  case linear
}
