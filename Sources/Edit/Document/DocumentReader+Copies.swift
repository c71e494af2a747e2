internal import Formats
internal import JSON
internal import Timeline

extension DocumentReader {
  /// Checks whether packets of sources can be copied beside pictures of the movie's settings.
  func checkCopy(_ settings: ExportSettings, at path: JSONPath) {
    let video = settings.video
    guard video.coding.coder.copiesPackets else {
      let codecs = VideoCodec.allCases.filter(\.usual.coder.copiesPackets).list
      return log.note("packets of \(video.codec) are not copied: use \(codecs)", at: path)
    }
    if video.hasAlpha { log.note("packets are not copied into a movie with alpha", at: path) }
    if settings.fileType == .mpegts { log.note("packets are not copied into mpegts: use mp4, mov or mkv", at: path) }
    if video.coding.coder.rateCap != nil { log.note("packets of sources keep to no maxBitRate", at: path) }
  }

  /// The frames that are copied, as a submission found them.
  func copies(_ node: DocumentNode) -> CopyPlan? {
    guard let object = DocumentObject(.copies, node), let elements = object["frames"]?.elements(atMost: CopyPlan.mostRanges) else {
      return nil
    }
    var plan = CopyPlan(frames: [])
    for element in elements {
      guard let pair = element.elements(atMost: 2), pair.count == 2, let first = pair[0].integer(in: 0...CopyPlan.mostFrames),
        let count = pair[1].integer(in: 1...CopyPlan.mostFrames)
      else { return element.refuse("[first, count]") }
      guard first >= plan.frames.last?.upperBound ?? 0 else { return element.refuse(because: "begins before the range before it ends") }
      plan.frames.append(first..<(first + count))
    }
    plan.reorderDepth = object["reorderDepth"]?.integer(in: 0...CopyPlan.mostReordered) ?? 0
    plan.parameterSetID = object["parameterSets"]?.integer(in: 0...31)
    return plan
  }
}
