import AVFoundation
import FarmTesting
import Foundation
import Testing

/// Ways to write editing code that apps have, and what they mean here.
@Suite(.serialized) struct `Code from apps` {
  private let composition = AVMutableComposition(urlAssetInitializationOptions: [
    AVURLAssetPreferPreciseDurationAndTimingKey: true
  ])

  init() throws {
    let asset = try TestMedia.asset()
    try composition.insertTimeRange(TestMedia.range(0, 8), of: asset, at: .zero)
  }

  @Test func `finds an edit's own tracks`() async throws {
    #expect(composition.urlAssetInitializationOptions[AVURLAssetPreferPreciseDurationAndTimingKey] as? Bool == true)
    for track in composition.tracks { track.removeTimeRange(TestMedia.range(0, 2)) }
    #expect(composition.duration == TestMedia.tenths(6))
    let loaded: [AVMutableCompositionTrack] = try await composition.loadTracks(withMediaType: .video)
    #expect(loaded.map(\.trackID) == composition.tracks(withMediaCharacteristic: .visual).map(\.trackID) && loaded.count == 1)
    let edit: AVComposition = composition
    let tracks: [AVCompositionTrack] = edit.tracks
    #expect(tracks.count == 2 && edit.track(withTrackID: tracks[0].trackID) === tracks[0])
    #expect(try await edit.loadTrack(withTrackID: tracks[1].trackID) === tracks[1])
    let asset: AVAsset = composition
    #expect(asset.tracks.count == 2 && asset.tracks(withMediaType: .audio).first === tracks[1])
  }

  @Test func `makes errors of codes alone`() {
    let error = AVError(.videoCompositorFailed)
    #expect((error as NSError).code == -11858 && error.time == nil && !error.localizedDescription.isEmpty)
    let told = AVError(.noImageAtTime, userInfo: [NSLocalizedDescriptionKey: "none", AVErrorTimeKey: NSValue(time: .zero)])
    #expect(told.localizedDescription == "none" && told.time == .zero && told.userInfo[AVErrorTimeKey] as? CMTime == .zero)
  }

  @Test func `catches errors by their codes`() {
    func name(_ error: any Error) -> String {
      do { throw error } catch AVError.diskFull { return "full" } catch AVError.mediaServicesWereReset { return "reset" } catch {
        return "another"
      }
    }
    #expect(name(AVError(.diskFull)) == "full" && name(AVError(.mediaServicesWereReset)) == "reset")
    #expect(name(AVError(.exportFailed)) == "another" && name(CancellationError()) == "another")
    #expect(AVError.Code(rawValue: -11850) == .serverIncorrectlyConfigured && AVError.Code(rawValue: -11816) == nil)
  }

  @Test func `keeps a context of nothing until there is one`() {
    let context = AVVideoCompositionRenderContext()
    #expect(context.size == .zero && context.newPixelBuffer() == nil)
  }

  @Test func `writes keys of metadata as objects`() {
    let item = AVMutableMetadataItem()
    (item.keySpace, item.key) = (.common, AVMetadataKey.commonKeyTitle as (any NSCopying & NSObjectProtocol))
    #expect(item.identifier == .commonIdentifierTitle && (AVMetadataKey.commonKeyModel as NSString).length == 5)
    // The spaces' names are not how their identifiers begin.
    #expect(item.identifier?.rawValue == "common/title" && AVMetadataKeySpace.common.rawValue == "comn")
    #expect(AVMetadataItem.identifier(forKey: "TIT2", keySpace: .id3) == .id3MetadataTitleDescription)
    let camera = AVMutableMetadataItem()
    camera.identifier = .commonIdentifierMake
    #expect(camera.keySpace == .common && camera.commonKey == .commonKeyMake)
  }

  @Test func `asks for HDR, wide colours and alpha`() throws {
    let track = try #require(TestMedia.asset().tracks(withMediaType: .video).first)
    let kinds: [AVMediaCharacteristic] = [.visual, .containsAlphaChannel, .containsHDRVideo, .usesWideGamutColorSpace]
    #expect(kinds.map(track.hasMediaCharacteristic) == [true, false, false, false])
  }

