internal import Media
internal import Messages
internal import Scenes

extension [Winner<PictureProof>] {
  /// The renditions of a movie's picture, each as its segments in order.
  ///
  /// - Parameter files: the files of the chunks, as inputs of the main picture.
  /// - Throws: a `Failure` where a chunk has other renditions than the edit.
  func renditions(_ files: [SegmentInput], _ edit: ResolvedTimeline) throws -> [[SegmentInput]] {
    let (count, stillCount) = (edit.renditions.count, try edit.stills?.tracks.count ?? 0)
    for chunk in self where chunk.proof.renditions.count != count + stillCount {
      let words = "\(chunk.proof.renditions.count) renditions instead of \(count), and \(stillCount) tracks of stills"
      throw Failure(.bug, at: "attempt \(chunk.key)", words)
    }
    return (0..<count).map { index in
      zip(self, files).map { chunk, file in
        let facts = SegmentFacts(
          digest: file.facts.digest, length: file.facts.length,
          parameterSetDigest: chunk.proof.renditions[index].parameterSetDigest)
        return SegmentInput(path: file.path, facts: facts, stream: index + 1)
      }
    }
  }

  /// Checks that the winners are the whole picture of an edit, with each frame once and in order.
  func requireWhole(_ edit: ResolvedTimeline) throws {
    var next = 0
    for picture in self {
      guard picture.proof.frames.first == next else {
        throw Failure(.bug, at: "attempt \(picture.key)", "its frames do not follow frame \(next - 1)")
      }
      next += picture.proof.frames.count
    }
    let frameCount = try edit.frameCount
    guard next == frameCount else { throw Failure(.bug, at: "mux", "\(next) frames instead of \(frameCount)") }
  }
}
