internal import Formats
internal import MediaTime
internal import SampleStream
internal import SpoolCalls
internal import Timeline

/// An export whose pictures a compositor of the user's own makes.
///
/// The compositor runs in this process, frame by frame. Its pictures become a clip without loss in a folder of temporary files, and
/// the farm makes the movie of that clip: with the sound, the layers and the preset, as of any other edit.
// One thread renders. The request is a value that only it reads.
final class ComposedExport: @unchecked Sendable {
  private let frames: ComposedFrames
  private let request: Lowering.Request
  private let folder: TemporaryFolder

  /// The share of the progress that the compositor has.
  private static let share: Float = 0.6

  init(_ request: Lowering.Request) throws(AVError) {
    (frames, self.request) = (try ComposedFrames(request), request)
    let instructions = request.videoComposition?.instructions ?? []
    if request.videoComposition?.animationTool != nil, Set(instructions.map(\.enablePostProcessing)).count > 1 {
      throw AVError(
        .operationNotAllowed, "enablePostProcessing: with an animation tool, all instructions must have the same value here",
        property: "enablePostProcessing")
    }
    folder = try TemporaryFolder(for: "composed")
  }

  /// Renders the movie.
  /// - Parameters:
  ///   - farm: the database of a farm, as `ExportJob.render` takes it.
  ///   - limit: the most bytes, as `ExportJob.render` takes them.
  func render(
    to url: URL, on farm: String?, limit: Int64, isWanted: @escaping () -> Bool, progress: (Float) -> Void
  ) throws(AVError) {
    let clip = URL(fileURLWithPath: folder.path + "/composed.mov")
    try write(clip, isWanted) { progress($0 * Self.share) }
    try ExportJob(of(clip)).render(to: url, on: farm, limit: limit, isWanted: isWanted) {
      progress(Self.share + $0 * (1 - Self.share))
    }
  }

  /// Writes the clip.
  private func write(_ clip: URL, _ isWanted: @escaping () -> Bool, progress: (Float) -> Void) throws(AVError) {
    let call: SampleCall
    do { call = try SampleCall(["write"]) } catch { throw AVError(.exportFailed, error.description) }
    var (form, done): (SampleTrack.PictureForm?, Int) = (nil, 0)
    let begin = frames.begin
    do throws(AVError) {
      while let (picture, time) = try frames.frame(isWanted: isWanted) {
        guard isWanted() else { throw AVError(.operationCancelled, "the export was cancelled") }
        let own = try picture.form()
        if form == nil { try start(call, clip) }
        if form != own {
          form = own
          // A form is always JSON.
          guard let json = try? JSONEncoder().encode(SampleTrack.pictures(own)) else { throw AVError(.unknown, "no form") }
          try send(SampleRecord(.form, byteCount: json.count), Array(json), call)
        }
        let samples = picture.planarSamples()
        guard let place = try? time - begin else { throw AVError(.unknown, "the time \(time) does not fit") }  // Told by name.
        try send(
          SampleRecord(.samples, time: place, duration: frames.frameDuration, byteCount: samples.count), samples, call)
        done += 1
        progress(Float(done) / Float(frames.count))
      }
      try send(SampleRecord(.end), [], call)
    } catch {
      call.cancel()
      _ = try? call.end()  // The first failure is the one to tell.
      throw error
    }
    do { _ = try call.end() } catch { throw AVError(.exportFailed, error.description) }
  }

  private func start(_ call: SampleCall, _ clip: URL) throws(AVError) {
    let (kept, size) = (frames.stage.resultForm.kept, frames.stage.pictureSize)
    var coding = WritingOrder.PictureCoding(codec: "ffv1")
    (coding.words["chroma"], coding.bitDepth) = (ChromaSampling(layout: kept.layout)?.rawValue, kept.bitDepth)
    (coding.size, coding.scaling) = (PixelSize(size.width, size.height), .resize)
    let order = WritingOrder(output: clip.path, fileType: "mov", tracks: [.pictures(coding)])
    // An order is always JSON.
    guard let beginning = try? SampleInput.beginning(order) else { throw AVError(.unknown, "an order cannot be written") }
    guard call.send(beginning) else { throw broken(call) }
  }

  private func send(_ record: SampleRecord, _ samples: [UInt8], _ call: SampleCall) throws(AVError) {
    guard call.send(record.head, samples) else { throw broken(call) }
  }

  private func broken(_ call: SampleCall) -> AVError {
    do throws(CallFailure) {
      _ = try call.end()
      return AVError(.exportFailed, "'spool write' of another version answered")
    } catch { return AVError(.exportFailed, error.description) }
  }

  /// The export of the clip with the edit's sound and layers.
  private func of(_ clip: URL) throws(AVError) -> Lowering.Request {
    let original = try request.asset.asComposition()
    let edit = AVMutableComposition()
    for track in original.compositionTracks where track.mediaType == .audio && !track.edit.segments.isEmpty {
      guard let copy = edit.addMutableTrack(withMediaType: .audio, preferredTrackID: track.trackID) else { continue }
      (copy.preferredVolume, copy.isEnabled) = (track.preferredVolume, track.isEnabled)
      try copy.insert(Material(segments: track.edit.segments, sources: track.sources), lasting: track.edit.duration, at: .zero)
    }
    let asset = AVURLAsset(url: clip)
    guard let video = edit.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid),
      let source = try asset.loadedTracks().first
    else { throw AVError(.exportFailed, "the compositor's pictures cannot be read") }
    let range = try MediaTimeRange(CMTimeRange(start: .zero, duration: source.timeRange.duration), "timeRange")
    try video.insert(source.material(in: range), lasting: range.duration, at: frames.begin)
    var second = request
    (second.asset, second.videoComposition) = (edit, try composition(edit, video))
    if second.timeRange == nil || second.timeRange?.duration == .positiveInfinity {
      // The clip ends with a whole frame, and the edit perhaps within it.
      second.timeRange = CMTimeRange(
        start: second.timeRange?.start ?? .zero, end: CMTimeMinimum(try original.loadedDuration(), try edit.loadedDuration()))
    }
    return second
  }

  private func composition(
    _ edit: AVMutableComposition, _ track: AVMutableCompositionTrack
  ) throws(AVError) -> AVMutableVideoComposition {
    guard let given = request.videoComposition else { preconditionFailure("the export has a compositor") }
    let made = AVMutableVideoComposition()
    made.renderSize = track.naturalSize
    made.frameDuration = given.frameDuration
    let lowering = try Lowering(request, folder: "")
    let tracks = try request.asset.asComposition().compositionTracks.filter { $0.mediaType == .video }
    if given.colorPrimaries == nil, let names = lowering.composedColor(of: tracks)?.attachments {
      let names = Dictionary(names) { $1 }
      made.colorPrimaries = names[kCVImageBufferColorPrimariesKey]
      made.colorTransferFunction = names[kCVImageBufferTransferFunctionKey]
      made.colorYCbCrMatrix = names[kCVImageBufferYCbCrMatrixKey]
    } else {
      made.colorPrimaries = given.colorPrimaries
      made.colorTransferFunction = given.colorTransferFunction
      made.colorYCbCrMatrix = given.colorYCbCrMatrix
    }
    if given.instructions.allSatisfy(\.enablePostProcessing) { made.animationTool = given.animationTool }
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = CMTimeRange(start: .zero, duration: try edit.loadedDuration())
    instruction.layerInstructions = [AVMutableVideoCompositionLayerInstruction(assetTrack: track)]
    made.instructions = [instruction]
    return made
  }
}
