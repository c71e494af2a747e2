internal import Formats
internal import MediaTime
internal import Synchronization
internal import Timeline

/// The pictures that a compositor of the user's own makes, one after the other. It runs in this process; the pictures of the tracks
/// come from the program.
// Its owner's lock keeps threads apart.
final class ComposedFrames: @unchecked Sendable {
  let frameDuration: MediaTime
  /// The time of the first frame, and their number.
  let begin: MediaTime
  let count: Int
  let stage: CompositorStage
  private let tracks: [AVMutableCompositionTrack]
  private let instructions: [(range: MediaTimeRange, instruction: any AVVideoCompositionInstructionProtocol)]
  private var clips: [CMPersistentTrackID: TrackClip] = [:]
  private var next = 0

  /// The clip of a track that is being read, and its next picture.
  private struct TrackClip {
    var range: MediaTimeRange
    var supply: PictureSupply
    var index: Int
  }

  /// - Parameter request: an export with a video composition that has a compositor's class.
  init(_ request: Lowering.Request) throws(AVError) {
    guard let video = request.videoComposition, let kind = video.customVideoCompositorClass else {
      preconditionFailure("the composition has a compositor")
    }
    let composition = try request.asset.asComposition()
    for track in composition.compositionTracks { if let fault = track.fault { throw fault } }
    tracks = composition.compositionTracks.filter { track in
      track.mediaType == .video && track.isEnabled && request.trackIDs?.contains(track.trackID) ?? true
    }
    let duration = composition.compositionTracks.map(\.edit.duration).max() ?? .zero
    let code = AVError.Code.invalidVideoComposition
    frameDuration = try MediaTime(video.frameDuration, "frameDuration", code)
    guard frameDuration > .zero, duration > .zero else {
      throw AVError(code, "frameDuration: must be positive", property: "frameDuration", time: video.frameDuration)
    }
    instructions = try Self.instructions(video, request.timeRange, lasting: duration)
    let compositor: any AVVideoCompositing
    if let known = request.compositor { compositor = known } else { compositor = try CompositorStage.made(kind) }
    let color = try Lowering(request, folder: "").colors(of: tracks)?.composed
    (begin, count) = try Self.frames(request.timeRange, frameDuration, lasting: duration)
    stage = try CompositorStage(compositor, for: video, color)
  }

  private static func instructions(
    _ video: AVVideoComposition, _ wanted: CMTimeRange?, lasting duration: MediaTime
  ) throws(AVError) -> [(range: MediaTimeRange, instruction: any AVVideoCompositionInstructionProtocol)] {
    let code = AVError.Code.invalidVideoComposition
    var found: [(range: MediaTimeRange, instruction: any AVVideoCompositionInstructionProtocol)] = []
    let wanted = try MediaTimeRange(wanted: wanted, lasting: duration)
    var end = MediaTime.zero
    for (index, instruction) in video.instructions.enumerated() {
      let range = try MediaTimeRange(
        ofInstruction: instruction.timeRange, "instructions[\(index)].timeRange", until: duration)
      if index == 0, range.start > end, range.start <= wanted.start { end = range.start }
      guard range.start == end else {
        let word = range.start > end ? "leaves a gap" : "overlaps the one before it"
        throw AVError(
          code, "instructions[\(index)].timeRange: starts at \(range.start) and \(word), which ends at \(end)",
          property: "instructions", time: CMTime(exactly: end))
      }
      end = range.end
      found.append((range, instruction))
    }
    guard end >= wanted.end else {
      throw AVError(
        code, "instructions: end at \(end), but the composition ends at \(wanted.end)", property: "instructions",
        time: CMTime(exactly: end))
    }
    return found
  }

  /// The frames of a range: the first one begins with it, and the last one in it.
  private static func frames(
    _ wanted: CMTimeRange?, _ frameDuration: MediaTime, lasting duration: MediaTime
  ) throws(AVError) -> (begin: MediaTime, count: Int) {
    let range = try MediaTimeRange(wanted: wanted, lasting: duration)
    do { return (range.start, max(1, Int(try range.duration.coveringUnits(of: frameDuration)))) } catch {
      throw AVError(.unknown, "timeRange: \(error)", property: "timeRange")
    }
  }

  func time(_ index: Int) throws(AVError) -> MediaTime {
    do { return try begin + frameDuration * Int64(index) } catch { throw AVError(.unknown, "frame \(index): \(error)") }
  }

  /// The next picture and its time; nil at the end.
  ///
  /// - Parameter isWanted: asked ten times a second. When it is false, the compositor is told to cancel.
  func frame(isWanted: () -> Bool = { true }) throws(AVError) -> (picture: CVPixelBuffer, time: MediaTime)? {
    guard next < count else { return nil }
    let (index, time) = (next, try time(next))
    next += 1
    guard let instruction = instructions.first(where: { $0.range.contains(time) })?.instruction else {
      throw AVError(.invalidVideoComposition, "instructions: there is none at \(time)", time: CMTime(exactly: time))
    }
    let wanted = Self.wantedTracks(instruction, tracks)
    var sources: CompositorStage.Sources = []
    for track in tracks where wanted.contains(track.trackID) {
      if let picture = try picture(of: track, index, time) { sources.append((track.trackID, picture)) }
    }
    if let passed = CompositorStage.passed(instruction, sources) { return (passed, time) }
    return (try composed(instruction, sources, at: time, isWanted), time)
  }

