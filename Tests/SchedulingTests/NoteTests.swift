import Scheduling
import Testing

struct NoteTests {
  @Test(arguments: [
    ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("a=b", #""a=b""#),
    ("'/sys/fs/cgroup' is not given away", #""'/sys/fs/cgroup' is not given away""#),
    (#"say "no" \ now"#, #""say \"no\" \\ now""#), ("a\nb\tc\rd", #""a\nb\tc\rd""#),
    ("\u{1b}[2J\u{0}\u{85}\u{2028}", #""\u001b[2J\u0000\u0085\u2028""#), ("夏 の é", #""夏 の é""#),
  ])
  func `a value is quoted where it must be, with the escapes of logfmt alone`(value: String, text: String) {
    #expect(Note("told", ["what": value]).description == "event=told what=\(text)")
  }

  @Test func `of a long value a thousand characters are said`() {
    let text = Note("told", ["what": String(repeating: "x", count: 2000)]).description
    #expect(text == "event=told what=\"" + String(repeating: "x", count: 1000) + "\"")
  }
}
