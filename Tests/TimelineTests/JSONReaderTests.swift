import Document
import Testing
import Timeline

/// Tests of syntax, through `Timeline.parse`. A syntax fault is reported as the only fault, with line, column and path.
@Suite struct `Reading JSON strictly` {
  private func fault(_ json: String) -> String { Documents.faults(json).joined(separator: "\n") }

  @Test(arguments: [
    ("", "line 1, column 1: expected a value, found the end"),
    ("{", "line 1, column 2: expected a key in double quotes, found the end"),
    ("{\n  \"spool\": 1,\n}", "line 3, column 1: expected a key in double quotes, found '}'"),
    ("{'spool': 1}", "line 1, column 2: expected a key in double quotes, found '''"),
    ("{\"spool\" 1}", "spool: line 1, column 10: expected ':', found '1'"),
    ("{\"layers\": [1 2]}", "layers: line 1, column 15: expected ',' or ']', found '2'"),
    ("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected ',' or '}', found '\"'"),
    ("{} {}", "line 1, column 4: unexpected '{' after the document"),
    ("{\"layers\": [{}, tru]}", "layers[1]: line 1, column 17: 'tru' is not a JSON value"),
    ("{\"a\": \"x", "a: line 1, column 9: the string does not end"),
    ("{\"a\": \"x\\", "a: line 1, column 10: the string does not end"),
    ("{\"a\": \"\t\"}", "a: line 1, column 8: a control character in a string must be escaped"),
    ("{\"a\": \"\\x\"}", "a: line 1, column 9: unknown escape \\x"),
    ("{\"a\": \"\\u12\"}", "a: line 1, column 10: \\u needs four hexadecimal digits"),
    ("{\"a\": \"\\ud800\"}", "a: line 1, column 14: \\u escapes half of a surrogate pair"),
    ("{\"a\": \"\\udc00\\ud800\"}", "a: line 1, column 14: \\u escapes half of a surrogate pair"),
  ])
  func `a syntax fault names its place`(json: String, expected: String) {
    #expect(fault(json) == expected)
  }

  @Test(arguments: ["01", "-", "1.", ".5", "1e", "1e+", "--1", "+1"])
  func `numbers have JSON's form`(text: String) {
    #expect(fault("{\"layers\": \(text)}").hasPrefix("layers: line 1, column "))
  }

  @Test(arguments: ["NaN", "-NaN", "Infinity", "-Infinity", "nan", "inf"])
  func `what is no number is refused with its path`(text: String) {
    let document = Documents.opening.replacing("\"opacity\": 0.9", with: "\"opacity\": \(text)")
    #expect(fault(document).hasPrefix("layers[0].opacity: line 12, column "))
    #expect(fault(document).contains("'\(text)' is not a JSON"))
  }

  @Test func `a key that occurs twice is refused`() {
    #expect(fault("{\"spool\": 1,\n \"spool\": 2}") == "spool: line 2, column 2: the key occurs twice")
    #expect(fault(#"{"a": 1, "\u0061": 2}"#) == "a: line 1, column 10: the key occurs twice")
  }

  @Test func `a byte order mark is refused`() {
    #expect(fault("\u{FEFF}{}") == "line 1, column 1: a byte order mark is not JSON")
  }

  @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE6, 0xAD]] as [[UInt8]])
  func `a string that is not UTF-8 is refused`(bytes: [UInt8]) {
    let json = Array("{\"a\": \"".utf8) + bytes + Array("\"}".utf8)
    #expect(throws: DocumentFaults.self) { try Timeline.parse(json) }
    do {
      _ = try Timeline.parse(json)
    } catch { #expect("\(error)" == "a: line 1, column 7: the string is not UTF-8") }
  }

  @Test func `depth is bounded, and the bound does not crash`() {
    let deep = String(repeating: "[", count: 200_000)
    #expect(fault("{\"layers\": \(deep)").hasSuffix("nested deeper than 80 levels"))
  }

  @Test func `a number of a million digits is refused`() {
    #expect(fault("{\"layers\": \(String(repeating: "9", count: 1_000_000))}").contains("is not a JSON number"))
  }

  @Test func `a document of 100 MB is refused before it is parsed`() {
    #expect(throws: DocumentFaults.self) { try Timeline.parse([UInt8](repeating: 0x20, count: 100 << 20)) }
    do {
      _ = try Timeline.parse([UInt8](repeating: UInt8(ascii: "["), count: DocumentLimits.byteCount + 1))
    } catch { #expect("\(error)" == "the document is larger than 16 MiB") }
  }

  @Test func `every prefix of a document is refused`() {
    let bytes = Array(Documents.opening.utf8)
    for end in bytes.indices.dropLast(where: { bytes[$0] == UInt8(ascii: "\n") || bytes[$0] == UInt8(ascii: " ") }) {
      #expect(throws: DocumentFaults.self) { try Timeline.parse(Array(bytes[..<end])) }
    }
  }

  @Test func `escapes read as the characters they stand for, and are written only where they must be`() throws {
    let document = Documents.opening.replacing("歌詞", with: #"\u6b4c\u8a5e \"\\\/\b\f\n\r\t\u001f\ud83c\udfb5é"#)
    let edit = try Timeline.parse(Array(document.utf8))
    guard case .text(let text) = edit.layers[1].content else {
      Issue.record("the second layer is text")
      return
    }
    #expect(text.string == "歌詞 \"\\/\u{8}\u{c}\n\r\t\u{1f}🎵é")
    #expect(String(decoding: edit.canonicalJSON(), as: UTF8.self).contains(#"歌詞 \"\\/\u0008\u000c\n\r\t\u001f🎵é""#))
  }
}

extension Range<Int> {
  /// The range without those last elements that satisfy `predicate`.
  fileprivate func dropLast(where predicate: (Int) -> Bool) -> Range<Int> {
    var end = upperBound
    while end > lowerBound, predicate(end - 1) { end -= 1 }
    return lowerBound..<end
  }
}
