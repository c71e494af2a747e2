import Arguments
import Coordinator
import Operations
import Terminal
import Worker
import ZeroMQ

extension Complaint {
  /// A complaint about an error of a verb: of its arguments, its streams, a role that it plays in a farm, or an operation.
  init(ofVerb error: any Error) {
    switch error {
    case let error as UsageError: self.init(error.place, error.reason, .usage)
    case let error as ZeroMQError: self.init(faults: [error.description], Self.exit(of: error))
    case let error as CoordinatorError:
      switch error {
      case .network(let error): self.init(ofVerb: error)
      case .system(let error): self.init(ofVerb: error)
      }
    case let error as WorkerError:
      switch error {
      case .network(let error): self.init(ofVerb: error)
      case .system(let error): self.init(ofVerb: error)
      case .notAWorker(let name): self.init("--name", "'\(name)' is no worker's name: printable, no spaces", .usage)
      case .refused(let reason): self.init("coordinator", "refuses this worker: \(reason)", .unavailable)
      }
    case let error as StreamError where error.isClosed: self.init(faults: [], .outputClosed)
    case let error as StreamError: self.init("standard output", error.description, .cannotCreate)
    default: self.init(about: error)
    }
  }

  /// A call of ZeroMQ fails on an endpoint. `open` fails on a key file.
  private static func exit(of error: ZeroMQError) -> ExitClass { error.call.hasPrefix("zmq_") ? .unavailable : .noInput }
}

/// Performs what a verb does while an operation runs, such as showing how far it is, and tells its error as a complaint.
func presenting<Result>(_ body: () throws -> Result) throws(Complaint) -> Result {
  do { return try body() } catch { throw Complaint(ofVerb: error) }
}
