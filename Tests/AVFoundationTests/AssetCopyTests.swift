import AVFoundation
import FarmTesting
import Foundation
import Testing

/// Copies of objects that can be changed, as `NSCopying` and `NSMutableCopying` make them.
@Suite(.serialized) struct `A copy` {
  private func copy<Value>(_ object: NSObject, as type: Value.Type = Value.self) throws -> Value {
    try #require(object.copy() as? Value)
  }

  private func mutable<Value>(_ object: NSObject, as type: Value.Type = Value.self) throws -> Value {
    try #require(object.mutableCopy() as? Value)
  }

  @Test func `of an edit stays as it was when the edit is changed, and the reverse`() throws {
    let asset = try TestMedia.asset()
    let edit = AVMutableComposition()
    try edit.insertTimeRange(TestMedia.range(0, 5), of: asset, at: .zero)
    let track = try #require(edit.tracks.first)
    (track.preferredTransform, track.preferredVolume) = (CGAffineTransform(scaleX: 2, y: 2), 0.5)
    edit.naturalSize = CGSize(width: 32, height: 24)
    let kept: AVComposition = try copy(edit)
    #expect(!(kept is AVMutableComposition) && kept.tracks.map(\.trackID) == edit.tracks.map(\.trackID))
    let other: AVMutableComposition = try mutable(edit)
    track.removeTimeRange(TestMedia.range(0, 3))
    #expect(kept.duration == TestMedia.tenths(5) && kept.naturalSize == edit.naturalSize)
    #expect(kept.tracks.first?.preferredTransform == track.preferredTransform && kept.tracks.first?.preferredVolume == 0.5)
    #expect(kept.tracks.first?.asset === kept)
    try other.insertTimeRange(TestMedia.range(0, 5), of: asset, at: .invalid)
    #expect(other.duration == TestMedia.tenths(10) && edit.tracks.count == 2 && other.tracks.count == 2)
    #expect(track.timeRange.duration == TestMedia.tenths(2))
    let again: AVMutableComposition = try mutable(kept)
    again.removeTrack(try #require(again.tracks.first))
    #expect(kept.tracks.count == 2)
    let same: AVURLAsset = try copy(asset)
    #expect(same === asset)
  }

  @Test func `of a video composition, its instructions and layers can be changed alone`() throws {
    let video = AVMutableVideoComposition()
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), TestMedia.tenths(1))
    let instruction = AVMutableVideoCompositionInstruction()
    (instruction.timeRange, instruction.backgroundColor) = (TestMedia.range(0, 5), LayerStage.red)
    let layer = AVMutableVideoCompositionLayerInstruction()
    layer.trackID = 7
    layer.setOpacity(0.5, at: .zero)
    instruction.layerInstructions = [layer]
    video.instructions = [instruction]
    let kept: AVVideoComposition = try copy(video)
    let other: AVMutableVideoComposition = try mutable(kept)
    video.renderSize = .zero
    other.frameDuration = TestMedia.tenths(2)
    #expect(kept.renderSize == CGSize(width: 64, height: 48) && kept.frameDuration == TestMedia.tenths(1))
    #expect(!(kept is AVMutableVideoComposition) && kept.instructions.first === instruction)
    let part: AVMutableVideoCompositionInstruction = try mutable(instruction)
    part.timeRange = TestMedia.range(0, 9)
    #expect(instruction.timeRange == TestMedia.range(0, 5) && part.layerInstructions.first === layer)
    #expect(part.backgroundColor == LayerStage.red)
    let laid: AVMutableVideoCompositionLayerInstruction = try mutable(layer)
    laid.setOpacity(1, at: .zero)
    #expect(laid.trackID == 7 && layer.opacityRamp(at: .zero)?.start == 0.5)
    let fixed: AVVideoCompositionLayerInstruction = try copy(layer)
    #expect(!(fixed is AVMutableVideoCompositionLayerInstruction) && fixed.opacityRamp(at: .zero)?.start == 0.5)
  }

  @Test func `of a mix and its parameters can be changed alone`() throws {
    let (mix, parameters) = (AVMutableAudioMix(), AVMutableAudioMixInputParameters())
    (parameters.trackID, parameters.audioTimePitchAlgorithm) = (3, .varispeed)
    parameters.setVolume(0.5, at: .zero)
    mix.inputParameters = [parameters]
    let kept: AVAudioMix = try copy(mix)
    let other: AVMutableAudioMixInputParameters = try mutable(parameters)
    mix.inputParameters = []
    other.setVolume(1, at: .zero)
    #expect(kept.inputParameters.first === parameters && !(kept is AVMutableAudioMix))
    var start: Float = 0
    #expect(unsafe parameters.getVolumeRamp(for: .zero, startVolume: &start, endVolume: nil, timeRange: nil) && start == 0.5)
    #expect(other.trackID == 3 && other.audioTimePitchAlgorithm == .varispeed)
  }

  @Test func `of a word, a group and an item can be changed alone`() throws {
    let word = AVMutableMetadataItem()
    (word.identifier, word.value) = (.commonIdentifierTitle, "Sea" as NSString)
    let kept: AVMetadataItem = try copy(word)
    let other: AVMutableMetadataItem = try mutable(kept)
    other.value = "Land" as NSString
    #expect(kept.stringValue == "Sea" && word.stringValue == "Sea" && !(kept is AVMutableMetadataItem))
    #expect(other.identifier == .commonIdentifierTitle && other.stringValue == "Land")
    let group = AVTimedMetadataGroup(items: [kept], timeRange: TestMedia.range(0, 5))
    let longer: AVMutableTimedMetadataGroup = try mutable(group)
    longer.timeRange = TestMedia.range(0, 9)
    #expect(group.timeRange == TestMedia.range(0, 5) && longer.items.first === kept)
    let item = AVPlayerItem(asset: try TestMedia.asset())
    item.forwardPlaybackEndTime = TestMedia.tenths(4)
    let second: AVPlayerItem = try copy(item)
    #expect(second !== item && second.asset === item.asset && second.forwardPlaybackEndTime == TestMedia.tenths(4))
  }

  @Test func `is what a session, a generator, an item and a reader keep of what they are given`() throws {
    let asset = try TestMedia.asset()
    let (video, mix) = (AVMutableVideoComposition(), AVMutableAudioMix())
    (video.renderSize, mix.inputParameters) = (CGSize(width: 64, height: 48), [AVMutableAudioMixInputParameters()])
    let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
    let (generator, item) = (AVAssetImageGenerator(asset: asset), AVPlayerItem(asset: asset))
    let frames = AVAssetReaderVideoCompositionOutput(videoTracks: asset.tracks(withMediaType: .video), videoSettings: nil)
    let sound = AVAssetReaderAudioMixOutput(audioTracks: asset.tracks(withMediaType: .audio), audioSettings: nil)
    (session.videoComposition, generator.videoComposition, item.videoComposition) = (video, video, video)
    (frames.videoComposition, session.audioMix, item.audioMix, sound.audioMix) = (video, mix, mix, mix)
    (video.renderSize, mix.inputParameters) = (CGSize(width: 2, height: 2), [])
    let videos = [session.videoComposition, generator.videoComposition, item.videoComposition, frames.videoComposition]
    for kept in videos {
      #expect(kept?.renderSize == CGSize(width: 64, height: 48) && !(kept is AVMutableVideoComposition))
    }
    for kept in [session.audioMix, item.audioMix, sound.audioMix] { #expect(kept?.inputParameters.count == 1) }
    let fixed = try #require(session.videoComposition)
    generator.videoComposition = fixed
    #expect(generator.videoComposition === fixed, "one that nobody can change is kept itself")
  }
}
