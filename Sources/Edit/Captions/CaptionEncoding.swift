/// The encodings that a document may declare for a caption file.
package enum CaptionEncoding {
  /// The names, as the WHATWG's "Encoding" has them.
  package static let names =
    [
      "utf-8", "utf-16le", "utf-16be", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr", "koi8-r",
      "koi8-u",
      "macintosh",
    ] + (1250...1258).map { "windows-\($0)" } + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16].map { "iso-8859-\($0)" }

  /// The encoding that an XML declaration states (XML 1.0, 4.3.3), as it stands there; nil for bytes without one.
  package static func declared(inXML bytes: [UInt8]) -> String? {
    // A declaration is ASCII, and stands at the beginning.
    let head = String(decoding: bytes.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    guard head.hasPrefix("<?xml"), let key = head.firstRange(of: "encoding") else { return nil }
    let value = head[key.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    return String(value.dropFirst().prefix { $0 != quote && $0 != "?" })
  }

  /// The name that a document says for an encoding by one of its names in the IANA's registry; nil for others.
  package static func name(of label: String) -> String? {
    let name = label.lowercased()
    return names.contains(name) ? name : others[name]
  }

  private static let others = [
    "utf8": "utf-8", "sjis": "shift_jis", "shift-jis": "shift_jis", "x-sjis": "shift_jis", "windows-31j": "shift_jis",
    "cp932": "shift_jis", "gb2312": "gbk", "cp936": "gbk", "cp949": "euc-kr", "ks_c_5601-1987": "euc-kr", "big5-hkscs": "big5",
    "latin1": "iso-8859-1", "us-ascii": "windows-1252",
  ].merging((1250...1258).map { ("cp\($0)", "windows-\($0)") }) { first, _ in first }
}

extension CaptionCue {
  /// The places of the words in the text, as ranges of its bytes in UTF-8; nil when they do not stand there in their order.
  package var wordRanges: [Range<Int>]? {
    let bytes = Array(text.utf8)
    var (ranges, start): ([Range<Int>], Int) = ([], 0)
    for word in words {
      let wanted = Array(word.text.utf8)
      guard !wanted.isEmpty else { return nil }
      while start + wanted.count <= bytes.count, !bytes[start...].starts(with: wanted) { start += 1 }
      guard start + wanted.count <= bytes.count else { return nil }
      ranges.append(start..<start + wanted.count)
      start += wanted.count
    }
    return ranges
  }
}
