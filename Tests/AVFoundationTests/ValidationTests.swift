import AVFoundation
import FarmTesting
import Testing

/// Takes note of what it is told, and goes on or not.
private final class Notes: NSObject, AVVideoCompositionValidationHandling {
  private(set) var found: [String] = []
  var goesOn = true

  private func note(_ words: String) -> Bool {
    found.append(words)
    return goesOn
  }
  func videoComposition(
    _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool { note(key) }
  func videoComposition(
    _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: CMTimeRange
  ) -> Bool { note("gap \(timeRange.start.seconds)-\(timeRange.end.seconds)") }
  func videoComposition(
    _ videoComposition: AVVideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn videoCompositionInstruction:
      any AVVideoCompositionInstructionProtocol
  ) -> Bool { note("range at \(videoCompositionInstruction.timeRange.start.seconds)") }
  func videoComposition(
    _ videoComposition: AVVideoComposition,
    shouldContinueValidatingAfterFindingInvalidTrackIDIn videoCompositionInstruction: any AVVideoCompositionInstructionProtocol,
    layerInstruction: AVVideoCompositionLayerInstruction, asset: AVAsset
  ) -> Bool { note("track \(layerInstruction.trackID)") }
}

/// The kind of delegate that leaves all out.
private final class Silence: NSObject, AVVideoCompositionValidationHandling {}

@Suite(.serialized) struct `An edit that is looked at before its export` {
  private func instruction(_ start: Int64, _ end: Int64, tracks: [CMPersistentTrackID] = [1])
    -> AVMutableVideoCompositionInstruction
  {
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = TestMedia.range(start, end)
    instruction.layerInstructions = tracks.map { id in
      let layer = AVMutableVideoCompositionLayerInstruction()
      layer.trackID = id
      return layer
    }
    return instruction
  }

