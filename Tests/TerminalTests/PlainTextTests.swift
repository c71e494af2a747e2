import PlainText
import Terminal
import Testing

struct PlainTextTests {
  @Test(arguments: [
    ("clip.mov", "clip.mov"), ("雨 é 👩‍👩‍👧", "雨 é 👩‍👩‍👧"), ("\u{1b}]0;owned\u{7}", #"\u{1B}]0;owned\u{7}"#),
    ("a\nb\tc\rd", #"a\nb\tc\rd"#),
    ("\u{9b}2J\u{7f}", #"\u{9B}2J\u{7F}"#), ("a\u{202e}b\u{2066}c\u{200f}d\u{61c}", #"a\u{202E}b\u{2066}c\u{200F}d\u{61C}"#),
    ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#), ("\r\n", #"\r\n"#),
  ])
  func `what would not be seen is shown, and the rest stays`(text: String, shown: String) {
    #expect(text.plain == shown)
    #expect(text.isPlain == (text == shown))
    #expect(text.plain.isPlain)
  }

  @Test func `JSON stays equal JSON`() {
    #expect(#"{"a":"x\#u{9b}y\#u{202e}"}"#.plainJSON == #"{"a":"x\u009by\u202e"}"#)
  }
}

struct FoldedTextTests {
  @Test func `a line that fits stays as it is`() {
    #expect("  a  b".folded(toColumns: 6, indent: 4) == ["  a  b"])
  }

  @Test func `a line is broken at spaces, and keeps those at its begin and within it`() {
    #expect("  of 1:00: 31 % rendering".folded(toColumns: 16, indent: 4) == ["  of 1:00: 31 %", "    rendering"])
    #expect("state      failed for long".folded(toColumns: 17, indent: 3) == ["state      failed", "   for long"])
    #expect("雨雨 雨雨".folded(toColumns: 8, indent: 1) == ["雨雨", " 雨雨"])
  }

  @Test func `a word that is too wide has a line of its own`() {
    #expect("/srv/output/a.mp4 is there".folded(toColumns: 10, indent: 2) == ["/srv/output/a.mp4", "  is there"])
  }
}

struct TextTableTests {
  @Test func `a cell that holds a line end or an escape stays a cell, and widths count what is shown`() {
    var table = TextTable("WORKER", "HOST")
    table.add("a\u{1b}[2J", "h\nforged")
    table.add("雨", "x")
    table.add("e\u{301}", "y")
    #expect(table.text == "WORKER      HOST\na\\u{1B}[2J  h\\nforged\n雨          x\ne\u{301}           y\n")
  }

  @Test func `where there is no room the columns that may be cut are, in the order in which they were named`() {
    var table = TextTable("JOB", "SUBMITTER", "OUTPUT")
    table.mayCut(2, to: 9)
    table.mayCut(1, to: 5)
    table.mayCut(2, to: 6)
    table.add("b7kq", "ana@edit-1", "/srv/output/a.mp4")
    #expect(table.text(columns: 28) == "JOB   SUBMITTER   OUTPUT\nb7kq  ana@edit-1  /srv/outp…\n")
    #expect(table.text(columns: 24) == "JOB   SUBMIT…  OUTPUT\nb7kq  ana@ed…  /srv/out…\n")
    #expect(table.text(columns: 20) == "JOB   SUBM…  OUTPUT\nb7kq  ana@…  /srv/o…\n")
    #expect(table.text(columns: 5).split(separator: "\n").last == "b7kq  ana@…  /srv/…")
    #expect(table.text == "JOB   SUBMITTER   OUTPUT\nb7kq  ana@edit-1  /srv/output/a.mp4\n")
  }
}
