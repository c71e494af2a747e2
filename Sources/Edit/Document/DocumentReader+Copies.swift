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

  /// Checks whether packets of a source's sound can be the movie's with its settings. Where the preset asks for it, and they cannot, none are.
  ///
  /// - Parameter node: the object of the sound's settings; nil where there is none.
  func checkSoundCopy(_ settings: inout ExportSettings, _ node: DocumentNode?) {
    guard let objection = settings.soundCopyObjection else { return }
    guard case .object(let members)? = node?.value, let node, members.contains(where: { $0.key == "copy" }) else {
      settings.audio.copy = .never
      for index in settings.sounds.indices { settings.sounds[index].audio.copy = .never }
      return
    }
    log.note(objection, at: node.path["copy"])
  }

  /// The frames and the sound that are copied, as a submission found them.
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
    plan.soundSampleCount = object["sound"]?.integer(in: 1...CopyPlan.mostSamples).map(Int64.init)
    plan.soundPriming = object["priming"]?.integer(in: 0...CopyPlan.mostPriming).map(Int64.init) ?? 0
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
    if video.pixelAspect != PixelSize(1, 1) { return "packets are not copied into a movie whose pixels are not square" }
    if !renditions.isEmpty { return "packets of a source have one size: leave renditions out" }
    if fileType == .mpegts { return "packets are not copied into mpegts: use mp4, mov or mkv" }
    if fileType == .jpegSequence { return "packets are not copied into a folder of pictures: use mov, mkv or avi" }
    if let target = video.coding.coder.rateTarget {
      return "packets of sources have the bits that they have: leave \(target.key) out"
    }
    return video.coding.coder.rateCap == nil ? nil : "packets of sources keep to no maxBitRate"
  }

  /// The reason for which no packets of a source's sound can be copied; nil where they can, or are not to be.
  fileprivate var soundCopyObjection: String? {
    guard audio.copy != .never else { return nil }
    let audio = sounds.first?.audio ?? audio
    guard audio.coding.coder.copiesPackets else {
      return "packets of \(audio.codec) are not copied: use \(AudioCodec.allCases.filter(\.usual.coder.copiesPackets).list)"
    }
    let types: [FileType] = [.mp4, .mov, .m4a]
    if !types.contains(fileType) { return "packets of sound are not copied into \(fileType): use \(types.list)" }
    if sounds.count > 1 { return "several sounds are mixed side by side: leave all but one out" }
    if !effects.isEmpty { return "sound with effects is encoded: leave effects out" }
    if loudness != nil || sounds.contains(where: { $0.loudness != nil }) {
      return "sound that is brought to a loudness is encoded: leave loudness out"
    }
    if fragmentInterval != nil { return "packets of sound are not copied into fragments: leave fragmentInterval out" }
    if case .fileSize? = video.coding.coder.rateTarget {
      return "packets of sources have the bits that they have: leave fileSize out"
    }
    return nil
  }
}
