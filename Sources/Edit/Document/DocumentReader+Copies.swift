internal import Formats
internal import JSON
internal import Timeline

extension DocumentReader {
  /// Checks whether packets of sources can be copied beside pictures of the movie's settings. Where the preset asks for it, and they
  /// cannot, none are.
  ///
  /// - Parameter node: the object of the picture's settings; nil where there is none.
  func checkCopy(_ settings: inout ExportSettings, _ node: DocumentNode?) {
    guard let objection = settings.copyObjection else { return }
    guard case .object(let members)? = node?.value, let node, members.contains(where: { $0.key == "copy" }) else {
      settings.video.copy = .never
      return
    }
    log.note(objection, at: node.path["copy"])
  }

  /// The frames that are copied, as a submission found them.
  func copies(_ node: DocumentNode) -> CopyPlan? {
    guard let object = DocumentObject(.copies, node), let elements = object["frames"]?.elements(atMost: CopyPlan.mostRanges)
    else {
      return nil
    }
    var plan = CopyPlan(frames: [])
    for element in elements {
      guard let pair = element.elements(atMost: 2), pair.count == 2, let first = pair[0].integer(in: 0...CopyPlan.mostFrames),
        let count = pair[1].integer(in: 1...CopyPlan.mostFrames)
      else { return element.refuse("[first, count]") }
      guard first >= plan.frames.last?.upperBound ?? 0 else {
        return element.refuse(because: "begins before the range before it ends")
      }
      plan.frames.append(first..<(first + count))
    }
    plan.reorderDepth = object["reorderDepth"]?.integer(in: 0...CopyPlan.mostReordered) ?? 0
    plan.parameterSetID = object["parameterSets"]?.integer(in: 0...31)
    return plan
  }
}

extension ExportSettings {
  /// The reason for which no packets of sources can be copied; nil where they can, or are not to be.
  fileprivate var copyObjection: String? {
    guard video.copy != .never else { return nil }
    guard video.coding.coder.copiesPackets else {
      return "packets of \(video.codec) are not copied: use \(VideoCodec.allCases.filter(\.usual.coder.copiesPackets).list)"
    }
    if video.hasAlpha { return "packets are not copied into a movie with alpha" }
    if video.fields != nil { return "packets are not copied into a movie of fields" }
    if !renditions.isEmpty { return "packets of a source have one size: leave renditions out" }
    if fileType == .mpegts { return "packets are not copied into mpegts: use mp4, mov or mkv" }
    if fileType == .jpegSequence { return "packets are not copied into a folder of pictures: use mov, mkv or avi" }
    if let target = video.coding.coder.rateTarget {
      return "packets of sources have the bits that they have: leave \(target.key) out"
    }
    return video.coding.coder.rateCap == nil ? nil : "packets of sources keep to no maxBitRate"
  }
}
