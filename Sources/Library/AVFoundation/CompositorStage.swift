internal import CObjectMaking
package import Formats
package import MediaTime
package import SampleStream
internal import Timeline

/// A compositor of the user's own, and what it was told of the frames that it makes. The process of an export has one, and so has each
/// process of a farm that renders such frames.
// The compositor is called by one thread at a time; `cancel` is for any. The rest is constant.
package final class CompositorStage: @unchecked Sendable {
  /// The pictures that tracks show.
  typealias Sources = [(id: CMPersistentTrackID, picture: CVPixelBuffer)]

  let context: AVVideoCompositionRenderContext
  /// The form of the pictures that it is given; nil where it wants none.
  let sourceForm: PictureForm?
  let resultForm: PictureForm
  /// The size of the pictures that it makes.
  let pictureSize: (width: Int, height: Int)
  private let compositor: any AVVideoCompositing
  /// The memory of pictures from other processes, by their sizes.
  private var pools: [PixelSize: CVPixelBufferPool] = [:]

  /// - Parameter color: the colours of new pictures; nil where they are not known.
  init(_ compositor: any AVVideoCompositing, for video: AVVideoComposition, _ color: ColorTags?) throws(AVError) {
    self.compositor = compositor
    sourceForm = try compositor.wantedSources.map { (wanted) throws(AVError) in
      try PictureForm(wanted, "sourcePixelBufferAttributes")
    }
    resultForm = try PictureForm(compositor.wantedResults, "requiredPixelBufferAttributesForRenderContext")
    let scale = CGFloat(video.renderScale)
    pictureSize = (Int((video.renderSize.width * scale).rounded()), Int((video.renderSize.height * scale).rounded()))
    let pool = CVPixelBufferPool(attributes: [
      kCVPixelBufferPixelFormatTypeKey: resultForm.type, kCVPixelBufferWidthKey: pictureSize.width,
      kCVPixelBufferHeightKey: pictureSize.height,
    ])
    context = AVVideoCompositionRenderContext(video, pool: pool, color?.attachments ?? [])
    compositor.renderContextChanged(context)
  }

  /// Makes an object of a compositor's class.
  static func made(_ kind: any AVVideoCompositing.Type) throws(AVError) -> any AVVideoCompositing {
    if kind == FilteringCompositor.self { return FilteringCompositor() }
    guard let subclass = kind as? NSObject.Type else {
      throw AVError(.videoCompositorFailed, "customVideoCompositorClass: \(kind) is no subclass of NSObject")
    }
    let (metadata, object) = unsafe (
      unsafeBitCast(subclass, to: UnsafeRawPointer.self), unsafeBitCast(NSObject.self, to: UnsafeRawPointer.self)
    )
    guard let made = unsafe spool_make_object(metadata, object),
      // The object comes with one reference, which this takes over.
      let compositor = unsafe Unmanaged<NSObject>.fromOpaque(made).takeRetainedValue() as? any AVVideoCompositing
    else { throw AVError(.videoCompositorFailed, "customVideoCompositorClass: no object of \(kind) can be made by init()") }
    return compositor
  }

  /// The picture that an instruction passes through; nil where the compositor makes one.
  static func passed(_ instruction: any AVVideoCompositionInstructionProtocol, _ sources: Sources) -> CVPixelBuffer? {
    guard instruction.passthroughTrackID != kCMPersistentTrackID_Invalid else { return nil }
    return sources.first { $0.id == instruction.passthroughTrackID }?.picture
  }

  /// Asks for a picture.
  func start(
    _ instruction: any AVVideoCompositionInstructionProtocol, at time: MediaTime, _ sources: Sources,
    answer: @escaping @Sendable (ComposedPicture) -> Void
  ) {
    compositor.startRequest(
      AVAsynchronousVideoCompositionRequest(context, at: CMTime(exactly: time), instruction, sources, answer: answer))
  }

  package func cancel() { compositor.cancelAllPendingVideoCompositionRequests() }
}

// The compositor in a process of the farm, which has pictures in planes.
extension CompositorStage {
  /// A picture in planes, and what they are.
  package struct Samples: Sendable {
    package let form: SampleTrack.PictureForm
    package let bytes: [UInt8]

    package init(_ form: SampleTrack.PictureForm, _ bytes: [UInt8]) { (self.form, self.bytes) = (form, bytes) }
  }

  /// Makes a compositor for frames of a farm.
  package convenience init(
    _ kind: any AVVideoCompositing.Type, renderSize: PixelSize, frameDuration: MediaTime, _ color: ColorTags
  ) throws(AVError) {
    let video = AVMutableVideoComposition()
    video.renderSize = CGSize(width: renderSize.width, height: renderSize.height)
    video.frameDuration = CMTime(exactly: frameDuration)
    let names = Dictionary(color.attachments) { $1 }
    video.colorPrimaries = names[kCVImageBufferColorPrimariesKey]
    video.colorTransferFunction = names[kCVImageBufferTransferFunctionKey]
    video.colorYCbCrMatrix = names[kCVImageBufferYCbCrMatrixKey]
    try self.init(Self.made(kind), for: video, color)
  }

  /// The planes in which it is given pictures; nil where it wants none.
  package var sourceSamples: PlanarSamples? { sourceForm?.samples }

  /// The layout and the bits in which the pictures are kept that it makes.
  package var kept: (layout: String, bitDepth: Int) { resultForm.kept }

  /// Asks for a picture.
  ///
  /// - Parameter answer: takes the picture once, on any thread; nil where the request was cancelled.
  package func start(
    _ instruction: any AVVideoCompositionInstructionProtocol, at time: MediaTime,
    _ sources: [(id: CMPersistentTrackID, samples: Samples)],
    answer: @escaping @Sendable (Result<Samples?, any Error>) -> Void
  ) {
    var given: Sources = []
    do {
      for (id, samples) in sources { given.append((id, try picture(samples))) }
      if let passed = Self.passed(instruction, given) { return answer(.success(try Self.samples(passed))) }
    } catch { return answer(.failure(error)) }
    start(instruction, at: time, given) { composed in
      switch composed {
      case .picture(let picture): answer(Result { try Self.samples(picture) })
      case .failure(let error): answer(.failure(error))
      case .cancelled: answer(.success(nil))
      }
    }
  }

  private func picture(_ samples: Samples) throws(AVError) -> CVPixelBuffer {
    guard let sourceForm else { preconditionFailure("pictures come where they are wanted") }
    let size = PixelSize(samples.form.width, samples.form.height)
    return try sourceForm.picture(samples.bytes, samples.form, from: &pools[size])
  }

  private static func samples(_ picture: CVPixelBuffer) throws(AVError) -> Samples {
    Samples(try picture.form(), picture.planarSamples())
  }
}
