internal import Glibc

/// A character set that is converted by iconv(3).
package struct CharacterSet: Hashable, Sendable {
  private let name: String

  /// - Parameter encoding: its name, as the WHATWG's "Encoding" has it.
  package init(_ encoding: String) {
    // Files that are called Shift_JIS have Windows's characters, and so have those in EUC-KR.
    name = encoding == "shift_jis" ? "CP932" : encoding == "euc-kr" ? "CP949" : encoding
  }

  /// The text of the bytes, without a byte order mark; nil when they are not in this character set.
  package func text(of bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty else { return "" }
    let converter = unsafe iconv_open("UTF-8", name)
    guard unsafe converter != iconv_t(bitPattern: -1) else { return nil }
    defer { unsafe iconv_close(converter) }
    var input = bytes.map { CChar(bitPattern: $0) }
    // No character takes more than four bytes, and none comes from less than one.
    var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
    let (inputCount, outputCount) = (input.count, output.count)
    let rest: Int? = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var (from, to) = (input.baseAddress, output.baseAddress)
        var (left, free) = (inputCount, outputCount)
        guard unsafe iconv(converter, &from, &left, &to, &free) != -1, left == 0,
          unsafe iconv(converter, nil, nil, &to, &free) != -1
        else { return nil }
        return free
      }
    }
    guard let rest else { return nil }
    let text = String(decoding: output[..<(outputCount - rest)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.hasPrefix("\u{feff}") ? String(text.dropFirst()) : text
  }
}
