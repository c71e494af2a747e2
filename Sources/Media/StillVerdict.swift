internal import CFFmpeg

/// Whether a still picture is as it was made, by all that is known when it was decoded.
struct StillVerdict {
  /// FFmpeg's decoder found fault with it. It does with metadata, too.
  private var isComplainedOf = false
  /// Of who knows better; nil for nobody.
  private var opinion: Bool?

  var isDamaged: Bool { opinion ?? isComplainedOf }

  /// To be told of each packet that is decoded.
  mutating func hear(
    of packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
  ) {
    guard unsafe parameters.pointee.codec_id == AV_CODEC_ID_MJPEG, let data = unsafe packet.pointee.data else {
      if unsafe BrokenPacket.matches(packet, parameters) { isComplainedOf = true }
      return
    }
    // Only the first picture is seen, though others may lie behind it.
    let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    if let found = unsafe BrokenPacket.isBrokenJPEG(bytes, pictures: 1) { opinion = found || opinion ?? false }
  }

  mutating func complain() { isComplainedOf = true }
}

/// The first picture of a file, and whether it is as it was made.
struct FirstPicture {
  let frame: OwnedFrame
  let isDamaged: Bool

  /// Decodes it.
  ///
  /// - Throws: `MediaError` `corrupt` when none can be decoded.
  init(of demuxer: Demuxer, track index: Int) throws(MediaError) {
    let decoder = try unsafe Decoder(demuxer.stream(index), threads: 1, at: demuxer.path)
    var verdict = StillVerdict()
    while true {
      let output = try decoder.receive()
      if decoder.takeFault() { verdict.complain() }
      switch output {
      case .frame(let frame):
        if frame.isFaulty { verdict.complain() }
        self.frame = frame
        isDamaged = verdict.isDamaged
        return
      case .ended: throw MediaError(.corrupt, at: demuxer.path, "is damaged or cut off: its picture cannot be decoded")
      case .needsPacket:
        let isMore = try demuxer.nextPacket(of: index)
        if isMore { unsafe verdict.hear(of: demuxer.packet.pointer, demuxer.stream(index).pointee.codecpar) }
        try unsafe decoder.send(isMore ? UnsafePointer(demuxer.packet.pointer) : nil)
      }
    }
  }
}

extension MediaError {
  static func damagedStill(at place: String) -> MediaError {
    MediaError(
      .corrupt, at: place,
      "the picture is damaged: not all of it can be decoded; with \"damage\": \"conceal\" the asset shows what can")
  }
}
