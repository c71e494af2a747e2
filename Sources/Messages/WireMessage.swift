/// What workers say to the coordinator. A worker's ZeroMQ routing id is `name/epoch`, new at every start.
package enum WorkerMessage: Hashable, Sendable, Codable {
  /// First word, and again whenever asked: who it is, how many attempts it can run at once, which it is running.
  case hello(WorkerHello)
  /// At the interval that the welcome gave: the running attempts and how far they are.
  case heartbeat(worker: String, epoch: String, running: [AttemptProgress])
  /// Repeated until `settled`.
  case finished(worker: String, epoch: String, AttemptKey, Proof)
  /// Repeated until `settled`.
  case failed(worker: String, epoch: String, AttemptKey, Failure)
  /// Jobs that have files in the store: the answer to `sweep`.
  case stored(worker: String, epoch: String, jobs: [String])
  /// No more work, and the running attempts are to be given to others.
  case goodbye(worker: String, epoch: String)
}

extension WorkerMessage {
  /// The sender: its name and epoch.
  package var sender: (worker: String, epoch: String) {
    switch self {
    case .hello(let hello): (hello.worker, hello.epoch)
    case .heartbeat(let worker, let epoch, _), .finished(let worker, let epoch, _, _), .failed(let worker, let epoch, _, _),
      .stored(let worker, let epoch, _), .goodbye(let worker, let epoch):
      (worker, epoch)
    }
  }
}

/// What the coordinator says to a worker.
package enum CoordinatorMessage: Hashable, Sendable, Codable {
  /// Accepted; the interval of heartbeats in milliseconds.
  case welcome(heartbeatMilliseconds: Int)
  /// A heartbeat is noted.
  case heard
  /// Another coordinator leads, or none: try the next endpoint.
  case notLeading
  /// The coordinator does not know the sender: say hello.
  case whoAreYou
  /// Refused, for good: another protocol version, say.
  case refused(reason: String)
  case assign(AttemptOrder)
  /// The end of an attempt was recorded (or came too late): stop repeating it.
  case settled(AttemptKey)
  /// Kill the attempt; nothing needs to be reported.
  case cancel(AttemptKey)
  /// End the attempt at a chunk before that frame, if none from there on was begun: the rest is for others. A heartbeat tells of it.
  case shorten(AttemptKey, before: Int)
  /// Tell which jobs have files in the store.
  case sweep
  /// Clear away what these left in the store and beside their movies.
  case over([OverJob])
  /// Look which of these fonts you have, by their tags, and tell it in a hello. All that unfinished jobs need: no others are asked for.
  case seek(fonts: [String])
}

package struct WorkerHello: Hashable, Sendable, Codable {
  /// Stable name, unique in the farm.
  package var worker: String
  /// New at every start of the worker.
  package var epoch: String
  package var host: String
  package var processID: Int32
  /// Attempts at once; zero when the worker only finishes what it runs.
  package var slots: Int
  /// Attempts beside those of the slots, at light tasks alone (`TaskKind.isLight`). None where a worker of an earlier version does not say.
  package var lanes: Int
  package var capabilities: Capabilities
  /// Absolute paths of the folders that it may write movies below, as they are named and with their links resolved; nil: anywhere, or
  /// not said.
  package var outputRoots: [String]?
  package var running: [AttemptProgress]

  package init(
    worker: String, epoch: String, host: String, processID: Int32, slots: Int, lanes: Int = 0,
    capabilities: Capabilities = Capabilities(), outputRoots: [String]? = nil, running: [AttemptProgress]
  ) {
    (self.worker, self.epoch, self.host, self.processID) = (worker, epoch, host, processID)
    (self.slots, self.lanes, self.capabilities) = (slots, lanes, capabilities)
    (self.outputRoots, self.running) = (outputRoots, running)
  }

  /// Whether a worker with these output roots may write a movie, as far as the path alone tells.
  package static func mayWrite(_ output: String, below roots: [String]?) -> Bool {
    guard let roots else { return true }
    return roots.contains { root in output.utf8.starts(with: (root.utf8.last == UInt8(ascii: "/") ? root : root + "/").utf8) }
  }
}

package struct AttemptProgress: Hashable, Sendable, Codable {
  package var key: AttemptKey
  package var done: Int64
  package var total: Int64
  /// The frame before which its process promised to end; nil where it promised nothing.
  package var end: Int?

  package init(key: AttemptKey, done: Int64, total: Int64, end: Int? = nil) {
    (self.key, self.done, self.total, self.end) = (key, done, total, end)
  }
}
