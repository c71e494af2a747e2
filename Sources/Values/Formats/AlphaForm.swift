/// The way in which the colours of a picture with alpha are stored.
package enum AlphaForm: String, Hashable, Sendable, Codable, CaseIterable {
  /// Colours are stored as they are where the picture is opaque.
  case straight
  /// Colours are multiplied by alpha, which is the same as being laid over black.
  case premultiplied
  /// Colours are laid over white.
  case premultipliedWithWhite
}
