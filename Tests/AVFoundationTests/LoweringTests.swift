import AVFoundation
import Document
import FarmTesting
import Formats
import Foundation
import MediaTime
import Testing
import Timeline

@Suite(.serialized) struct `An edit in code` {
  let composition = AVMutableComposition()
  let track: AVMutableCompositionTrack
  let place: String

  init() throws {
    let asset = try TestMedia.asset()
    place = asset.url.path
    track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
    try track.insertTimeRange(TestMedia.range(0, 10), of: #require(asset.tracks.first), at: .zero)
  }

  /// The canonical form of a document, as somebody would write it.
  private func canonical(_ document: String) throws -> String {
    String(decoding: try Timeline.parse(Array(document.utf8)).canonicalJSON(), as: UTF8.self)
  }

  private var edit: String {
    #""spool": 1, "assets": {"media1": {"path": "\#(place)"}}, "export": {"preset": "highest"}"#
  }

  private func tracks(_ segments: String = #"{"asset": "media1", "source": {"start": "0", "duration": "1"}}"#) -> String {
    #""composition": {"tracks": [{"id": "1", "media": "video", "segments": [\#(segments)]}]}"#
  }

  private func videoComposition(
    _ range: CMTimeRange = TestMedia.range(0, 10), _ make: (AVMutableVideoCompositionLayerInstruction) -> Void = { _ in }
  ) -> AVMutableVideoComposition {
    let video = AVMutableVideoComposition()
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), CMTime(value: 1, timescale: 10))
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = range
    let layer = AVMutableVideoCompositionLayerInstruction(assetTrack: track)
    make(layer)
    instruction.layerInstructions = [layer]
    video.instructions = [instruction]
    return video
  }

  private func written(_ layer: String) -> String {
    #"""
    "videoComposition": {"renderSize": [64, 48], "frameDuration": "0.1", "instructions": [
      {"timeRange": {"start": "0", "duration": "1"}, "layerInstructions": [\#(layer)]}]}
    """#
  }

  @Test func `that is a plain cut is a document without a video composition`() throws {
    #expect(try composition.spoolDocument() == canonical("{\(edit), \(tracks())}"))
  }

  @Test func `with ramps has their keyframes`() throws {
    let video = videoComposition { layer in
      layer.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0.3, timeRange: TestMedia.range(2, 4))
      layer.setOpacity(0.5, at: TestMedia.tenths(6))
      layer.setTransform(CGAffineTransform(translationX: 3, y: -4), at: .zero)
      layer.setCropRectangle(CGRect(x: 1, y: 2, width: 30, height: 20), at: .zero)
    }
    let layer = #"""
      {"track": "1",
       "opacity": [{"at": "0.2", "value": 1}, {"at": "0.4", "value": 0.3, "hold": true}, {"at": "0.6", "value": 0.5}],
       "transform": [1, 0, 0, 1, 3, -4], "crop": [1, 2, 30, 20]}
      """#
    #expect(
      try composition.spoolDocument(videoComposition: video) == canonical("{\(edit), \(tracks()), \(written(layer))}"))
  }

  @Test func `wipes by a crop that begins or ends with an empty rectangle`() throws {
    let video = videoComposition { layer in
      layer.setCropRectangleRamp(
        fromStartCropRectangle: CGRect(x: 0, y: 0, width: 64, height: 48),
        toEndCropRectangle: CGRect(x: 0, y: 48, width: 64, height: 0), timeRange: TestMedia.range(2, 4))
    }
    let timeline = try Timeline.parse(Array(composition.spoolDocument(videoComposition: video).utf8))
    guard case .layerInstructions(let layers)? = timeline.videoComposition?.instructions.first?.content else {
      Issue.record("no layers")
      return
    }
    let ends = layers[0].crop.keyframes.map(\.value)
    #expect(ends.map(\.y) == [0, 48] && ends[0].height == 48 && ends[1].height > 0 && ends[1].height < 0.001)
  }

  @Test func `needs instructions for what is exported alone`() throws {
    let range = TestMedia.range(2, 5)
    let exported = try composition.spoolDocument(videoComposition: videoComposition(range), timeRange: range)
    let video = try #require(try Timeline.parse(Array(exported.utf8)).videoComposition)
    #expect(video.instructions.map(\.timeRange.start.description) == ["0", "0.2", "0.5"])
    #expect(throws: AVError.self) {
      try composition.spoolDocument(videoComposition: videoComposition(range), timeRange: TestMedia.range(1, 5))
    }
  }

  @Test func `whose size is set is as large by the properties of its asset`() throws {
    track.preferredTransform = CGAffineTransform(rotationAngle: .pi / 2).concatenating(.init(translationX: 48, y: 0))
    #expect(AVMutableVideoComposition(propertiesOf: composition).renderSize == CGSize(width: 64, height: 48))
    composition.naturalSize = CGSize(width: 48, height: 64)
    #expect(AVMutableVideoComposition(propertiesOf: composition).renderSize == CGSize(width: 48, height: 64))
  }

  @Test func `lasts as long as the composition where an instruction has no end`() throws {
    let endless = videoComposition(CMTimeRange(start: .zero, end: .positiveInfinity))
    #expect(
      try composition.spoolDocument(videoComposition: endless)
        == composition.spoolDocument(videoComposition: videoComposition()))
    let whole = CMTimeRange(start: .zero, duration: composition.duration)
    #expect(endless.isValid(for: composition, timeRange: whole, validationDelegate: nil))
  }

  @Test func `shows the top left part as large as it is where a smaller render size follows the asset's properties`() throws {
    let video = AVMutableVideoComposition(propertiesOf: composition)
    video.renderSize = CGSize(width: 32, height: 24)
    let smaller = written(#"{"track": "1"}"#).replacing("[64, 48]", with: "[32, 24]")
    #expect(try composition.spoolDocument(videoComposition: video) == canonical("{\(edit), \(tracks()), \(smaller)}"))
  }

  @Test func `tells the language of its sound where all that is heard has one`() throws {
    let asset = try TestMedia.asset()
    let medium = try #require(asset.tracks(withMediaType: .audio).first)
    let voices = try (0..<2).map { _ in
      let voice = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 0))
      try voice.insertTimeRange(TestMedia.range(0, 5), of: medium, at: .zero)
      return voice
    }
    for voice in voices { voice.languageCode = "fra" }
    voices[0].extendedLanguageTag = "fr-CA"
    voices[1].extendedLanguageTag = "fr-CA"
    let told = try Timeline.parse(Array(composition.spoolDocument().utf8))
    #expect(told.export.sounds.map(\.language) == ["fr-CA"] && told.export.sounds[0].tracks.count == 2)
    voices[1].extendedLanguageTag = "en"
    #expect(try Timeline.parse(Array(composition.spoolDocument().utf8)).export.sounds.isEmpty)
    voices[1].isEnabled = false
    #expect(try Timeline.parse(Array(composition.spoolDocument().utf8)).export.sounds.map(\.language) == ["fr-CA"])
  }

  @Test func `takes a medium's own turn out of what it lays`() throws {
    let asset = try TestMedia.asset(turned: true)
    let source = try #require(asset.tracks.first)
    track.removeTimeRange(TestMedia.range(0, 10))
    try track.insertTimeRange(TestMedia.range(0, 10), of: source, at: .zero)
    let edit = edit.replacing(place, with: asset.url.path)
    // Upright, as the caller says, is as documents lay it.
    let upright = videoComposition { $0.setTransform(source.preferredTransform, at: .zero) }
    #expect(
      try composition.spoolDocument(videoComposition: upright)
        == canonical(#"{\#(edit), \#(tracks()), \#(written(#"{"track": "1"}"#))}"#))
    // Untouched, it lies on its side: the upright 48 × 64 is turned back.
    let stored = #"{"track": "1", "transform": [0, -1, 1, 0, 0, 48]}"#
    #expect(
      try composition.spoolDocument(videoComposition: videoComposition())
        == canonical("{\(edit), \(tracks()), \(written(stored))}"))
  }

  @Test func `with media that stand differently changes its transform where they change`() throws {
    let source = try #require(TestMedia.asset(turned: true).tracks.first)
    try track.insertTimeRange(TestMedia.range(0, 5), of: source, at: TestMedia.tenths(10))
    let text = try composition.spoolDocument(videoComposition: videoComposition(TestMedia.range(0, 15)))
    let timeline = try Timeline.parse(Array(text.utf8))
    let video = try #require(timeline.videoComposition)
    guard case .layerInstructions(let layers) = video.instructions[0].content else {
      Issue.record("no layers")
      return
    }
    let frames = layers[0].transform.keyframes
    #expect(frames.map(\.time.description) == ["0", "1"])
    #expect(frames.map(\.value.a) == [1, 0] && frames[0].holds)
    // A transform that is set once stays, too.
    let moved = videoComposition(TestMedia.range(0, 15)) { layer in
      layer.setTransform(CGAffineTransform(translationX: 3, y: 0), at: .zero)
      layer.setOpacity(0.5, at: .zero)
    }
    let document = try composition.spoolDocument(videoComposition: moved)
    let parsed = try #require(try Timeline.parse(Array(document.utf8)).videoComposition)
    guard case .layerInstructions(let laid) = parsed.instructions[0].content else {
      Issue.record("no layers")
      return
    }
    #expect(laid[0].transform.keyframes.map(\.value.a) == [1, 0] && laid[0].transform.keyframes[0].holds)
  }

  @Test func `is told of gaps and of tracks that it does not have, by name and time`() throws {
    let gap = #expect(throws: AVError.self) {
      try composition.spoolDocument(videoComposition: videoComposition(TestMedia.range(2, 10)))
    }
    #expect(gap?.code == .invalidVideoComposition && gap?.time == .zero)
    let short = #expect(throws: AVError.self) {
      try composition.spoolDocument(videoComposition: videoComposition(TestMedia.range(0, 9)))
    }
    #expect(short?.time == TestMedia.tenths(9) && short?.property == "instructions")
    let stranger = #expect(throws: AVError.self) {
      try composition.spoolDocument(videoComposition: videoComposition { $0.trackID = 9 })
    }
    #expect(stranger?.property == "trackID")
    let ramps = #expect(throws: AVError.self) {
      try composition.spoolDocument(
        videoComposition: videoComposition {
          $0.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: TestMedia.range(0, 5))
          $0.setOpacity(1, at: TestMedia.tenths(3))
        })
    }
    #expect(ramps?.time == TestMedia.tenths(3))
    func ramp(_ start: Float, _ end: Float) throws -> String {
      try composition.spoolDocument(
        videoComposition: videoComposition {
          $0.setOpacityRamp(fromStartOpacity: start, toEndOpacity: end, timeRange: TestMedia.range(0, 5))
        })
    }
    let beyond = #expect(throws: AVError.self) { try ramp(0, 2) }
    #expect(beyond?.property == "opacity" && beyond?.reason.contains("moves from 0.0 to 2.0, which is not in 0...1") == true)
    #expect(try ramp(2, 3) == ramp(1, 1), "it is full all the way")
  }

  @Test func `with an audio mix has its volumes`() throws {
    let sound = try #require(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 0))
    try sound.insertTimeRange(
      TestMedia.range(0, 8), of: #require(TestMedia.asset().tracks(withMediaType: .audio).first), at: .zero)
    let mix = AVMutableAudioMix()
    let parameters = AVMutableAudioMixInputParameters(track: sound)
    parameters.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: TestMedia.range(0, 5))
    mix.inputParameters = [parameters]
    let timeline = try Timeline.parse(Array(composition.spoolDocument(audioMix: mix).utf8))
    #expect(timeline.audioMix.inputParameters.map(\.track.rawValue) == ["2"])
    #expect(timeline.audioMix.inputParameters[0].volume.keyframes.map(\.value) == [0, 1])
    sound.scaleTimeRange(TestMedia.range(0, 4), toDuration: TestMedia.tenths(8))
    func preservesPitch() throws -> Bool {
      try Timeline.parse(Array(composition.spoolDocument(audioMix: mix).utf8)).audioMix.preservesPitch(TrackID("2"))
    }
    #expect(try preservesPitch())
    parameters.audioTimePitchAlgorithm = .timeDomain
    #expect(try preservesPitch())
    parameters.audioTimePitchAlgorithm = .varispeed
    #expect(try !preservesPitch())
  }

  @Test func `in a preset's size is scaled, never up, and turned with the picture`() throws {
    func output(_ preset: String) throws -> String? {
      let timeline = try Timeline.parse(Array(composition.spoolDocument(presetName: preset).utf8))
      return timeline.videoComposition.map { "\($0.outputSize.width)x\($0.outputSize.height)" }
    }
    #expect(try output(AVAssetExportPreset640x480) == "64x48")
    let hevc = try Timeline.parse(
      Array(composition.spoolDocument(presetName: AVAssetExportPresetHEVC1920x1080, fileType: .mov).utf8))
    #expect(hevc.export.video.codec == .hevc && hevc.videoComposition?.outputSize.width == 64)
    #expect(throws: AVError.self) { try composition.spoolDocument(presetName: AVAssetExportPresetAppleProRes422LPCM) }
    let video = videoComposition()
    video.renderSize = CGSize(width: 1080, height: 1920)
    let text = try composition.spoolDocument(videoComposition: video, presetName: AVAssetExportPreset1280x720)
    let size = try #require(Timeline.parse(Array(text.utf8)).videoComposition).outputSize
    #expect((size.width, size.height) == (720, 1280))
  }

  @Test func `has the colours that it names`() throws {
    let video = videoComposition()
    video.colorPrimaries = AVVideoColorPrimaries_ITU_R_709_2
    #expect(throws: AVError.self) { try composition.spoolDocument(videoComposition: video) }
    video.colorTransferFunction = AVVideoTransferFunction_ITU_R_709_2
    video.colorYCbCrMatrix = AVVideoYCbCrMatrix_ITU_R_709_2
    let timeline = try Timeline.parse(Array(composition.spoolDocument(videoComposition: video).utf8))
    #expect(timeline.videoComposition?.color == .bt709)
  }
}
