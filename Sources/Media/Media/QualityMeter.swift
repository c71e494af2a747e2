internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Measures how much the packets of an encoder differ from the pictures that it was given, while it encodes. Packets are decoded as they
/// come, so no more pictures are held than the encoder and the decoder keep back, whatever the length of the chunk. One owner, one thread.
@safe final class QualityMeter {
  private enum Score {
    case similarity(StructuralSimilarity)
    case noise(PerceptualNoise)
  }

  private static let place = "the decoder of what was encoded"

  private let decoder: Decoder
  private var score: Score
  /// The pictures whose packets have not been decoded yet, in order. The first of them has the number `next`.
  private var waiting: [PixelBuffer] = []
  private var next: Int64 = 0

  /// - Parameter parameters: those of the encoder.
  /// - Throws: `MediaError` `unsupported` where FFmpeg has no decoder for them; `outOfMemory`.
  init(_ measure: QualityTarget.Measure, _ parameters: CodecParameters, frameDuration: MediaTime) throws(MediaError) {
    score =
      switch measure {
      case .ssim: .similarity(StructuralSimilarity())
      case .xpsnr: .noise(PerceptualNoise(frameTicks: frameDuration.value, timescale: Int64(frameDuration.timescale)))
      }
    // A decoder is opened for a stream, which belongs to a file; this one has neither packets nor a name.
    let file = unsafe avformat_alloc_context()
    defer { unsafe avformat_free_context(file) }
    guard let stream = unsafe file.flatMap({ unsafe avformat_new_stream($0, nil) }),
      unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters.codec) >= 0
    else { throw MediaError(.outOfMemory, at: Self.place, "there is not enough memory for a decoder") }
    unsafe stream.pointee.time_base = parameters.timeBase
    decoder = try unsafe Decoder(stream, threads: 1, at: Self.place)
  }

  /// Takes notice of a picture that the encoder is given.
  func expect(_ picture: PixelBuffer) { waiting.append(picture) }

  /// Takes the next packet, in decode order; nil after the last.
  ///
  /// - Throws: `MediaError` `internal` where other pictures come out than went in.
  func take(_ packet: UnsafePointer<AVPacket>?) throws(MediaError) {
    try unsafe decoder.send(packet)
    while case .frame(let frame) = try decoder.receive() { try compare(frame) }
  }

  /// The distortion of all pictures, on the scale of `QualityTarget.Measure`. It is asked for after the last packet.
  ///
  /// - Throws: `MediaError` `internal` where pictures are missing.
  func distortion() throws(MediaError) -> Double {
    guard waiting.isEmpty else { throw Self.fault("\(waiting.count) pictures did not come out again") }
    return switch score {
    case .similarity(let similarity): 1 - similarity.mean
    case .noise(let noise): noise.distortion
    }
  }

  private func compare(_ frame: OwnedFrame) throws(MediaError) {
    let number = unsafe frame.pointer.pointee.pts
    guard let reference = waiting.first, number == next else { throw Self.fault("picture \(number) came out instead of \(next)") }
    let picture = try PixelBuffer.decoded(frame, fallback: reference.color, alpha: nil, at: Self.place)
    guard picture.format == reference.format, picture.width == reference.width, picture.height == reference.height else {
      throw Self.fault("picture \(number) is \(picture.format) of \(picture.width)x\(picture.height)")
    }
    switch score {
    case .similarity(var similarity):
      similarity.add(reference, picture)
      score = .similarity(similarity)
    case .noise(var noise):
      try noise.add(reference, picture)
      score = .noise(noise)
    }
    waiting.removeFirst()
    next += 1
  }

  private static func fault(_ reason: String) -> MediaError { MediaError(.internal, at: place, reason) }
}
