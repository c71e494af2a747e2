/// The capabilities that a worker offers to each of its attempts, or that a job needs.
package struct Capabilities: Hashable, Sendable, Codable {
  /// Words of the operator's choice, such as "gpu" or "site=tokyo"; sorted and without duplicates.
  package var tags: [String]
  /// The memory for an attempt, in MiB; 0 when it is not said, or not needed.
  package var memory: Int

  package init(tags: some Sequence<String> = [], memory: Int = 0) {
    (self.tags, self.memory) = (Set(tags).sorted(), memory)
  }

  package func cover(_ needs: Capabilities) -> Bool { memory >= needs.memory && needs.tags.allSatisfy(tags.contains) }

  /// The most tags that an operator and the program give. A worker's fonts come on top.
  package static let mostTags = 64

  /// The tag of workers whose program has this compositor of the user's own, and of jobs that need it.
  package static func tag(ofCompositor name: String) -> String { "compositor=\(name)" }

  /// The tag of workers whose FFmpeg has this encoder, and of jobs that need it.
  package static func tag(ofEncoder name: String) -> String { "encoder=\(name)" }

  /// Whether `text` may be a tag: it has the form of a worker's name and no comma, which would make it look like two tags in a
  /// list.
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
