internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// The first pass over a movie with a target. All attempts at its chunks share it, section by section, through a folder of the store, before
/// each encodes its own chunk (decision 0196).
///
/// A section's survey depends on the edit alone. So it is the same whoever makes it, and however often.
struct Surveyor {
  /// The time between two looks at what others have done.
  private static let lookInterval: UInt32 = 200_000

  let edit: ResolvedTimeline
  let policy: SourcePolicy
  let fonts: [FontFace]?
  let compositing: CustomCompositing
  let folder: SurveyFolder

  /// The frames of the sections: each as long as a group of pictures may be, or several.
  private let ranges: [FrameRange]
  private let surveyor: VideoCodecSettings
  /// The time in which others show nothing, before an attempt does their sections itself.
  private let patience: Duration

  /// - Returns: nil for a movie without a target.
  init?(
    _ edit: ResolvedTimeline, policy: SourcePolicy, fonts: [FontFace]?, compositing: CustomCompositing, folder: SurveyFolder,
    patience: Duration
  ) throws {
    self.patience = patience
    let coder = edit.timeline.export.video.coding.coder
    guard let surveyor = coder.surveyor, let composition = edit.videoComposition else { return nil }
    (self.edit, self.policy, self.fonts, self.compositing, self.folder) = (edit, policy, fonts, compositing, folder)
    var settings = VideoCodecSettings(
      surveyor, bitDepth: edit.timeline.export.video.bitDepth, hdrMetadata: edit.timeline.export.video.hdrMetadata)
    settings.fields = edit.timeline.export.video.fields
    self.surveyor = settings
    // Groups of MPEG-2 are so short that a section is several.
    let group = Int(coder.keyInterval(composition.frameDuration))
    let (count, length) = (try edit.frameCount, group * max(1, Int(H264().keyInterval(composition.frameDuration)) / group))
    ranges = stride(from: 0, to: count, by: length).map { FrameRange(first: $0, count: min(length, count - $0)) }
  }

  /// The whole survey. What is missing is made, beginning with the sections of a chunk.
  ///
  /// - Parameter progress: called with a number that grows, and the number of frames that nobody has surveyed.
  func survey(for chunk: FrameRange, progress: @escaping (_ done: Int, _ left: Int) -> Void) throws -> RateSurvey {
    var found: [SurveyedSection?] = ranges.indices.map(section)
    var sound = needsSound ? self.sound : SurveyedSound.silent
    var done = 0
    func left() -> Int { zip(ranges, found).reduce(0) { $1.1 == nil ? $0 + $1.0.count : $0 } }
    let renderer = PictureRenderer(edit: edit, policy: policy, fonts: fonts, compositing: compositing)
    func make(_ number: Int) throws {
      guard number < ranges.count else {
        sound = try makeSound { progress(done, left()) }
        return
      }
      let section = try makeSection(number, renderer) {
        done += 1
        progress(done, left())
      }
      found[number] = section
    }
    // The sound comes last: another attempt mixes it for the movie at the same time.
    let start = ranges.firstIndex { $0.indices.contains(chunk.first) } ?? 0
    let order = Array(ranges.indices[start...]) + Array(ranges.indices[..<start]) + [ranges.count]
    func isMissing(_ number: Int) -> Bool { number < ranges.count ? found[number] == nil : sound == nil }
    for number in order where isMissing(number) {
      // Somebody may have done it meanwhile.
      look(&found, &sound, number)
      if isMissing(number), try folder.take(number) { try make(number) }
    }
    var heard = ContinuousClock.now
    while let number = order.first(where: isMissing) {
      for other in order where isMissing(other) { look(&found, &sound, other) }
      guard isMissing(number) else {
        heard = .now
        continue
      }
      if heard + patience < .now {
        try make(number)
      } else {
        try compositing.cancellation.check()
        usleep(Self.lookInterval)
        // Waiting for others is no standstill: it ends.
        done += 1
        progress(done, left())
      }
    }
    return RateSurvey(sections: found.compactMap(\.self), sound: sound ?? .silent)
  }

  private func look(_ found: inout [SurveyedSection?], _ sound: inout SurveyedSound?, _ number: Int) {
    if number < ranges.count { found[number] = section(number) } else { sound = self.sound }
  }

  private func section(_ number: Int) -> SurveyedSection? {
    folder.read(number, as: SurveyedSection.self).flatMap { $0.isPlausible(for: ranges[number]) ? $0 : nil }
  }

  private func makeSection(_ number: Int, _ renderer: PictureRenderer, progress: () -> Void) throws -> SurveyedSection {
    guard let composition = edit.videoComposition else { preconditionFailure("the edit has a picture") }
    let frames = ranges[number]
    let encoders = try RateTarget.surveyedFactors.map { factor in
      try VideoEncoder(
        settings: surveyor, size: composition.outputSize, format: edit.renderFormat, frameDuration: composition.frameDuration,
        frameCount: frames.count, rateFactor: factor,
        forcedKeyInterval: edit.timeline.export.forcedKeyInterval(composition.frameDuration), first: frames.first,
        color: edit.color, hdrMetadata: edit.hdrMetadata)
    }
    for index in frames.indices {
      let frame = try renderer.frame(index)
      for encoder in encoders { try encoder.encode(frame, to: nil) }
      progress()
    }
    for encoder in encoders { try encoder.finish(to: nil) }
    let counts = encoders.map { encoder in
      var counts = Array(repeating: 0, count: frames.count)
      for packet in encoder.packets { counts[packet.frame] += packet.byteCount }
      return counts
    }
    let section = SurveyedSection(frames: frames, byteCounts: counts)
    // The first survey counts for everybody: another processor model may have made one that differs in the last digits.
    if let first = self.section(number) { return first }
    try folder.write(section, as: number)
    return section
  }

  /// Whether the size of the sound decides what the picture gets.
  private var needsSound: Bool {
    if case .fileSize? = edit.timeline.export.video.coding.coder.rateTarget { edit.audio != nil } else { false }
  }

  private var sound: SurveyedSound? {
    folder.read(ranges.count, as: SurveyedSound.self).flatMap { $0.isPlausible ? $0 : nil }
  }

  private func makeSound(progress: () -> Void) throws -> SurveyedSound {
    let path = folder.scratch(ranges.count)
    defer { _ = unsafe unlink(path) }
    let sounds = try SoundRenderer(edit: edit, policy: policy).render(to: path) { _, _ in progress() }
    let sound = SurveyedSound(
      byteCount: sounds.reduce(0) { $0 + $1.load.byteCount }, packetCount: sounds.reduce(0) { $0 + $1.load.packetCount })
    try folder.write(sound, as: ranges.count)
    return sound
  }
}