  /// The tracks whose pictures an instruction asks for.
  static func wantedTracks(
    _ instruction: any AVVideoCompositionInstructionProtocol, _ tracks: [AVMutableCompositionTrack]
  ) -> Set<CMPersistentTrackID> {
    if instruction.passthroughTrackID != kCMPersistentTrackID_Invalid { return [instruction.passthroughTrackID] }
    guard let required = instruction.requiredSourceTrackIDs else { return Set(tracks.map(\.trackID)) }
    return Set(required.compactMap { ($0 as? NSNumber)?.int32Value })
  }

  private func composed(
    _ instruction: any AVVideoCompositionInstructionProtocol, _ sources: CompositorStage.Sources, at time: MediaTime,
    _ isWanted: () -> Bool
  ) throws(AVError) -> CVPixelBuffer {
    let answer = Answer()
    stage.start(instruction, at: time, sources) { answer.give($0) }
    var isCancelled = false
    while !answer.wait(milliseconds: 100) {
      if !isCancelled, !isWanted() {
        isCancelled = true
        stage.cancel()
      }
      // A compositor that is cancelled need not answer.
      if isCancelled { throw AVError(.operationCancelled, "the export was cancelled") }
    }
    switch answer.value {
    case .picture(let picture): return picture
    case .failure(let error):
      throw AVError(
        .videoCompositorFailed, "the compositor failed at \(time): \(error)", property: "customVideoCompositorClass",
        time: CMTime(exactly: time))
    case .cancelled, nil: throw AVError(.operationCancelled, "the compositor cancelled the picture at \(time)")
    }
  }

  /// The picture of a track at a time; nil where it shows nothing.
  private func picture(of track: AVMutableCompositionTrack, _ index: Int, _ time: MediaTime) throws(AVError) -> CVPixelBuffer? {
    guard let sourceForm = stage.sourceForm, case .media(let source, let mapping)? = track.edit.segment(at: time) else {
      return nil
    }
    var clip = clips[track.trackID]
    if clip?.range != mapping.target || clip.map({ $0.index > index }) ?? true {
      clip?.supply.cancel()
      clip = try opened(track, source, mapping, from: index, sourceForm)
    }
    while let open = clip, open.index <= index {
      guard let picture = try open.supply.picture() else { return nil }
      clip?.index += 1
      clips[track.trackID] = clip
      if open.index == index { return picture.picture }
    }
    return nil
  }

  /// The pictures of a clip alone, in its own size, from a frame on.
  private func opened(
    _ track: AVMutableCompositionTrack, _ source: SegmentSource, _ mapping: TimeMapping, from index: Int, _ form: PictureForm
  ) throws(AVError) -> TrackClip {
    let alone = AVMutableComposition()
    guard let copy = alone.addMutableTrack(withMediaType: .video, preferredTrackID: track.trackID) else {
      preconditionFailure("a composition takes tracks of pictures")
    }
    let start = mapping.target.start
    let segment: TrackSegment
    do { segment = try TrackSegment.media(source, mapping).moved(by: .zero - start) } catch {
      throw AVError(.unknown, "track \(track.trackID): \(error)")
    }
    try copy.insert(Material(segments: [segment], sources: track.sources), lasting: mapping.target.duration, at: start)
    var request = Lowering.Request(asset: alone)
    (request.liesAsStored, request.frameDuration) = (true, CMTime(exactly: frameDuration))
    let first = try time(index)
    request.timeRange = CMTimeRange(start: CMTime(exactly: first), end: CMTime(exactly: mapping.target.end))
    return TrackClip(range: mapping.target, supply: try PictureSupply(request, form, what: "frames"), index: index)
  }

  func cancel() { stage.cancel() }
}

/// The answer of a compositor, for which a thread waits.
private final class Answer: Sendable {
  private let held = Mutex<ComposedPicture?>(nil)
  private let bell = DispatchSemaphore(value: 0)

  /// Takes the answer, which comes once.
  func give(_ picture: ComposedPicture) {
    held.withLock { $0 = picture }
    bell.signal()
  }

  /// Waits for the answer.
  ///
  /// - Returns: false where it has not come.
  func wait(milliseconds: Int) -> Bool { bell.wait(timeout: .now() + .milliseconds(milliseconds)) == .success }

  var value: ComposedPicture? { held.withLock(\.self) }
}

/// The pictures of a compositor, as samples.
// The output's lock keeps threads apart, and the flag is atomic.
final class ComposedSupply: SampleSupply, @unchecked Sendable {
  private let frames: ComposedFrames
  private let form: PictureForm
  private let isCancelled = Atomic<Bool>(false)

  init(_ request: Lowering.Request, _ form: PictureForm) throws(AVError) {
    (frames, self.form) = (try ComposedFrames(request), form)
  }

  func next() throws(AVError) -> CMSampleBuffer? {
    guard let (picture, time) = try frames.frame(isWanted: { !isCancelled.load(ordering: .relaxed) }) else { return nil }
    guard picture.type == form.type else {
      throw AVError(
        .unsupportedOutputSettings,
        "videoSettings: the compositor makes \(PixelLayout.name(of: picture.type)), and \(PixelLayout.name(of: form.type)) is wanted",
        property: "videoSettings", time: CMTime(exactly: time))
    }
    let timing = CMSampleTimingInfo(
      duration: CMTime(exactly: frames.frameDuration), presentationTimeStamp: CMTime(exactly: time), decodeTimeStamp: .invalid)
    return CMSampleBuffer(picture: picture, block: nil, CMFormatDescription(of: picture), count: 1, timing: [timing])
  }

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    frames.cancel()
  }
}
