import Arguments
import FoundationEssentials
import Glibc
import LocalFarm
import Operations
import Terminal
import ZeroMQ

struct DoctorVerb: Verb {
  static let page = Page(
    "doctor", "check this machine, and a farm",
    description: [
      """
      Checks what Spool needs of this machine: memory, open files, the containment of what reads media, libraries and \
      their versions, encoders, fonts, the programs of PostgreSQL, the data folder. With --database it checks that the database is reached and has this program's \
      schema, that a coordinator leads, and that workers are connected. With --store, --media-root and --curve-secret-key it \
      checks what a worker or a coordinator would use.
      """,
      """
      Each line is one finding: 'ok', 'note' where the farm works but something is missing, or 'FAULT'. Below the last two stands \
      what to do.
      """,
    ],
    examples: [
      .init("spool doctor", "Is this machine ready to render?"),
      .init(
        "spool doctor --database postgresql:///spool --store /srv/spool/store --media-root /srv/spool/media",
        "Is this host ready to be a worker of the farm?"),
    ],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "no fault"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "there are faults: the farm does not work like this"),
    ])

  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("data", .directory, "The data folder of a private farm. Default: as for 'spool render'.") var data: String?
  @Option("store", .directory, "The folder that the farm's machines share.") var store: String?
  @Option("media-root", .directory, "A folder below which a worker reads media.") var mediaRoots: [String]
  @Option("curve-secret-key", .file, "The secret key of a coordinator or a worker.") var key: String?
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    var request = CheckupRequest(data: data ?? DataDirectory.standard(environment: environment, isRoot: geteuid() == 0))
    (request.store, request.mediaRoots) = (store, mediaRoots)
    var findings = Checkup.machine(request, environment: environment)
    if let key { findings.append(Self.finding(ofKey: key)) }
    if database != nil || environment[Database.variable.name] != nil { findings += Database.farm(database).checkup() }
    if json {
      try StandardStream.output.json(["findings": findings])
    } else {
      for finding in findings { try Self.show(finding) }
    }
    if findings.contains(where: { $0.state == .fault }) { throw Complaint(faults: [], .unavailable) }
  }

  private static func finding(ofKey path: String) -> Finding {
    do throws(ZeroMQError) {
      return Finding("key", "\(path), whose public key is \(try CurveKeyPair(secretKeyFile: path).public)")
    } catch {
      return Finding(
        "key", .fault, "\(path): \(error.reason)", advice: "'spool keys \(path)' makes one that only its owner can read")
    }
  }

  private static func show(_ finding: Finding) throws {
    let mark =
      switch finding.state {
      case .fine: "ok   "
      case .notice: "note "
      case .fault: "FAULT"
      }
    let subject = finding.subject + String(repeating: " ", count: max(0, 13 - finding.subject.count))
    try StandardStream.output.line("\(mark)  \(subject) \(finding.text)")
    if let advice = finding.advice { try StandardStream.output.line("       \(String(repeating: " ", count: 13)) -> \(advice)") }
  }
}
