internal import MediaTime

/// The size and the rate of a picture.
struct FirstPicture {
  let size: PixelSize
  let frameDuration: MediaTime
}

/// How long nested compositions are, what their pictures are like, and an order to read them in: each after those that it plays, of which it
/// may need to know that.
struct NestedLengths {
  let names: Set<String>
  /// The compositions, each after those that it plays, and in the document's order where that does not matter.
  private(set) var innermostFirst: [JSONValue.Member] = []
  private var circular: Set<CompositionID> = []
  private var lengths: [CompositionID: MediaTime] = [:]
  private var pictures: [CompositionID: FirstPicture] = [:]

  init() { names = [] }

  /// - Parameter members: of the document's `compositions`, as they were written.
  init(of members: [JSONValue.Member]) {
    names = Set(members.map(\.key))
    let byName = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0) })
    var (begun, done): (Set<String>, Set<String>) = ([], [])
    func visit(_ member: JSONValue.Member) {
      guard begun.insert(member.key).inserted else {
        if !done.contains(member.key) { circular.insert(CompositionID(member.key)) }
        return
      }
      for name in member.value.playedCompositions { if let played = byName[name] { visit(played) } }
      done.insert(member.key)
      innermostFirst.append(member)
    }
    for member in members { visit(member) }
  }

  /// Nil while it is not known, and of one with faults.
  subscript(id: CompositionID) -> MediaTime? { lengths[id] }

  /// Nil while it is not known, and of one with faults or without a picture.
  func picture(of id: CompositionID) -> FirstPicture? { pictures[id] }

  mutating func note(_ length: MediaTime?, _ picture: FirstPicture?, of id: CompositionID) {
    (lengths[id], pictures[id]) = (length, picture)
  }

  /// Whether it is the one at which a circle of compositions that contain each other closes.
  func isCircular(_ id: CompositionID) -> Bool { circular.contains(id) }
}

extension JSONValue {
  /// The names after `composition` in the segments of a composition's tracks, in order; others may be no names at all.
  fileprivate var playedCompositions: [String] {
    elements(of: "tracks").flatMap { $0.elements(of: "segments") }.compactMap { segment in
      if case .string(let name)? = segment.member("composition") { name } else { nil }
    }
  }

  private func elements(of key: String) -> [JSONValue] {
    if case .array(let elements)? = member(key) { elements } else { [] }
  }

  private func member(_ key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }
}
