/// The way in which letters stand in vertical lines (CSS's `text-orientation`).
package enum TextOrientation: String, Hashable, Sendable, Encodable, CaseIterable {
  /// Letters of East Asia upright, all others on their side.
  case mixed
  /// All letters upright, below each other.
  case upright
  /// All letters on their side.
  case sideways
}
