/// The rights of a caller. Each role has those of the roles before it.
package enum Role: String, Hashable, Sendable, CaseIterable, Codable, Comparable {
  /// It sees only that the server lives.
  case none
  /// It sees the farm, its jobs and workers. It sees no document.
  case view
  /// It also validates, previews and submits edits.
  case submit
  /// It also steers jobs, drains workers and changes shares.
  case operate

  package static func < (a: Role, b: Role) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .none: 0
    case .view: 1
    case .submit: 2
    case .operate: 3
    }
  }
}

/// The one who asks.
struct Caller: Hashable, Sendable {
  /// The name of the token; nil for a caller without one.
  var name: String?
  var role: Role
}
