/// A message from a worker to the coordinator. A worker's ZeroMQ routing id is `name/epoch`, new at every start.
package enum WorkerMessage: Hashable, Sendable, Codable {
  /// The first message, sent again whenever the coordinator asks: the worker's name, slots and lanes, and its running attempts.
  case hello(WorkerHello)
  /// The running attempts and their progress, at the interval that the welcome gave.
  case heartbeat(worker: String, epoch: String, running: [AttemptProgress])
  /// An attempt that finished. It is repeated until `settled`.
  case finished(worker: String, epoch: String, AttemptKey, Proof)
  /// The record of what an attempt's process wrote to its standard error, if it wrote anything. It comes once with each message about the attempt's
  /// end.
  case logged(worker: String, epoch: String, AttemptKey, AttemptLog)
  /// An attempt that failed. It is repeated until `settled`.
  case failed(worker: String, epoch: String, AttemptKey, Failure)
  /// An attempt that was given ahead of the worker's slots, whose segment is not there, and for which no slot is free. Another worker, or this one
  /// later, makes it. It is repeated until `settled`.
  case returned(worker: String, epoch: String, AttemptKey)
  /// The jobs that have files in the store, in answer to `sweep`.
  case stored(worker: String, epoch: String, jobs: [String])
  /// The worker takes no more work, and its running attempts are to go to others.
  case goodbye(worker: String, epoch: String)
}

extension WorkerMessage {
  /// The sender: its name and epoch.
  package var sender: (worker: String, epoch: String) {
    switch self {
    case .hello(let hello): (hello.worker, hello.epoch)
    case .heartbeat(let worker, let epoch, _), .finished(let worker, let epoch, _, _), .failed(let worker, let epoch, _, _),
      .logged(let worker, let epoch, _, _), .returned(let worker, let epoch, _), .stored(let worker, let epoch, _),
      .goodbye(let worker, let epoch):
      (worker, epoch)
    }
  }
}

/// A message from the coordinator to a worker.
package enum CoordinatorMessage: Hashable, Sendable, Codable {
  /// The worker is accepted. The payload is the interval of heartbeats, in milliseconds.
  case welcome(heartbeatMilliseconds: Int)
  /// The heartbeat was noted.
  case heard
  /// This coordinator does not lead. Try the next endpoint.
  case notLeading
  /// The coordinator does not know the sender. Say hello.
  case whoAreYou
  /// The worker is refused for good, for example because it speaks another version of the protocol.
  case refused(reason: String)
  case assign(AttemptOrder)
  /// The end of an attempt was recorded, or came too late. Stop repeating it.
  case settled(AttemptKey)
  /// Kill the attempt. No report is needed.
  case cancel(AttemptKey)
  /// End the attempt's chunk before this frame, if no frame from there on was begun. The rest is for others. A heartbeat tells
  /// whether the process promised it.
  case shorten(AttemptKey, before: Int)
  /// Tell which jobs have files in the store.
  case sweep
  /// Clear away what these jobs left in the store and beside their movies.
  case over([OverJob])
  /// Look for these fonts, named by their tags, and tell in a hello which are here. The list holds all fonts that unfinished jobs
  /// need.
  case seek(fonts: [String])
}

package struct WorkerHello: Hashable, Sendable, Codable {
  /// The worker's name, the same at every start and unique in the farm.
  package var worker: String
  /// A name of this process, new at every start of the worker.
  package var epoch: String
  package var host: String
  package var processID: Int32
  /// The number of attempts at once; 0 when the worker only finishes what it runs.
  package var slots: Int
  /// The number of attempts at light tasks (`TaskKind.isLight`) beside the slots. It is 0 for a worker of an earlier version.
  package var lanes: Int
  /// The most attempts that the worker takes ahead of its slots while it finds their segments in the store; nil where it looks for none so.
  package var ahead: Int?
  package var capabilities: Capabilities
  /// The places below which it may write movies: absolute paths of folders, both as given and with links resolved, and places in S3. Nil
  /// means all folders, or not said.
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

  /// Whether a worker with these output roots may write a movie, judged by the path alone. Places in S3 have to be named.
  package static func mayWrite(_ output: String, below roots: [String]?) -> Bool {
    guard let roots else { return output.utf8.first == UInt8(ascii: "/") }
    return roots.contains { root in output.utf8.starts(with: (root.utf8.last == UInt8(ascii: "/") ? root : root + "/").utf8) }
  }
}

package struct AttemptProgress: Hashable, Sendable, Codable {
  package var key: AttemptKey
  package var done: Int64
  package var total: Int64
  /// The frame before which the process promised to end; nil without a promise.
  package var end: Int?

  package init(key: AttemptKey, done: Int64, total: Int64, end: Int? = nil) {
    (self.key, self.done, self.total, self.end) = (key, done, total, end)
  }
}
