import Terminal
import Testing

@Test func `a table aligns its columns and has no spaces at line ends`() {
  var table = TextTable("JOB", "STATE", "OUTPUT")
  table.add("b7kq", "running", "/a.mp4")
  table.add("x", "done", "")
  #expect(table.text == "JOB   STATE    OUTPUT\nb7kq  running  /a.mp4\nx     done\n")
}
