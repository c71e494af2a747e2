package import Messages
internal import Subprocess

/// What a worker is, whom it serves and how it runs attempts.
package struct WorkerOptions: Sendable {
  package struct Keys: Sendable {
    /// Path of the worker's secret key (`CurveKeyPair`).
    package var secretKeyFile: String
    /// The coordinator's public key, 40 characters of Z85.
    package var coordinatorKey: String

    package init(secretKeyFile: String, coordinatorKey: String) {
      (self.secretKeyFile, self.coordinatorKey) = (secretKeyFile, coordinatorKey)
    }
  }

  /// A program that the worker starts; `--parent PID` is appended to its arguments.
  package struct Program: Sendable {
    package var executable: String
    package var arguments: [String]
    /// Variables of the worker's environment that it gets besides those that every program gets.
    package var passedOn: [String]

    package init(executable: String = "/proc/self/exe", arguments: [String], passedOn: [String] = []) {
      (self.executable, self.arguments, self.passedOn) = (executable, arguments, passedOn)
    }
  }

  /// Unique in the farm, the same at every start; at most 128 bytes.
  package var name: String
  /// The coordinators' endpoints, such as "tcp://farm.example:7400": it works for the one that leads.
  package var endpoints: [String]
  package var keys: Keys?
  /// Attempts at once.
  package var slots: Int
  package var capabilities: Capabilities
  /// Absolute paths of the folders that it may write movies below; nil: anywhere.
  package var outputRoots: [String]?
  /// Performs an attempt: it gets an `AttemptOrder` on its standard input as one JSON line and writes `AttemptReport` lines to
  /// its standard output (docs/protocol.md).
  package var program: Program
  /// Performs, in its place, an attempt that reads sources behind URLs.
  package var remoteMediaProgram: Program?
  /// Sweeps the segment store: it gets a `SweepOrder` on its standard input as one JSON line, and writes the jobs that have files
  /// in the store to its standard output, a line each.
  package var sweeper: Program
  /// Looks for fonts of this machine: it gets a `FontOrder` on its standard input as one JSON line, and writes the tags of those that it
  /// finds to its standard output, a line each.
  package var fontFinder = Program(arguments: ["seek"])
  /// An attempt that reports no advance for so many seconds is killed. Nil: after what its order allows (`AttemptOrder.patience`)
  /// and 30 seconds, so that the coordinator, where it is there, ends it first; after 120 where the order says nothing.
  package var stallSeconds: Int?
  /// Memory of an attempt, and where it has no group its address space; nil is unlimited.
  package var attemptMemoryBytes: Int?
  /// Where attempts have groups of their own; nil where the worker has none to give, for the reason beside it.
  package var attemptGroups: AttemptGroups?
  package var whyNoGroups = "not asked for"
  /// Files that an attempt may have open.
  package var attemptOpenFiles: Int
  /// Whether an attempt is handed all its media at once, which it has open besides.
  package var handsMedia = false
  /// Bytes of any file that an attempt writes.
  package var attemptFileBytes: Int
  /// What attempts are kept from, in words, for those who look at the worker (docs/security.md).
  package var containment: [String]
  /// What they are not kept from, in words, and why: nothing where containment is whole.
  package var missingContainment: [String] = []
  package var whyNotContained = ""

  package init(
    name: String, endpoints: [String], keys: Keys? = nil, slots: Int, capabilities: Capabilities = Capabilities(),
    program: Program, remoteMediaProgram: Program? = nil, sweeper: Program, stallSeconds: Int? = nil,
    attemptMemoryBytes: Int? = nil, attemptOpenFiles: Int = 1024, attemptFileBytes: Int = 1 << 40, containment: [String] = []
  ) {
    (self.name, self.endpoints, self.keys, self.slots) = (name, endpoints, keys, slots)
    (self.program, self.remoteMediaProgram, self.sweeper) = (program, remoteMediaProgram, sweeper)
    self.capabilities = capabilities
    (self.stallSeconds, self.attemptMemoryBytes) = (stallSeconds, attemptMemoryBytes)
    (self.attemptOpenFiles, self.attemptFileBytes, self.containment) = (attemptOpenFiles, attemptFileBytes, containment)
  }
}

extension WorkerOptions.Program {
  /// A backtrace is another process's work, which an attempt cannot start.
  var environment: [String: String] {
    Command.harmlessEnvironment(passingOn: passedOn).merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
  }
}
