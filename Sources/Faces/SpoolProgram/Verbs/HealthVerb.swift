import Arguments
import Operations
import Terminal
import Transfer
import WebServer

struct HealthVerb: Verb {
  enum Question: String, CaseIterable, Sendable {
    case alive, ready, leads

    var path: String {
      switch self {
      case .alive: "/healthz"
      case .ready: "/readyz"
      case .leads: "/leads"
      }
    }
  }

  static let page = Page(
    "health", "ask a coordinator or a worker how it is",
    description: [
      """
      Asks a coordinator or a worker that runs with --health, or a console, and prints its answer. It is meant for supervisors that run a \
      program to check another one, as containers do; others may ask by HTTP: /healthz, /readyz and /leads answer 200 for yes and 503 for no.
      """,
      """
      A coordinator is ready while the database answers it, also if another one leads. A worker is ready while a coordinator serves it, it \
      takes work, and its store can be written.
      """,
    ],
    examples: [
      .init("spool coordinator --endpoint ipc:///run/spool/farm --health 7411 &", "One that can be asked on this machine."),
      .init("spool health 7411", "Whether it is ready."), .init("spool health 7411 --is leads", "Whether it leads."),
    ],
    exitCodes: [
      .init(ExitCode.ok, "yes"), .init(ExitCode.differs, "no"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "nobody answers there"),
    ])

  /// The help of the option of those that are asked.
  static let help = """
    Tell by HTTP whether it lives and is ready ('spool health'), at a port of this machine, or at a numeric address and port for others.
    """

  @Positional("PORT", .healthAddress, "The port on this machine, or ADDRESS:PORT.") var address: ListenAddress
  @Option("is", .choice("WHAT"), default: .ready, shown: "ready", "What to ask.") var question: Question

  func run() throws {
    var bytes: [UInt8] = []
    let url = "http://\(address)\(question.path)"
    do throws(TransferError) {
      _ = try HTTPClient(stallSeconds: 10).perform(HTTPRequest(.get, url)) { piece in
        bytes += piece
        return bytes.count < 1 << 16
      }
    } catch {
      guard error.status == 503 else { throw Complaint("\(address)", error.reason, .unavailable) }
      try StandardStream.output.line(error.body)
      throw Complaint(faults: [], .differs)
    }
    try StandardStream.output.line(String(decoding: bytes.last == 10 ? bytes.dropLast() : bytes[...], as: UTF8.self))
  }
}

extension Format where Value == ListenAddress {
  /// The place where a coordinator or a worker tells its health. A port alone is on this machine.
  static let healthAddress = Format(
    "[ADDRESS:]PORT", expectation: "a port, or a numeric address and a port, such as 0.0.0.0:7411"
  ) {
    ListenAddress(UInt16($0) == nil ? $0 : "127.0.0.1:\($0)")
  }
}
