/// The chunks of a job that were not rendered, because an earlier job had rendered the same (decision 0174).
package struct JobReuse: Hashable, Sendable, Codable {
  package var chunkCount: Int
  /// The frames of these chunks.
  package var frameCount: Int

  package init(chunkCount: Int, frameCount: Int) { (self.chunkCount, self.frameCount) = (chunkCount, frameCount) }

  /// The number in words, such as `12 of 13 chunks were rendered before`.
  package func words(of all: Int) -> String { "\(chunkCount) of \(all) chunk\(all == 1 ? " was" : "s were") rendered before" }
}
