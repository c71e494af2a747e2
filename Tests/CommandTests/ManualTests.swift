import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `Manual pages` {
  @Test func `are written for the program and each of its verbs, and say what the help says`() throws {
    let folder = TemporaryDirectory()
    let run = try SpoolProgram.run("manual", "\(folder.path)/man1")
    #expect(run.status == .exited(0), "\(run.errorOutput)")
    let files = Set(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/man1"))
    #expect(files.count > 30)
    #expect(files.isSuperset(of: ["spool.1", "spool-render.1", "spool-contact-sheet.1", "spool-follow.1"]))
    #expect(!files.contains("spool-attempt.1"), "verbs of the program's own have no page")
    let page = try String(contentsOfFile: "\(folder.path)/man1/spool-worker.1", encoding: .utf8)
    #expect(page.hasPrefix(".TH \"SPOOL-WORKER\" \"1\""))
    for part in [
      ".SH NAME\nspool-worker \\- ", ".SH SYNOPSIS\n", "\\-\\-log\\-format FORMAT", "One of: text, json. Default: text.",
      ".SH EXIT STATUS\n",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    // A line that begins with a dot and is no request of man would vanish.
    let requests = try Regex(#"^\.(TH|SH|TP|PP|RS|RE|BR|B|I|nf|fi|nh|ad)\b"#)
    let lost = page.split(separator: "\n").filter {
      ($0.hasPrefix(".") || $0.hasPrefix("'")) && $0.firstMatch(of: requests) == nil
    }
    #expect(lost == [])
  }
}
