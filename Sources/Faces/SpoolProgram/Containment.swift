import Messages
import Operations
import Rendering
import Subprocess

/// How far a process that reads media is contained, whether it is an attempt or reads for the command line: how much of what the
/// kernel offers is used, and whether the process may run without it.
enum Containment: String, CaseIterable, Sendable {
  /// Everything that the kernel offers is used.
  case available
  /// Everything is used. Where the kernel lacks a part of it, the worker does not start.
  case required
  /// Only resource limits are used.
  case none

  static let help = """
    The access that attempts lose before they read media (to files, network and processes). "available": as much as this kernel \
    can take away; "required": all of it, or the worker does not start; "none": nothing.
    """

  /// The processes that are contained.
  enum Subject: String {
    case attempts
    /// The processes that read media for the command line.
    case media = "what reads media"
  }

  static let mediaHelp = """
    The access that is given up before media are read (to files, network and processes). "available": as much as this kernel can \
    take away; "required": all of it, or nothing is read; "none": nothing.
    """

  /// The parts that are in force on this machine.
  var parts: [Confinement.Part] { self == .none ? [] : Confinement.available }

  /// - Throws: a `Complaint` when something is required that the kernel does not offer.
  func requireOffered(to subject: Subject = .attempts) throws(Complaint) {
    guard self == .required, let lack = lack(of: subject) else { return }
    throw Complaint("--containment", lack, .unavailable)
  }

  /// A warning for a command that reads media; nil when everything is in force, or nothing was wanted.
  var warning: String? { self == .available ? lack(of: .media) : nil }

  /// The parts that are not in force.
  var missing: [Confinement.Part] { Confinement.Part.allCases.filter { !parts.contains($0) } }

  /// The reason why parts are missing.
  var whyMissing: String { self == .none ? "--containment none" : "this kernel lacks what keeps them from it" }

  private func lack(of subject: Subject) -> String? {
    guard !missing.isEmpty else { return nil }
    return "this kernel does not keep \(subject.rawValue) from: \(missing.map(\.rawValue).joined(separator: ", "))"
  }

  /// Confines this process to the files that it may reach.
  ///
  /// - Throws: a `Failure` of the worker when that is not possible.
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
    case .muxes: .muxes
    }
  }
}
