internal import Formats
internal import Media
internal import Messages

extension SegmentProof {
  /// The proof of the segment file `name`, which was just written.
  init(
    file name: String, facts: SegmentFacts, content: ContentDigest, concealed: [Concealment], times: RenderingTimes? = nil
  ) {
    self.init(
      file: FileProof(path: name, byteCount: facts.digest.byteCount, byteDigest: facts.digest.hash),
      parameterSetDigest: facts.parameterSetDigest, contentDigest: content.description, concealed: concealed, times: times)
  }
}
