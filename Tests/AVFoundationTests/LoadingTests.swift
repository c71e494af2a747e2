import AVFoundation.AVAsset
import CoreImage.CIFilterBuiltins
import FarmTesting
import Testing
import VideoToolbox

/// An asset and its tracks, which are asked one by one.
@Suite(.serialized) struct `An asset that is asked` {
  @Test func `gives up what was not read when loading is cancelled, and reads it when it is asked again`() async throws {
    let asset = try TestMedia.asset()
    asset.cancelLoading()
    var error: NSError?
    #expect(unsafe asset.statusOfValue(forKey: "tracks", error: &error) == .cancelled)
    #expect(error?.domain == AVFoundationErrorDomain && error?.code == -11878)
    await withCheckedContinuation { done in asset.loadValuesAsynchronously(forKeys: ["tracks"]) { done.resume() } }
    #expect(unsafe asset.statusOfValue(forKey: "tracks", error: nil) == .loaded)
    asset.cancelLoading()
    #expect(unsafe asset.statusOfValue(forKey: "tracks", error: nil) == .loaded, "what was read stays read")
  }

  @Test func `tells what is loaded without loading it`() async throws {
    let asset = try TestMedia.asset()
    guard case .notYetLoaded = asset.status(of: .duration) else { return #expect(Bool(false), "it was not read yet") }
    let facts = try await asset.load(.duration, .tracks, .isPlayable, .isExportable, .preferredTransform)
    #expect(facts.0.seconds == 1 && facts.1.count == 2 && facts.2 && facts.3 && facts.4.isIdentity)
    guard case .loaded(let duration) = asset.status(of: .duration) else { return #expect(Bool(false), "it was read") }
    #expect(duration.seconds == 1)
    #expect(asset.unusedTrackID() == 3)
    let seen = try await asset.loadTracks(withMediaCharacteristic: .visual)
    #expect(seen.map(\.mediaType) == [.video] && asset.tracks(withMediaCharacteristic: .audible).map(\.mediaType) == [.audio])
  }

  @Test func `counts the bytes of its samples, as their packets do`() throws {
    let asset = try TestMedia.asset()
    for (track, stream) in zip(asset.tracks, ["v", "a"]) {
      let sizes = try MediaTools.ffprobe([
        "-select_streams", stream, "-show_entries", "packet=size", "-of", "csv=p=0", asset.url.path,
      ])
      let total = sizes.split(whereSeparator: \.isWhitespace).compactMap { Int64($0.split(separator: ",")[0]) }.reduce(0, +)
      #expect(total > 0 && track.totalSampleDataLength == total)
      #expect(track.estimatedDataRate == Float(Double(total) * 8 / track.timeRange.duration.seconds))
    }
    let composition = AVMutableComposition()
    try composition.insertTimeRange(TestMedia.range(0, 5), of: asset, at: .zero)
    #expect(composition.tracks.map(\.totalSampleDataLength) == [0, 0])
    #expect(composition.tracks.map(\.estimatedDataRate) == asset.tracks.map(\.estimatedDataRate))
  }

  @Test func `gives an image of all of the picture where pixels are square, and of its clean aperture`() throws {
    let generator = AVAssetImageGenerator(asset: try TestMedia.asset())
    #expect(generator.apertureMode == nil)
    let plain = try unsafe generator.copyCGImage(at: .zero, actualTime: nil)
    for mode in [AVAssetImageGenerator.ApertureMode.cleanAperture, .productionAperture, .encodedPixels] {
      generator.apertureMode = mode
      let image = try unsafe generator.copyCGImage(at: .zero, actualTime: nil)
      #expect(image.width == plain.width && image.height == plain.height)
    }
  }

  @Test func `keeps the settings of sound that cannot be recorded`() throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback, mode: .moviePlayback, options: [.mixWithOthers])
    #expect(session.category == .playback && session.mode == .moviePlayback && session.categoryOptions == .mixWithOthers)
    let error = #expect(throws: AVError.self) { try session.setCategory(.playAndRecord) }
    #expect(error?.code == .deviceNotConnected && session.category == .playback)
    #expect(session.recordPermission == .denied && !session.isInputAvailable)
  }

  @Test func `a pixel buffer becomes a picture of Core Graphics, and one without colours does not`() throws {
    var made: CVPixelBuffer?
    #expect(unsafe CVPixelBufferCreate(nil, 2, 1, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
    let buffer = try #require(made)
    if let base = unsafe CVPixelBufferGetBaseAddress(buffer) {
      for (index, byte) in [UInt8(1), 2, 3, 255, 250, 100, 50, 255].enumerated() {
        unsafe base.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    }
    var image: CGImage?
    #expect(unsafe VTCreateCGImageFromCVPixelBuffer(buffer, options: nil, imageOut: &image) == noErr)
    let picture = try #require(image)
    #expect(picture.width == 2 && picture.height == 1)
    let bytes = try #require(picture.dataProvider?.data)
    #expect(Array(bytes.prefix(8)) == [3, 2, 1, 255, 50, 100, 250, 255])
    #expect(unsafe CVPixelBufferCreate(nil, 2, 1, kCVPixelFormatType_DepthFloat32, nil, &made) == kCVReturnSuccess)
    let depth = try #require(made)
    #expect(unsafe VTCreateCGImageFromCVPixelBuffer(depth, options: nil, imageOut: &image) == kVTParameterErr)
    #expect(image == nil)
  }
}
