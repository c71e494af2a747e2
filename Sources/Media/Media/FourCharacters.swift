/// Four characters that name a codec in a container, as FFmpeg numbers them: the first is the lowest byte.
enum FourCharacters {
  /// - Precondition: `text` has four ASCII characters.
  static func code(_ text: String) -> UInt32 {
    precondition(text.utf8.count == 4, "four characters name a codec")
    return text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
