internal import CUchardet

/// The encoding in which bytes seem to be written, where nothing says it.
///
/// libuchardet guesses it. A guess counts as certain only where enough bytes speak for it, both halves of the text give the same guess, and
/// the letters that it gives make words of one language. See `docs/captions.md` for how often it is right.
package struct EncodingFinding: Hashable, Sendable, Codable {
  /// The name, as the WHATWG's "Encoding" has it; nil where there is no guess.
  package var name: String?
  package var isCertain: Bool

  /// The most bytes that are looked at. More of them change no guess.
  package static let mostBytes = 64 << 10
  /// The bytes that are no ASCII which a guess needs: in all, in the only line that has some, and in a half that has a say.
  private static let (least, leastOfLine, leastOfHalf) = (6, 40, 24)

  package init(_ name: String?, isCertain: Bool) { (self.name, self.isCertain) = (name, isCertain) }

  /// Looks at the first bytes of a text. Call it in a process that strangers' bytes may crash.
  package init(of bytes: [UInt8]) {
    let sample = Self.sample(of: bytes)
    guard let name = Self.guess(sample, bytesOf: sample), let text = Self.text(of: sample, name) else {
      self.init(nil, isCertain: false)
      return
    }
    self.init(name, isCertain: Self.isCertain(name, text, sample))
  }

  /// UTF-16 without a byte order mark, by its zero bytes: a file of captions has digits and ends of lines, whose other byte is zero.
  package static func utf16(_ bytes: [UInt8]) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    var zeros = [0, 0]
    for (index, byte) in bytes.enumerated() where byte == 0 { zeros[index % 2] += 1 }
    let name = zeros[1] > zeros[0] ? "utf-16le" : "utf-16be"
    guard let most = zeros.max(), let fewest = zeros.min(), most >= 4, most >= 4 * fewest else { return nil }
    return name
  }

  /// Whether pure ASCII may be the escape sequences of ISO-2022-JP.
  package static func hasEscapes(_ bytes: [UInt8]) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == 0x1b && $1 == UInt8(ascii: "$") }
  }

  /// The first bytes, up to the end of a line.
  private static func sample(of bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > mostBytes else { return bytes }
    let first = bytes.prefix(mostBytes)
    return Array(first.lastIndex(of: 0x0a).map { first[...$0] } ?? first)
  }

  // MARK: - Guesses

  /// The guess about `bytes`, which are all of the text or a part of it.
  private static func guess(_ bytes: [UInt8], bytesOf whole: [UInt8]) -> String? {
    guard let detector = unsafe uchardet_new() else { return nil }
    defer { unsafe uchardet_delete(detector) }
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe uchardet_handle_data(detector, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard code == 0 else { return nil }
    unsafe uchardet_data_end(detector)
    guard let found = unsafe uchardet_get_charset(detector) else { return nil }
    return name(of: unsafe String(cString: found).lowercased(), whole)
  }

  /// The name of a guess. Of sets that differ in a few bytes it is the one that has those which are there.
  private static func name(of guess: String, _ bytes: [UInt8]) -> String? {
    let high = Set(bytes.filter { $0 >= 0x80 })
    let hasControls = high.contains { $0 < 0xa0 }
    switch guess {
    case "gb2312", "gbk", "gb18030": return "gb18030"
    case "uhc", "euc-kr": return "euc-kr"
    case "shift_jis", "euc-jp", "iso-2022-jp", "big5", "iso-8859-5", "iso-8859-6": return guess
    case "iso-8859-1", "iso-8859-15": return "windows-1252"
    case "iso-8859-9": return "windows-1254"
    case "iso-8859-8": return "windows-1255"
    case "iso-8859-2": return hasControls ? "windows-1250" : guess
    case "iso-8859-7":
      return hasControls || high.isDisjoint(with: [0xa1, 0xa2, 0xa4, 0xa5, 0xaa, 0xb5, 0xb6]) ? "windows-1253" : guess
    case "iso-8859-13": return hasControls || high.isDisjoint(with: [0xa1, 0xa5, 0xb4, 0xff]) ? "windows-1257" : guess
    // Ukrainian letters stand where KOI8-R has pieces of frames.
    case "koi8-r": return high.isDisjoint(with: [0xa4, 0xa6, 0xa7, 0xad, 0xb4, 0xb6, 0xb7, 0xbd]) ? guess : "koi8-u"
    default: return guess.hasPrefix("windows-125") ? guess : nil
    }
  }

  /// The text of the bytes; nil where they are none in this encoding, or have characters that no caption has.
  private static func text(of bytes: [UInt8], _ name: String) -> String? {
    guard let text = CharacterSet(name).text(of: bytes) else { return nil }
    let isStrange = text.unicodeScalars.contains { scalar in
      0x80..<0xa0 ~= scalar.value || 0xe000..<0xf900 ~= scalar.value
        || (0x2500..<0x25a0 ~= scalar.value && name.hasPrefix("koi8"))
    }
    return isStrange ? nil : text
  }

  // MARK: - Certainty

  private static func isCertain(_ name: String, _ text: String, _ bytes: [UInt8]) -> Bool {
    // Its escape sequences are no accident.
    if name == "iso-2022-jp" { return true }
    guard count(bytes) >= least, PlausibleText(text, name).isPlausible else { return false }
    guard !mayBeWestern(name, text, bytes) else { return false }
    let lines = bytes.split(separator: 0x0a).filter { count($0) > 0 }
    guard lines.count > 1 else { return count(bytes) >= leastOfLine }
    for side in 0...1 {
      let half = lines.indices.filter { $0 % 2 == side }.map { lines[$0] }.joined(separator: [0x0a])
      guard count(half) >= leastOfHalf else { continue }
      guard let other = guess(Array(half), bytesOf: bytes), other == name || self.text(of: bytes, other) == text else {
        return false
      }
    }
    return true
  }

  /// Whether a text of another set of single bytes may as well be one of western Europe's, in other letters. A Dutch one whose only letters
  /// beyond ASCII are é and ï is taken for a Czech one with é and ď.
  private static func mayBeWestern(_ name: String, _ text: String, _ bytes: [UInt8]) -> Bool {
    let western = "windows-1252"
    guard name != western, PlausibleText.judgesLetters(of: name), let other = self.text(of: bytes, western) else { return false }
    return other != text && PlausibleText(other, western).isPlausible
  }

  /// The number of bytes that are no ASCII.
  private static func count(_ bytes: some Sequence<UInt8>) -> Int { bytes.count { $0 >= 0x80 } }
}
