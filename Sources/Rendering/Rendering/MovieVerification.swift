internal import Compositing
package import Formats
package import Media
internal import MediaTime
package import Messages
package import Scenes
internal import Timeline

/// Compares a finished movie with a render of its edit by this process only. It proves that the farm's frames are those of the
/// edit.
package struct MovieVerification: Sendable, Codable {
  /// The lowest PSNR of a frame of a lossy movie, in dB. A frame below it is not a coarse copy but another picture.
  package static let defaultFloor = 26.0

  package private(set) var isLossless = false
  package private(set) var expectedFrames = 0
  package private(set) var frames = 0
  /// The samples of each sound.
  package private(set) var expectedSamples: Int64 = 0
  /// The samples of the first sound.
  package private(set) var samples: Int64 = 0
  /// How alike the movie's pictures are to the edit's.
  package private(set) var pictures = Likeness.uncompared
  /// The frame that is least like its original.
  package private(set) var worstFrame: Worst?
  /// The damage in the edit's media that is concealed, in the movie as in the edit.
  package private(set) var concealed: [Concealment] = []
  /// The number of frames that are copies of their sources'; nil where the edit asks for none.
  package private(set) var copiedFrames: Int?
  /// The number of samples that are copies of their source's; nil where the edit asks for none.
  package private(set) var copiedSamples: Int64?
  /// The loudness of the edit's first sound; nil where the edit asks for none.
  package private(set) var loudness: SoundLoudness?
  /// The renditions that were compared, in the order of the edit's.
  package private(set) var renditions: [ComparedRendition] = []
  /// The digests of the files of still pictures that the edit gives: the poster, then the sheets; nil where there are none, or frames are missing.
  package private(set) var stills: [String]?
  /// The number of sounds that were compared.
  package private(set) var soundCount = 0
  /// The faults of the movie, one sentence each; empty for a movie that is right.
  package var faults: [String] = []

  private let floor: Double
  private var expectedSounds = 0

  /// The number of packets, pictures or samples that were compared so far.
  package enum Progress: Hashable, Sendable, Codable {
    case packets(Int)
    case pictures(Int)
    case samples(Int64)
  }

  package struct Worst: Sendable, Codable {
    package let index: Int
    /// The PSNR of the frame, in dB.
    package let psnr: Double
  }

  /// The result of comparing pictures.
  package enum Likeness: Hashable, Sendable, Codable {
    /// Some pictures were not compared: there are none, some are missing, or one has another size or format.
    case uncompared
    case equal
    /// The PSNR of all pictures that were compared, in dB.
    case decibels(Double)
  }

  /// - Parameters:
  ///   - movie: the movie's path.
  ///   - files: the paths of its sounds, where each is in a file of its own. The movie may be the first of them.
  ///   - renditions: the paths of its renditions.
  ///   - fonts: the font faces in which the edit's texts are drawn; nil means the installed fonts, by their names.
  ///   - compositing: the compositors that the edit's instructions may name.
  ///   - floor: the PSNR in dB that every frame of a lossy movie must reach.
  ///   - progress: called after each packet of the picture, then after each picture, then after each block of samples.
  /// - Throws: `MediaError` when the movie or a source cannot be read, and the errors of rendering the edit.
  package init(
    of movie: String, sounds files: [String] = [], renditions: [String] = [], against edit: ResolvedTimeline,
    policy: SourcePolicy,
    fonts: [FontFace]? = nil, compositing: CustomCompositing = .init(), floor: Double = defaultFloor, progress: (Progress) -> Void
  ) throws {
    self.floor = floor
    // The movie may lie outside the sources' roots.
    var anywhere = SourcePolicy(roots: ["/"])
    anywhere.handed = policy.handed
    let type = edit.timeline.export.fileType
    let facts = type.isSequence ? nil : try AssetProbe.facts(of: movie, policy: anywhere)
    isLossless = edit.timeline.export.video.coding.coder.isLossless
    (expectedFrames, expectedSamples, expectedSounds) = try (edit.frameCount, edit.sampleCount, edit.sounds.count)
    let copies = try CopySearch(of: edit, policy: policy) { progress(.packets(0)) }.plan
    expect(copies, of: edit)
    var audio: [(path: String, track: TrackFacts)] = []
    for path in files.isEmpty ? [movie] : files {
      let heard = path == movie ? facts : try AssetProbe.facts(of: path, policy: anywhere)
      audio += heard?.playableTracks(.audio).map { (path, $0) } ?? []
    }
    let tracks = (video: facts?.playableTracks(.video) ?? [], audio: audio)
    if facts != nil, tracks.video.count != (expectedFrames > 0 ? 1 : 0) {
      faults.append("it has \(tracks.video.count) picture tracks")
    }
    let sounds = expectedSamples > 0 ? edit.sounds : []
    if tracks.audio.count != sounds.count {
      let instead = sounds.count > 1 ? " instead of \(sounds.count)" : ""
      faults.append("it has \(tracks.audio.count) sound tracks\(instead)")
    }
    var lead: Rational?
    if expectedFrames > 0, type.isSequence || !tracks.video.isEmpty {
      let pictures = try Self.pictures(of: movie, track: tracks.video.first, edit: edit, policy: anywhere) {
        progress(.packets($0))
      }
      lead = try checkTimes(pictures.times, edit)
      if let track = tracks.video.first {
        checkFields(track, edit)
        checkPixelAspect(track, edit)
      }
      let renderer = PictureRenderer(edit: edit, policy: policy, fonts: fonts, compositing: compositing)
      let counted = frames
      var others = try open(renditions, of: edit, policy: anywhere) { progress(.packets(counted + $0)) }
      try checkPictures(
        pictures, renditions: &others, after: lead ?? Rational(0), renderer: renderer, copied: copies?.frames ?? [],
        progress: progress)
      (self.renditions, faults) = (others.map(\.result), faults + others.flatMap(\.faults))
    }
    // What stands before the first picture is the priming of the sound.
    let besides = type == .mpegts ? try Self.unheard(before: lead, edit.audio) : 0...0
    for (mix, track) in zip(sounds, tracks.audio) {
      try checkSound(
        of: track.path, track.track, against: mix, besides: besides, policy: policy, moviePolicy: anywhere, progress: progress)
    }
  }

  /// Takes what is to be a copy of its source. A sound that is copied ends with its source.
  private mutating func expect(_ copies: CopyPlan?, of edit: ResolvedTimeline) {
    if expectedFrames > 0, edit.timeline.export.video.copy != .never {
      copiedFrames = copies?.frames.reduce(0) { $0 + $1.count } ?? 0
    }
    guard expectedSamples > 0, edit.timeline.export.audio.copy != .never else { return }
    copiedSamples = copies?.soundSampleCount ?? 0
    expectedSamples = copies?.soundSampleCount ?? expectedSamples
  }

  /// Opens the movie's pictures.
  private static func pictures(
    of movie: String, track: TrackFacts?, edit: ResolvedTimeline, policy: SourcePolicy, progress: (Int) -> Void
  ) throws -> any MoviePictures {
    let export = edit.timeline.export
    if let names = export.pictureNames {
      let frameDuration = edit.videoComposition?.frameDuration ?? .oneSecond
      return try RolledPictures(movie, names, codec: export.video.codec.rawValue, lasting: frameDuration, policy)
    }
    guard let track, export.fileType != .apng else { return try AnimatedPictures(movie, policy: policy) }
    return try TrackPictures(movie, track, policy: policy, progress: progress)
  }

  /// Opens the renditions, as far as the edit has them.
  private mutating func open(
    _ paths: [String], of edit: ResolvedTimeline, policy: SourcePolicy, progress: (Int) -> Void
  ) throws -> [RenditionVerification] {
    guard let composition = edit.videoComposition else { return [] }
    let sized = edit.renditions
    if paths.count != sized.count {
      faults.append("it has \(paths.count) rendition\(paths.count == 1 ? "" : "s") instead of \(sized.count)")
    }
    return try zip(paths, sized).enumerated().map { index, rendition in
      try RenditionVerification(of: rendition.0, rendition.1.size, in: edit, composition, policy) {
        progress(index * expectedFrames + $0)
      }
    }
  }

  /// The longest time by which a transport stream's sound may begin before its pictures, in seconds: two blocks of AAC at 22,050 Hz.
  private static let longestLead = 0.1
  /// The samples that may follow the edit's in a stream that cannot say where its sound ends: less than a block of AC-3 or E-AC-3.
  private static let longestTail: Int64 = 1536
  /// The longest priming of a codec that a transport stream carries, in samples.
  private static let longestPriming: Int64 = 2048

  /// The samples that a transport stream has besides the edit's: it cannot say which are priming, and which fill up the last block
  /// (decision 0173).
  ///
  /// - Parameter lead: the time of the first picture; nil without pictures.
  private static func unheard(before lead: Rational?, _ settings: AudioCodecSettings?) throws -> ClosedRange<Int64> {
    guard let settings else { return 0...0 }
    guard let lead else { return 0...(longestPriming + longestTail) }
    let priming = Int64(clamping: try (lead * Rational(Int64(settings.sampleRate))).rounded())
    return max(priming - 1, 0)...(priming + longestTail)
  }

  /// Checks that frame i stands at `i * frameDuration`, to within less than a tick of the container. A transport stream begins with
  /// the priming of its sound, so that all its frames stand later by as much.
  ///
  /// - Returns: the time of the first frame.
  private mutating func checkTimes(_ times: PacketTimes, _ edit: ResolvedTimeline) throws -> Rational {
    guard let duration = edit.videoComposition?.frameDuration else { return Rational(0) }
    frames = times.presentation.count
    if frames != expectedFrames { faults.append("it has \(frames) frames instead of \(expectedFrames)") }
    var (lead, tolerance) = (Rational(0), times.tick)
    if edit.timeline.export.fileType == .mpegts, edit.audio != nil, let first = times.presentation.first,
      Rational(0) < first, first.approximation < Self.longestLead
    {
      // Both times are rounded to ticks.
      (lead, tolerance) = (first, try times.tick * Rational(2))
    }
    if let fault = try times.misplacement(of: duration, after: lead, within: tolerance) { faults.append(fault) }
    return lead
  }

  /// Checks that the movie says which field of its frames is shown first, or that they are whole.
  private mutating func checkFields(_ track: TrackFacts, _ edit: ResolvedTimeline) {
    guard case .video(let video) = track.detail, edit.timeline.export.video.copy == .never else { return }
    let (expected, found) = (edit.timeline.export.video.fields?.order, video.fieldOrder)
    func words(_ order: FieldOrder?) -> String { order.map { "fields, \($0.rawValue)" } ?? "whole frames" }
    if found != expected { faults.append("it tells of \(words(found)) instead of \(words(expected))") }
  }

  /// Checks that the movie says which shape its pixels have. Matroska says it by the width at which the picture is shown, in whole pixels.
  private mutating func checkPixelAspect(_ track: TrackFacts, _ edit: ResolvedTimeline) {
    guard case .video(let video) = track.detail else { return }
    let (expected, found) = (edit.timeline.export.video.pixelAspect, video.pixelAspect)
    let widths = [expected, found].map { Double(video.naturalSize.width * $0.width) / Double($0.height) }
    let tolerance = [.mkv, .webm].contains(edit.timeline.export.fileType) && expected != PixelSize(1, 1) ? 0.5 : 0
    if abs(widths[0] - widths[1]) > tolerance {
      faults.append("its pixels are \(found.width):\(found.height) instead of \(expected.width):\(expected.height)")
    }
  }

  private mutating func checkPictures(
    _ movie: any MoviePictures, renditions: inout [RenditionVerification], after lead: Rational, renderer: PictureRenderer,
    copied: [Range<Int>],
    progress: (Progress) -> Void
  ) throws {
    guard let duration = renderer.edit.videoComposition?.frameDuration else { return }
    var (total, changedCopy): (PictureDifference, Int?) = (PictureDifference(), nil)
    var rest = copied[...]
    var made = try ComparedStills(of: renderer.edit)
    for index in 0..<min(frames, expectedFrames) {
      var original = try renderer.frame(index)
      concealed = .sum(concealed + renderer.standIns.map { Concealment(asset: $0.rawValue, inFrame: index) })
      try made?.take(original, number: index)
      var copy = try movie.frame(index, lasting: duration, after: lead).holding(original.format.bitDepth)
      if renderer.edit.timeline.export.video.coding.coder.hidesClearColors {
        (original, copy) = try (original.rgb(renderer.edit.color).hidingClear(), copy.hidingClear())
      }
      guard copy.format == original.format, (copy.width, copy.height) == (original.width, original.height) else {
        faults.append("frame \(index) is \(copy.width)x\(copy.height) \(copy.format)")
        return
      }
      var difference = PictureDifference()
      difference.add(original, copy)
      total.add(difference)
      while let range = rest.first, range.upperBound <= index { rest.removeFirst() }
      if rest.first?.contains(index) == true, !difference.isZero { changedCopy = changedCopy ?? index }
      for place in renditions.indices { try renditions[place].compare(index, with: original, floor: floor) }
      if difference.psnr < worstFrame?.psnr ?? .infinity { worstFrame = Worst(index: index, psnr: difference.psnr) }
      progress(.pictures(index + 1))
    }
    if frames >= expectedFrames { stills = try made?.digests() }
    if !total.isZero { pictures = .decibels(total.psnr) } else if frames == expectedFrames { pictures = .equal }
    if let changedCopy { faults.append("frame \(changedCopy) is to be a copy of its source's, and differs from it") }
    guard let worstFrame, isLossless || worstFrame.psnr < floor else { return }
    faults.append(
      isLossless
        ? "frame \(worstFrame.index) differs from the edit's"
        : "frame \(worstFrame.index) has \(worstFrame.psnr) dB, below \(floor)")
  }

  /// Counts the samples. Each sample of lossless sound must be that of the mix, rounded to the codec's bits, and each that is copied that of
  /// its source.
  ///
  /// - Parameter besides: the number of samples that the file may have besides the edit's.
  private mutating func checkSound(
    of movie: String, _ track: TrackFacts, against edit: ResolvedTimeline, besides: ClosedRange<Int64>, policy: SourcePolicy,
    moviePolicy anywhere: SourcePolicy,
    progress: (Progress) -> Void
  ) throws {
    guard let settings = edit.audio else { return }
    let reader = try AudioReader(
      path: movie, track: track, policy: anywhere, from: Rational(0), rate: Rational(1), sampleRate: settings.sampleRate,
      layout: settings.channelLayout)
    let sound = try MasteredSound(edit: edit, policy: policy) { _, _ in progress(.samples(0)) }
    let copy = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: SoundMix.blockLength)
    // A movie of one sound has no number for it.
    let place = expectedSounds > 1 ? " of sound \(soundCount)" : ""
    let isCopied = copiedSamples ?? 0 > 0
    let form = isCopied ? .floats(isPlanar: true) : settings.coding.coder.sampleForm
    var (differs, samples) = (false, Int64(0))
    while let block = try sound.next() {
      let count = try unsafe reader.read(block.count, into: copy.planes)
      if isCopied || settings.codec.isLossless, !differs, let index = Self.firstDifference(block, copy, count, in: form) {
        let words = isCopied ? "is to be a copy of its source's, and differs from it" : "differs from the mix's"
        faults.append("sample \(samples + Int64(index))\(place) \(words)")
        differs = true
      }
      samples += Int64(count)
      progress(.samples(samples))
    }
    while true {
      let count = Int64(try unsafe reader.read(SoundMix.blockLength, into: copy.planes))
      samples += count
      if count == 0 || samples > expectedSamples + besides.upperBound { break }
    }
    // What is not of the edit is not counted.
    if besides.contains(samples - expectedSamples) { samples = expectedSamples }
    // What several sounds play of an asset is told once.
    concealed = .sum(
      concealed + sound.concealed.filter { part in !concealed.contains { $0.asset == part.asset && $0.samples > 0 } })
    if soundCount == 0 { (loudness, self.samples) = (sound.loudness, samples) }
    soundCount += 1
    if samples != expectedSamples { faults.append("it has \(samples) samples\(place) instead of \(expectedSamples)") }
  }

  private static func firstDifference(_ mix: SampleBlock, _ copy: SampleBlock, _ count: Int, in form: SampleForm) -> Int? {
    switch form {
    case .floats:
      return (0..<count).first { index in unsafe zip(mix.planes, copy.planes).contains { unsafe $0[index] != $1[index] } }
    case .integers(let bits, _):
      // The tolerance is half a step of the bits, and as much again for the float's own rounding, which has 24 bits.
      let tolerance: Float = 1 / Float(1 << (min(bits, 24) - 1))
      return (0..<count).first { index in
        unsafe zip(mix.planes, copy.planes).contains { unsafe abs(min(max($0[index], -1), 1) - $1[index]) > tolerance }
      }
    }
  }
}