  @Test func `keeps times in dictionaries`() {
    let time = CMTime(value: 7, timescale: 30)
    #expect(CMTimeMakeFromDictionary(CMTimeCopyAsDictionary(time, allocator: kCFAllocatorDefault)) == time)
    #expect(!CMTimeMakeFromDictionary(nil).isValid && !CMTimeMakeFromDictionary(["value": 3]).isValid)
    #expect(CMTimeMakeFromDictionary(["value": 3, "timescale": 4, "flags": 1]) == CMTime(value: 3, timescale: 4))
    let range = CMTimeRange(start: time, duration: .positiveInfinity)
    let facts = CMTimeRangeCopyAsDictionary(range, allocator: nil)
    #expect(facts.map(CMTimeRangeMakeFromDictionary) == range)
  }

  @Test func `copies the attachments of a mode`() throws {
    var picture: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, nil, &picture) == kCVReturnSuccess)
    let buffer = try #require(picture)
    CMSetAttachments(buffer, attachments: ["one": 1, "two": 2], attachmentMode: kCMAttachmentMode_ShouldPropagate)
    CMSetAttachment(buffer, key: "three", value: 3, attachmentMode: kCMAttachmentMode_ShouldNotPropagate)
    func attached(_ target: CVBuffer, _ mode: CMAttachmentMode) -> [String: Int]? {
      CMCopyDictionaryOfAttachments(allocator: nil, target: target, attachmentMode: mode) as? [String: Int]
    }
    #expect(attached(buffer, kCMAttachmentMode_ShouldPropagate) == ["one": 1, "two": 2])
    var mode = kCMAttachmentMode_ShouldPropagate
    #expect(unsafe CMGetAttachment(buffer, key: "three", attachmentModeOut: &mode) as? Int == 3)
    #expect(mode == kCMAttachmentMode_ShouldNotPropagate)
    var second: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, nil, &second) == kCVReturnSuccess)
    let other = try #require(second)
    CMPropagateAttachments(buffer, destination: other)
    CMRemoveAttachment(other, key: "one")
    #expect(attached(other, kCMAttachmentMode_ShouldPropagate) == ["two": 2])
    #expect(attached(other, kCMAttachmentMode_ShouldNotPropagate) == nil)
  }

  @Test func `renders into a destination, all of it or a part`() throws {
    var made: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(nil, 8, 8, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
    let buffer = try #require(made)
    /// The blue and the red of a pixel, counted from the top left.
    func pixel(_ x: Int, _ y: Int) throws -> [UInt8] {
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer)) + y * CVPixelBufferGetBytesPerRow(buffer) + 4 * x
      return [unsafe base.load(as: UInt8.self), unsafe base.load(fromByteOffset: 2, as: UInt8.self)]
    }
    let (context, destination) = (CIContext(), CIRenderDestination(pixelBuffer: buffer))
    _ = try context.startTask(toRender: CIImage(color: CIColor(red: 1, green: 0, blue: 0)), to: destination).waitUntilCompleted()
    #expect(try pixel(0, 0) == [0, 255] && pixel(7, 7) == [0, 255])
    let blue = CIImage(color: CIColor(red: 0, green: 0, blue: 1))
    let part = CGRect(x: 5, y: 5, width: 4, height: 2)
    try context.startTask(toRender: blue, from: part, to: destination, at: CGPoint(x: 1, y: 0))
    // Two rows at the bottom, from the second column on.
    #expect(try pixel(1, 7) == [255, 0] && pixel(4, 6) == [255, 0])
    #expect(try pixel(0, 7) == [0, 255] && pixel(5, 7) == [0, 255] && pixel(1, 5) == [0, 255])
    destination.isFlipped = true
    try context.startTask(toRender: blue, from: part, to: destination, at: .zero)
    #expect(try pixel(0, 0) == [255, 0] && pixel(0, 1) == [255, 0] && pixel(0, 2) == [0, 255])
  }

  @available(*, deprecated)
  @Test func `takes values out by their types, and calls functions as before labels`() throws {
    #expect(NSNumber(value: 7 as Int32).value(of: CMPersistentTrackID.self) == 7)
    #expect(NSValue(time: TestMedia.tenths(3)).value(of: CMTime.self) == TestMedia.tenths(3))
    #expect(NSValue(timeRange: TestMedia.range(1, 2)).value(of: CMTimeRange.self) == TestMedia.range(1, 2))
    #expect(NSValue(time: .zero).value(of: CMTimeRange.self) == nil)
    let block = CMBlockBuffer([1, 2, 3, 4])
    var bytes: [UInt8] = [0, 0]
    unsafe CMBlockBufferCopyDataBytes(block, 1, 2, &bytes)
    #expect(bytes == [2, 3] && CMTimeMultiply(TestMedia.tenths(3), 2) == TestMedia.tenths(6))
  }

  @Test func `taps sound, which no document has`() throws {
    final class Ear { var words: [String] = [] }
    let ear = Ear()
    var callbacks = unsafe MTAudioProcessingTapCallbacks(
      version: kMTAudioProcessingTapCallbacksVersion_0, clientInfo: Unmanaged.passUnretained(ear).toOpaque(),
      init: { _, info, storage in unsafe storage.pointee = info },
      finalize: { tap in
        unsafe Unmanaged<Ear>.fromOpaque(MTAudioProcessingTapGetStorage(tap)).takeUnretainedValue().words.append("end")
      }, prepare: nil, unprepare: nil, process: { _, _, _, _, _, _ in })
    var tap: Unmanaged<MTAudioProcessingTap>?
    let flags = kMTAudioProcessingTapCreationFlag_PostEffects
    #expect(unsafe MTAudioProcessingTapCreate(kCFAllocatorDefault, &callbacks, flags, &tap) == noErr)
    let (mix, track) = (AVMutableAudioMix(), try #require(composition.tracks(withMediaType: .audio).first))
    let parameters = AVMutableAudioMixInputParameters(track: track)
    parameters.audioTapProcessor = unsafe tap?.takeRetainedValue()
    mix.inputParameters = [parameters]
    let error = #expect(throws: AVError.self) { try composition.spoolDocument(audioMix: mix) }
    #expect(error?.property == "audioTapProcessor" && error?.code == .operationNotAllowed)
    parameters.audioTapProcessor = nil
    unsafe tap = nil
    #expect(ear.words == ["end"])
    callbacks.version = 1
    #expect(unsafe MTAudioProcessingTapCreate(nil, &callbacks, flags, &tap) == kMTAudioProcessingTapInvalidArgumentErr)
  }

  @Test func `sets looks of layers that are refused by their names`() throws {
    let changes: [(String, (CALayer) -> Void)] = [
      ("magnificationFilter", { $0.magnificationFilter = .nearest }),
      ("cornerCurve", { ($0.cornerCurve, $0.cornerRadius) = (.continuous, 3) }),
      ("allowsGroupOpacity", { ($0.allowsGroupOpacity, $0.opacity) = (false, 0.5) }),
    ]
    for (name, change) in changes {
      let stage = try LayerStage()
      change(stage.box(CGRect(x: 0, y: 0, width: 9, height: 9)))
      #expect(stage.fault()?.contains(name) == true)
    }
    let stage = try LayerStage()
    stage.video.animationTool = AVVideoCompositionCoreAnimationTool(additionalLayer: CALayer(), asTrackID: 5)
    #expect(stage.fault()?.contains("additionalLayer") == true)
  }

  @Test func `turns layers by value functions`() throws {
    let documents = try ["transform.rotation.z", "transform"].map { path in
      let stage = try LayerStage()
      let turn = CABasicAnimation(keyPath: path).at(0, for: 10)
      (turn.fromValue, turn.toValue) = (0, 1)
      if path == "transform" { turn.valueFunction = CAValueFunction(name: .rotateZ) }
      stage.box(CGRect(x: 8, y: 8, width: 20, height: 9)).add(turn, forKey: nil)
      return try stage.composition.spoolDocument(videoComposition: stage.video, pictures: "/pictures")
    }
    #expect(documents[0] == documents[1])
  }
}
