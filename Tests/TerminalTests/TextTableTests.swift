import Terminal
import Testing

@Test func `a table aligns its columns and has no spaces at line ends`() {
  var table = TextTable("JOB", "STATE", "OUTPUT")
  table.add("b7kq", "running", "/a.mp4")
  table.add("x", "done", "")
  #expect(table.text == "JOB   STATE    OUTPUT\nb7kq  running  /a.mp4\nx     done\n")
}

@Test func `states have hues, which take no columns, and cut cells keep theirs`() {
  var table = TextTable("JOB", "STATE", "WHAT")
  table.mayColor(1)
  table.mayCut(1, to: 4)
  table.add("a", "failed", "x")
  table.add("done", "queued", "y")
  #expect(
    table.text(columns: nil, isColored: true)
      == "\u{1b}[1mJOB   STATE   WHAT\u{1b}[0m\na     \u{1b}[31mfailed\u{1b}[0m  x\ndone  queued  y\n")
  let narrow = table.text(columns: 15, isColored: true)
  #expect(narrow.contains("\u{1b}[31mfai…\u{1b}[0m") || narrow.contains("\u{1b}[31mfail…\u{1b}[0m"))
  #expect(narrow.replacing(/\x1b\[[0-9]+m/, with: "") == table.text(columns: 15))
  #expect(!table.text(columns: nil).contains("\u{1b}"))
}

@Test func `there are colours on terminals that have them, unless NO_COLOR is set`() {
  #expect(StandardStream.wantsColors(noColor: nil, terminal: "xterm-256color"))
  #expect(StandardStream.wantsColors(noColor: "", terminal: "xterm"))
  #expect(!StandardStream.wantsColors(noColor: "1", terminal: "xterm"))
  #expect(!StandardStream.wantsColors(noColor: nil, terminal: "dumb") && !StandardStream.wantsColors(noColor: nil, terminal: nil))
}
