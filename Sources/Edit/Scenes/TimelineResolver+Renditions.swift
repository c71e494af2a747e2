internal import Formats
internal import JSON
internal import MediaTime
package import Timeline

extension ResolvedTimeline {
  /// The versions of the movie beside its main picture, in their sizes.
  package var renditions: [Rendition.Sized] {
    videoComposition.map { timeline.export.renditions(of: $0) } ?? []
  }
}

extension TimelineResolver {
  /// Notes renditions that the movie cannot have beside its main picture.
  func checkRenditions(of resolved: ResolvedTimeline) {
    let renditions = timeline.export.renditions
    let path = root["export"]["renditions"]
    guard !renditions.isEmpty else { return }
    guard let composition = resolved.videoComposition else {
      // A preset's renditions fit into a size, so they are left out where there is nothing to fit.
      let isAsked = renditions.contains { if case .exact = $0.size { true } else { false } }
      guard isAsked else { return }
      return log.note("a movie without a picture has no renditions", at: path)
    }
    let frame = composition.outputSize
    var known = [Rendition.Sized(frame, timeline.export.video)]
    for (index, rendition) in renditions.enumerated() {
      guard case .exact(let size) = rendition.size else { continue }
      if let words = objection(to: size, of: frame, lasting: composition.frameDuration) {
        log.note(words, at: path[index]["size"])
      }
      let sized = Rendition.Sized(size, rendition.video)
      if known.contains(sized) {
        let other = sized == known[0] ? "the main picture" : "another rendition"
        log.note("is \(other) again: give it another size, or another crf or maxBitRate", at: path[index])
      }
      known.append(sized)
    }
    for sized in resolved.renditions where !known.contains(sized) {
      if let words = objection(to: sized.size, of: frame, lasting: composition.frameDuration) { log.note(words, at: path) }
    }
  }

  /// The reason for which a rendition cannot have this size; nil where it can.
  private func objection(to size: PixelSize, of frame: PixelSize, lasting frameDuration: MediaTime) -> String? {
    let video = timeline.export.video
    if size.width > frame.width || size.height > frame.height {
      return "\(size.words) is larger than the frame of \(frame.words): nothing is scaled up"
    }
    // Sides are even, so the nearest size of the frame's shape may miss it by two pixels.
    if abs(size.width * frame.height - size.height * frame.width) > 2 * max(frame.width, frame.height) {
      let height = 2 * ((size.width * frame.height + frame.width) / (2 * frame.width))
      return "\(size.words) has another shape than the frame of \(frame.words): \(size.width)x\(height) would have it"
    }
    let least = video.coding.coder.leastSize
    if size.width < least.width || size.height < least.height {
      return "\(video.codec) is made from \(least.words) up, not of \(size.words)"
    }
    switch video.coding.coder.objection(to: size, lasting: frameDuration) {
    case nil, .rate: return nil
    case .size(let words), .setting(_, let words): return words
    }
  }
}

extension PixelSize {
  fileprivate var words: String { "\(width)x\(height)" }
}