  private func video(_ instructions: AVMutableVideoCompositionInstruction...) -> AVMutableVideoComposition {
    let video = AVMutableVideoComposition()
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), TestMedia.tenths(1))
    video.instructions = instructions
    return video
  }

  private let all = CMTimeRange(start: .zero, duration: .positiveInfinity)

  @Test func `is valid where its instructions cover the asset`() throws {
    let video = video(instruction(0, 4), instruction(4, 10))
    #expect(try video.isValid(for: TestMedia.asset(), timeRange: all, validationDelegate: nil))
  }

  @Test func `is looked at without waiting`() async throws {
    let (asset, video) = (try TestMedia.asset(), video(instruction(0, 4), instruction(5, 10)))
    #expect(try await !video.isValid(for: asset, timeRange: all, validationDelegate: Silence()))
  }

  @Test func `tells each fault to its delegate, until that has heard enough`() throws {
    let asset = try TestMedia.asset()
    let video = video(instruction(0, 4, tracks: [1, 2]), instruction(3, 5), instruction(6, 8))
    video.frameDuration = .zero
    let notes = Notes()
    #expect(!video.isValid(for: asset, timeRange: all, validationDelegate: notes))
    #expect(notes.found == ["frameDuration", "range at 0.3", "gap 0.4-0.6", "gap 0.8-1.0", "track 2"])
    let few = Notes()
    few.goesOn = false
    #expect(!video.isValid(for: asset, timeRange: all, validationDelegate: few))
    #expect(few.found == ["frameDuration"])
    #expect(!video.isValid(for: asset, timeRange: all, validationDelegate: Silence()))
    #expect(!video.isValid(for: nil, timeRange: TestMedia.range(0, 2), validationDelegate: nil))
  }

  @Test func `gives its ramps back`() {
    let layer = AVMutableVideoCompositionLayerInstruction()
    var (start, end, range) = (Float(-1), Float(-1), CMTimeRange.invalid)
    func ramp(_ tenth: Int64) -> Bool {
      unsafe layer.getOpacityRamp(for: TestMedia.tenths(tenth), startOpacity: &start, endOpacity: &end, timeRange: &range)
    }
    #expect(!ramp(0) && start == -1 && !range.isValid)
    layer.setOpacity(0.5, at: TestMedia.tenths(2))
    layer.setOpacityRamp(fromStartOpacity: 0.5, toEndOpacity: 1, timeRange: TestMedia.range(4, 8))
    #expect(ramp(1) && range == TestMedia.range(2, 4), "where none is, the next one is given")
    #expect(ramp(3) && start == 0.5 && end == 0.5 && range == TestMedia.range(2, 4))
    #expect(ramp(4) && start == 0.5 && end == 1 && range == TestMedia.range(4, 8))
    #expect(!ramp(8), "no ramp includes its own end, and none comes after it")
    layer.setTransform(CGAffineTransform(scaleX: 2, y: 2), at: .zero)
    var map = CGAffineTransform.identity
    #expect(unsafe layer.getTransformRamp(for: TestMedia.tenths(9), start: &map, end: nil, timeRange: &range))
    #expect(map.a == 2 && range.start == .zero && range.duration == .positiveInfinity)
    #expect(unsafe !layer.getCropRectangleRamp(for: .zero, startCropRectangle: nil, endCropRectangle: nil, timeRange: nil))
    let sound = AVMutableAudioMixInputParameters()
    sound.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: TestMedia.range(0, 5))
    #expect(unsafe sound.getVolumeRamp(for: .zero, startVolume: &start, endVolume: &end, timeRange: &range))
    #expect(start == 0 && end == 1 && range == TestMedia.range(0, 5))
  }

  // MARK: Segments

  private func track() throws -> AVMutableCompositionTrack {
    try #require(AVMutableComposition().addMutableTrack(withMediaType: .video, preferredTrackID: 1))
  }

  private func segment(_ source: CMTimeRange, _ target: CMTimeRange, track: CMPersistentTrackID = 1) throws
    -> AVCompositionTrackSegment
  {
    AVCompositionTrackSegment(url: try TestMedia.clip.get(), trackID: track, sourceTimeRange: source, targetTimeRange: target)
  }

  @Test func `plays the segments that it is given`() throws {
    let composition = AVMutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 1))
    track.segments = [
      try segment(TestMedia.range(2, 6), TestMedia.range(0, 2)), AVCompositionTrackSegment(timeRange: TestMedia.range(2, 3)),
      try segment(TestMedia.range(0, 1), TestMedia.range(3, 4)),
    ]
    #expect(track.segments.map(\.isEmpty) == [false, true, false] && composition.duration == TestMedia.tenths(4))
    #expect(track.segments[0].timeMapping.source == TestMedia.range(2, 6) && track.segments[0].sourceTrackID == 1)
    #expect(track.segments[0].sourceURL == (try TestMedia.clip.get()))
    #expect(track.segment(forTrackTime: TestMedia.tenths(2))?.isEmpty == true)
    let other: AVAssetTrack = track
    #expect(other.segments.map(\.timeMapping.target) == track.segments.map(\.timeMapping.target))
    #expect(try composition.spoolDocument().contains("segments"))
  }

  @Test func `refuses segments that do not follow each other, each with its own code`() throws {
    let track = try track()
    func code(_ segments: AVCompositionTrackSegment...) -> AVError.Code? {
      do throws(AVError) { try track.validateSegments(segments) } catch { return error.code }
      return nil
    }
    let first = try segment(TestMedia.range(0, 2), TestMedia.range(0, 2))
    #expect(code(first) == nil)
    #expect(try code(first, segment(TestMedia.range(0, 1), TestMedia.range(3, 4))) == .compositionTrackSegmentsNotContiguous)
    #expect(try code(segment(TestMedia.range(0, 1), TestMedia.range(0, 0))) == .invalidCompositionTrackSegmentDuration)
    #expect(try code(segment(TestMedia.range(-1, 1), TestMedia.range(0, 2))) == .invalidCompositionTrackSegmentSourceStartTime)
    #expect(try code(segment(TestMedia.range(1, 1), TestMedia.range(0, 2))) == .invalidCompositionTrackSegmentSourceDuration)
  }

  @Test func `stays as it was when its segments cannot be played, and the export tells why`() throws {
    let composition = AVMutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 1))
    try track.insertTimeRange(TestMedia.range(0, 5), of: #require(TestMedia.asset().tracks.first), at: .zero)
    track.segments = [try segment(TestMedia.range(0, 2), TestMedia.range(0, 2), track: 9)]
    #expect(composition.duration == TestMedia.tenths(5))
    let error = #expect(throws: AVError.self) { try composition.spoolDocument() }
    #expect(error?.code == .noSourceTrack)
  }
}
