import Arguments
import EditFiles
import Examination
import Formats
import FoundationEssentials
import Glibc
import LocalFarm
import Operations
import Remote
import SpoolCompositing
import Terminal

/// This machine's own farm as the options of a verb describe it.
struct OwnFarm {
  var data: String?
  var mediaRoots: [String]
  var mediaURLs: [MediaURLPrefix]
  var containment: Containment
  var user: String?
  /// Whether workers take what an earlier render made.
  var reuse: Bool

  static let dataHelp = "The data directory. Default: /var/lib/spool for root, else ~/.local/share/spool."
  static let workersHelp = "The number of workers. Default: one for each core."
  static let reuseHelp = "Take what an earlier render made as it is, where nothing in it has changed."

  /// The variables of verbs that run such a farm.
  static let variables = [
    MediaURLs.variable, OrdinaryUser.variable, Page.Variable("SPOOL_DATA", "The data directory, unless --data names it."),
    Page.Variable("XDG_DATA_HOME", "The data directory is spool/ in this one, unless SPOOL_DATA is set. Root does not use it."),
    Page.Variable("XDG_RUNTIME_DIR", "Where sockets go when the data directory's path is too long for them."),
  ]

  var farm: PrivateFarm {
    PrivateFarm(
      dataPath: { () throws(Complaint) in try dataPath() }, roles: roles(in:),
      interruption: { () throws(Complaint) in try complaining { try Interruption() } },
      // When the notice cannot be written, the farm starts all the same.
      notice: { _ = try? StandardStream.error.line($0) })
  }

  var media: MediaAccess {
    MediaAccess(compositors: .ofProgram) { document throws(Complaint) in try presenting { try setting(for: document) } }
  }

  private func setting(for document: DocumentFile?) throws -> ExaminationSetting {
    let roots = document.map { MediaRoots.ofRender(mediaRoots, $0) } ?? mediaRoots
    let setting = try MediaRoots.setting(roots, mediaURLs, containment, user: user)
    if let account = setting.account { try OrdinaryUser.requireProgram(for: account) }
    return setting
  }

  private func dataPath() throws(Complaint) -> String {
    if let data { return data }
    guard let path = DataDirectory.standard(environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0) else {
      throw Complaint("--data", "required, since neither SPOOL_DATA, XDG_DATA_HOME nor HOME is set", .usage)
    }
    return path
  }

  private func roles(in directory: DataDirectory) -> LocalFarm.Roles {
    let isOther = directory.account != nil
    // When the farm runs as another user, its media are handed over. Only custom compositors may open other files.
    let opensNone = isOther && CompositorRegistry.ofProgram.names.isEmpty
    let roots = (opensNone ? [directory.media] : mediaRoots.isEmpty ? ["/"] : mediaRoots).flatMap { ["--media-root", $0] }
    let handing = isOther ? ["--media-handout", directory.media, "--output-root", directory.movies] : []
    // An ordinary user cannot read root's file of credentials.
    let hasAccount =
      isOther
      ? S3Account.isInVariables(ProcessInfo.processInfo.environment) : S3Account.isGiven(ProcessInfo.processInfo.environment)
    let places = hasAccount ? ["--output-url", "s3://"] : []
    let urls = (mediaURLs.isEmpty ? MediaURLs.internet : mediaURLs).flatMap { ["--media-url", $0.description] }
    let contained = ["--containment", containment.rawValue, "--reuse", (reuse ? Reuse.all : .none).rawValue]
    return LocalFarm.Roles(
      // All of the farm's workers are on this machine, so a second attempt would be as slow as the first. The user who waits for
      // the movie can also make room on the disk, so a full one is not waited for as long.
      coordinator: {
        [
          "coordinator", "--name", "local", "--database", $0, "--endpoint", $1, "--no-speculation", "--store-patience", "5",
        ]
      },
      worker: {
        ["worker", "--name", $0, "--connect", $1, "--store", $2, "--slots", "1"] + contained + roots + urls + handing + places
      })
  }
}
