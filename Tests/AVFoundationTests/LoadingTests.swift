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

  @Test func `tells the shape of its pixels, and its size as it is shown`() throws {
    let path = TestMedia.directory.file("wide.mov")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=72x48:r=10:d=0.2,setsar=4/3", "-c:v", "libx264", "-pix_fmt", "yuv420p", path,
    ])
    let track = try #require(AVURLAsset(url: URL(fileURLWithPath: path)).tracks.first)
    let format = try #require(track.formatDescriptions.first as? CMFormatDescription)
    #expect(format.dimensions == CMVideoDimensions(width: 72, height: 48) && track.naturalSize == CGSize(width: 96, height: 48))
    #expect(format.presentationDimensions() == track.naturalSize)
    #expect(format.presentationDimensions(usePixelAspectRatio: false) == CGSize(width: 72, height: 48))
    #expect(format.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 0, y: 0, width: 72, height: 48))
    let plain = try #require(TestMedia.asset().tracks.first?.formatDescriptions.first as? CMFormatDescription)
    #expect(CMFormatDescriptionGetExtension(plain, extensionKey: kCMFormatDescriptionExtension_PixelAspectRatio) == nil)
    #expect(plain.presentationDimensions() == CGSize(width: 64, height: 48))
  }

  @Test func `says where the part of a picture lies that is shown`() throws {
    let part: [String: Any] = [
      kCMFormatDescriptionKey_CleanApertureWidth: 60, kCMFormatDescriptionKey_CleanApertureHeight: NSNumber(value: 40),
      kCMFormatDescriptionKey_CleanApertureHorizontalOffset: -1.0, kCMFormatDescriptionKey_CleanApertureVerticalOffset: 3,
    ]
    var made: CMVideoFormatDescription?
    let status = unsafe CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: kCMVideoCodecType_H264, width: 64, height: 48,
      extensions: [kCMFormatDescriptionExtension_CleanAperture: part], formatDescriptionOut: &made)
    let format = try #require(status == noErr ? made : nil)
    #expect(format.cleanAperture(originIsAtTopLeft: true) == CGRect(x: 1, y: 7, width: 60, height: 40))
    #expect(format.cleanAperture(originIsAtTopLeft: false) == CGRect(x: 1, y: 1, width: 60, height: 40))
    #expect(format.presentationDimensions() == CGSize(width: 60, height: 40))
    let whole = CMVideoFormatDescriptionGetPresentationDimensions(format, usePixelAspectRatio: true, useCleanAperture: false)
    #expect(whole == CGSize(width: 64, height: 48))
  }

  @Test func `is put into an edit, and tells its words, by handlers on other threads`() async throws {
    let (asset, edit) = (try TestMedia.asset(), AVMutableComposition())
    let error = await withCheckedContinuation { (done: CheckedContinuation<(any Error)?, Never>) in
      edit.insertTimeRange(TestMedia.range(2, 7), of: asset, at: .zero) { done.resume(returning: $0) }
    }
    #expect(error == nil && edit.duration.seconds == 0.5 && edit.tracks.count == 2)
    let gone = AVURLAsset(url: URL(fileURLWithPath: TestMedia.directory.file("gone.mov")))
    let refusal = await withCheckedContinuation { (done: CheckedContinuation<(any Error)?, Never>) in
      edit.insertTimeRange(TestMedia.range(0, 1), of: gone, at: .zero) { done.resume(returning: $0) }
    }
    #expect(refusal != nil && edit.duration.seconds == 0.5)
    let words = await withCheckedContinuation { (done: CheckedContinuation<[String]?, Never>) in
      asset.loadMetadata(for: .quickTimeMetadata) { items, _ in done.resume(returning: items?.compactMap(\.stringValue)) }
    }
    #expect(words == asset.metadata(forFormat: .quickTimeMetadata).compactMap(\.stringValue))
    let item = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.duration, .tracks])
    #expect(item.asset === asset)
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
