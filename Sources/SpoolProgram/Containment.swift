import Messages
import Rendering
import Subprocess

/// How far attempts are contained: what a worker asks of its kernel, and whether it does without.
enum Containment: String, CaseIterable, Sendable {
  /// By all that the kernel offers.
  case available
  /// By everything, or the worker does not start.
  case required
  /// By limits alone.
  case none

  static let help = """
    What attempts give up before they read media: "available", what this kernel can take from them (files, network, \
    processes); "required", all of it, or the worker does not start; "none", nothing.
    """

  /// What is in force with it on this machine.
  var parts: [Confinement.Part] { self == .none ? [] : Confinement.available }

  /// - Throws: a `Complaint` when something is required that the kernel does not offer.
  func requireOffered() throws(Complaint) {
    let missing = Confinement.Part.allCases.filter { !parts.contains($0) }
    guard self == .required, !missing.isEmpty else { return }
    throw Complaint(
      "--containment", "this kernel does not keep attempts from: \(missing.map(\.rawValue).joined(separator: ", "))",
      ExitCode.unavailable)
  }

  /// Confines this process.
  ///
  /// - Throws: `Failure` of the worker.
  func confine(to reach: AttemptReach) throws(Failure) {
    guard self != .none else { return }
    do {
      try Confinement(readable: reach.readable, writable: reach.writable).enforce()
    } catch { throw Failure(.worker, at: "containment", "\(error)") }
  }
}
