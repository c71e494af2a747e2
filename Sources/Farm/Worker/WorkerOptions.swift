package import Messages
internal import Subprocess

/// The settings of a worker: its name, whom it serves, and how it runs attempts.
package struct WorkerOptions: Sendable {
  package struct Keys: Sendable {
    /// The path of the worker's secret key (`CurveKeyPair`).
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
    /// The variables of the worker's environment that the program gets, besides those that every program gets.
    package var passedOn: [String]

    package init(executable: String = "/proc/self/exe", arguments: [String], passedOn: [String] = []) {
      (self.executable, self.arguments, self.passedOn) = (executable, arguments, passedOn)
    }
  }

  /// The worker's name: unique in the farm, the same at every start, with at most `WorkerHello.longestName` bytes.
  package var name: String
  /// The coordinators' endpoints, such as "tcp://farm.example:7400". The worker serves the coordinator that leads.
  package var endpoints: [String]
  package var keys: Keys?
  /// The number of attempts at once, lanes not counted.
  package var slots: Int
  package var capabilities: Capabilities
  /// The absolute paths of the folders, and the places in S3, below which it may write movies; nil means in all folders.
  package var outputRoots: [String]?
  /// The program that performs an attempt. It reads an `AttemptOrder` as one line of JSON from its standard input and writes
  /// lines of `AttemptReport` to its standard output (docs/protocol.md).
  package var program: Program
  /// The number of processes of `program` that are started ahead and wait for an order, which they get as an open file over the descriptor that
  /// `--order` names (docs/protocol.md).
  package var waitingAttempts = 0
  /// The program that performs, instead of `program`, an attempt that needs the network; nil means `program`.
  package var courier: Program?
  /// The program that sweeps the segment store. It reads a `SweepOrder` as one line of JSON from its standard input. It writes
  /// the jobs that have files in the store to its standard output, one on each line.
  package var sweeper: Program
  /// The program that looks for fonts of this machine. It reads a `FontOrder` as one line of JSON from its standard input. It
  /// writes the tags of the fonts that it finds to its standard output, one on each line.
  package var fontFinder = Program(arguments: ["seek"])
  /// The program that joins a job's movie while it is rendered. It reads an `AttemptOrder` of the job as one line of JSON from its standard
  /// input, and ends by itself. Nil where movies are joined once all their segments are there.
  package var joiner: Program?
  /// The program that looks for segments of a job that were made before. It reads an `AttemptOrder` of the job as one line of JSON from its standard
  /// input, then lines of `RecallQuestion` from its leash, and writes a line of `RecallAnswer` for each to its standard output (docs/protocol.md).
  /// Nil where only the attempts' own processes look.
  package var recaller: Program?
  /// Keeps the segment of a finished attempt for later jobs, and tells of it whoever joins the movie, as far as that works. It returns at once.
  package var keep: @Sendable (AttemptKey, _ job: String, Proof) -> Void = { _, _, _ in }
  /// The seconds without progress after which an attempt is killed. Nil means 30 seconds more than the order's patience
  /// (`AttemptOrder.patience`), so that the coordinator ends the attempt first if it is there; and 120 seconds if the order names
  /// none.
  package var stallSeconds: Int?
  /// The seconds from SIGTERM until the machine ends; nil where nobody said. Chunks that will not be done by then are divided, and their rests
  /// left to other workers.
  package var noticeSeconds: Int?
  /// The most memory of an attempt, in bytes; nil is unlimited. Without a control group it limits the address space instead.
  package var attemptMemoryBytes: Int?
  /// The worker's control groups for attempts; nil when it has none, for the reason in `whyNoGroups`.
  package var attemptGroups: AttemptGroups?
  package var whyNoGroups = "not asked for"
  /// The most files that an attempt may have open.
  package var attemptOpenFiles: Int
  /// Whether an attempt is handed all its media at once, as open files beyond `attemptOpenFiles`.
  package var handsMedia = false
  /// The most bytes of any file that an attempt writes.
  package var attemptFileBytes: Int
  /// The things that attempts are kept from, in words, for the log (docs/security.md).
  package var containment: [String]
  /// The things that attempts are not kept from although they should be, in words; empty when nothing is missing.
  /// `whyNotContained` says why.
  package var missingContainment: [String] = []
  package var whyNotContained = ""

  package init(
    name: String, endpoints: [String], keys: Keys? = nil, slots: Int, capabilities: Capabilities = Capabilities(),
    program: Program, courier: Program? = nil, sweeper: Program, stallSeconds: Int? = nil,
    attemptMemoryBytes: Int? = nil, attemptOpenFiles: Int = 1024, attemptFileBytes: Int = 1 << 40, containment: [String] = []
  ) {
    (self.name, self.endpoints, self.keys, self.slots) = (name, endpoints, keys, slots)
    (self.program, self.courier, self.sweeper) = (program, courier, sweeper)
    self.capabilities = capabilities
    (self.stallSeconds, self.attemptMemoryBytes) = (stallSeconds, attemptMemoryBytes)
    (self.attemptOpenFiles, self.attemptFileBytes, self.containment) = (attemptOpenFiles, attemptFileBytes, containment)
  }
}

extension WorkerOptions.Program {
  /// The program's environment. It switches off Swift's backtraces, which need another process, and an attempt may start none.
  var environment: [String: String] {
    Command.harmlessEnvironment(passingOn: passedOn).merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
  }
}
