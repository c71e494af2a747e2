import Messages
import Rendering
import Subprocess

/// How far attempts, and what reads media for the command line, are contained: what is asked of the kernel, and whether to do without.
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

  /// Who is contained.
  enum Subject: String {
    case attempts
    /// What reads them.
    case media = "what reads media"
  }

  static let mediaHelp = """
    What reading media gives up: "available", what this kernel can take from it (files, network, processes); "required", all of it, or \
    nothing is read; "none", nothing.
    """

  /// What is in force with it on this machine.
  var parts: [Confinement.Part] { self == .none ? [] : Confinement.available }

  /// - Throws: a `Complaint` when something is required that the kernel does not offer.
  func requireOffered(to subject: Subject = .attempts) throws(Complaint) {
    guard self == .required, let lack = lack(of: subject) else { return }
    throw Complaint("--containment", lack, ExitCode.unavailable)
  }

  /// What whoever reads media here should know; nil where all is in force, or none was wanted.
  var warning: String? { self == .available ? lack(of: .media) : nil }

  /// What is not in force.
  var missing: [Confinement.Part] { Confinement.Part.allCases.filter { !parts.contains($0) } }

  /// Why, where something is missing.
  var whyMissing: String { self == .none ? "--containment none" : "this kernel lacks what keeps them from it" }

  private func lack(of subject: Subject) -> String? {
    guard !missing.isEmpty else { return nil }
    return "this kernel does not keep \(subject.rawValue) from: \(missing.map(\.rawValue).joined(separator: ", "))"
  }

  /// Confines this process.
  ///
  /// - Throws: `Failure` of the worker.
  func confine(to reach: AttemptReach) throws(Failure) {
    guard self != .none else { return }
    do {
      try Confinement(reach.role.confinement, readable: reach.readable, writable: reach.writable).enforce()
    } catch { throw Failure(.worker, at: "containment", "\(error)") }
  }
}

extension AttemptReach.Role {
  fileprivate var confinement: Confinement.Role {
    switch self {
    case .examines: .examines
    case .renders: .renders
    case .joins: .joins
    }
  }
}
