import Arguments
import Glibc
import Operations
import Terminal
import ZeroMQ

struct KeysVerb: Verb {
  static let page = Page(
    "keys", "make a CURVE key pair",
    description: [
      """
      Makes the key by which a coordinator or a worker is known. The secret key goes into FILE, which must be new and is \
      readable by its owner alone; the public key is printed, followed by the name if one is given: a line for the \
      coordinator's list of authorized keys.
      """,
      "With --public, FILE is an existing secret key, whose public key is printed.",
    ],
    examples: [
      .init("spool keys coordinator.key > coordinator.pub", "The coordinator's pair; workers get coordinator.pub."),
      .init("spool keys --name worker-1 worker-1.key >> authorized-keys", "A worker's pair, and its right to connect."),
    ],
    exitCodes: [
      .init(ExitCode.ok, "printed"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "FILE cannot be read or is no secret key (--public)"),
      .init(ExitCode.cannotCreate, "FILE exists or cannot be written"),
    ])

  @Option(
    "name", .name, "The worker that the key is for; 'rack3-*' stands for all names that begin with 'rack3-'. Default: any worker."
  )
  var name: String?
  @Flag("public", "Print the public key of FILE.") var isPublic: Bool
  @Positional("FILE", .file, "The secret key.") var file: String

  func run() throws {
    let pair = isPublic ? try CurveKeyPair(secretKeyFile: file) : try make()
    try StandardStream.output.line("\(pair.public)\(name.map { " \($0)" } ?? "")")
  }

  private func make() throws -> CurveKeyPair {
    let pair = try CurveKeyPair.generate()
    do {
      try pair.write(secretKeyFile: file)
    } catch {
      throw Complaint(file, error.reason, .cannotCreate)
    }
    return pair
  }
}
