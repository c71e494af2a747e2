/// What a worker has for each of its attempts, or a job needs.
package struct Capabilities: Hashable, Sendable, Codable {
  /// Words of the operator's choice, such as "gpu" or "site=tokyo"; sorted, none twice.
  package var tags: [String]
  /// MiB for an attempt; 0 when it is not said, or not needed.
  package var memory: Int

  package init(tags: some Sequence<String> = [], memory: Int = 0) {
    (self.tags, self.memory) = (Set(tags).sorted(), memory)
  }

  package func cover(_ needs: Capabilities) -> Bool { memory >= needs.memory && needs.tags.allSatisfy(tags.contains) }

  /// Those that an operator and the program give; a worker's fonts come on top.
  package static let mostTags = 64

  /// The tag of workers whose program has a compositor of the user's own, and of jobs that need it.
  package static func tag(ofCompositor name: String) -> String { "compositor=\(name)" }

  /// Whether `text` may be a tag: as a worker's name, and it must not look like two in a list.
  package static func isTag(_ text: String) -> Bool { WorkerHello.isName(text) && !text.contains(",") }
}

extension Capabilities {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(tags: try container.decode([String].self, forKey: .tags), memory: try container.decode(Int.self, forKey: .memory))
    guard tags.count <= Self.mostTags + FontTag.mostAtOnce, tags.allSatisfy(Self.isTag), 0...Int(Int32.max) ~= memory else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not capabilities"))
    }
  }
}
