internal import CFFmpeg
internal import Formats

/// Decides whether a still picture is damaged, by all that was found while it was decoded.
struct StillVerdict {
  /// Whether FFmpeg's decoder reported a fault. It also reports faults in metadata.
  private var isComplainedOf = false
  /// libjpeg's finding, which replaces that of FFmpeg; nil where there is none.
  private var opinion: Bool?

  var isDamaged: Bool { opinion ?? isComplainedOf }

  /// Examines a packet. Call it for each packet that is decoded.
  mutating func hear(
    of packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
  ) {
    guard unsafe parameters.pointee.codec_id == AV_CODEC_ID_MJPEG, let data = unsafe packet.pointee.data else {
      if unsafe BrokenPacket.matches(packet, parameters) { isComplainedOf = true }
      return
    }
    // FFmpeg decodes only the first picture of a JPEG file, though others may follow it.
    let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    if let found = unsafe BrokenPacket.isBrokenJPEG(bytes, pictures: 1) { opinion = found || opinion ?? false }
  }

  mutating func complain() { isComplainedOf = true }
}

/// The first picture of a file, and whether it is damaged.
struct FirstPicture {
  let frame: OwnedFrame
  let isDamaged: Bool
  /// The way in which the stored picture is turned, by its EXIF or its TIFF tags.
  let orientation: Orientation

  /// Decodes the picture.
  ///
  /// - Throws: `MediaError` `corrupt` when none can be decoded.
  init(of demuxer: Demuxer, track index: Int) throws(MediaError) {
    let decoder = try unsafe Decoder(demuxer.stream(index), threads: 1, at: demuxer.path)
    var verdict = StillVerdict()
    var stated: Orientation?
    while true {
      let output = try decoder.receive()
      if decoder.takeFault() { verdict.complain() }
      switch output {
      case .frame(let frame):
        if frame.isFaulty { verdict.complain() }
        self.frame = frame
        isDamaged = verdict.isDamaged
        orientation = stated ?? Orientation(exifOf: frame)
        return
      case .ended: throw MediaError(.corrupt, at: demuxer.path, "is damaged or cut off: its picture cannot be decoded")
      case .needsPacket:
        let isMore = try demuxer.nextPacket(of: index)
        if isMore {
          let parameters = unsafe demuxer.stream(index).pointee.codecpar!
          unsafe verdict.hear(of: demuxer.packet.pointer, parameters)
          stated = unsafe stated ?? Orientation(statedIn: demuxer.packet.pointer, parameters)
        }
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
