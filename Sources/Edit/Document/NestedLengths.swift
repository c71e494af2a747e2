internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// The size of a picture, and its frame duration.
struct FirstPicture {
  let size: PixelSize
  let frameDuration: MediaTime
}

/// The lengths of nested compositions, the sizes and rates of their pictures, and an order in which to read them. Each
/// composition comes after those that it plays, since reading it may need their lengths and pictures.
struct NestedLengths {
  let names: Set<String>
  /// The compositions, each after those that it plays. Where that leaves a choice, they are in the document's order.
  private(set) var innermostFirst: [JSONValue.Member] = []
  private var circular: Set<CompositionID> = []
  private var lengths: [CompositionID: MediaTime] = [:]
  private var pictures: [CompositionID: FirstPicture] = [:]

  init() { names = [] }

  /// Finds the order.
  ///
  /// - Parameter members: the members of the document's `compositions`, as they were written.
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

  /// The length of a composition; nil while it is not known, and where the composition has faults.
  subscript(id: CompositionID) -> MediaTime? { lengths[id] }

  /// The size and rate of a composition's picture; nil while they are not known, where the composition has faults, and where it
  /// has no picture.
  func picture(of id: CompositionID) -> FirstPicture? { pictures[id] }

  mutating func note(_ length: MediaTime?, _ picture: FirstPicture?, of id: CompositionID) {
    (lengths[id], pictures[id]) = (length, picture)
  }

  /// Whether this is the composition at which a circle was found: compositions that contain each other.
  func isCircular(_ id: CompositionID) -> Bool { circular.contains(id) }
}

extension JSONValue {
  /// The names of the compositions that the segments of this one play, in order. Some may be names of none.
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
