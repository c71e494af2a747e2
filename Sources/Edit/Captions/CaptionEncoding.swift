/// The encodings that a document may declare for a caption file.
package enum CaptionEncoding {
  /// The names, as the WHATWG's "Encoding" has them.
  package static let names =
    [
      "utf-8", "utf-16le", "utf-16be", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr", "koi8-r",
      "koi8-u",
      "macintosh",
    ] + (1250...1258).map { "windows-\($0)" } + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16].map { "iso-8859-\($0)" }
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
