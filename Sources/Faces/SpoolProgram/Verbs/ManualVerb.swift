import Arguments
import FoundationEssentials
import Operations

struct ManualVerb: Verb {
  static let page = Page(
    "manual", "write the manual pages",
    description: [
      """
      Writes a manual page for spool and for each of its commands into a folder: spool.1, spool-render.1 and so on. They say what \
      --help says.
      """
    ],
    examples: [.init("spool manual /usr/local/share/man/man1 && man spool-render", "Where man looks for them.")],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.cannotCreate, "a page cannot be written"),
    ])

  @Positional("FOLDER", .directory, "The folder. It is made if it is not there.") var folder: String

  func run() throws {
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw Complaint(folder, "cannot be made: \(error)", .cannotCreate)
    }
    for page in ManualPage.all(of: .spool) {
      let path = "\(folder)/\(page.file)"
      do { try page.text.write(toFile: path, atomically: true, encoding: .utf8) } catch {
        throw Complaint(path, "cannot be written: \(error)", .cannotCreate)
      }
    }
  }
}
