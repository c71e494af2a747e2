internal import CFFmpeg
internal import Formats

extension AlphaForm {
  /// Reads the graphics mode of a QuickTime track, which FFmpeg 5.1 does not: the first field of its 'vmhd' box (QuickTime File
  /// Format, "Video media information header"). Most writers leave it at 0, "copy".
  ///
  /// - Returns: the form that the mode states for the track's alpha. Modes that state none mean straight alpha.
  init(ofTrack track: MovieBoxes.Box, in boxes: MovieBoxes) {
    // The first 4 bytes are version and flags.
    let header = boxes.descendant(of: track, ["mdia", "minf", "vmhd"])
    let mode = header.flatMap { boxes.bytes($0.content.lowerBound + 4, 2) } ?? [0, 0]
    switch Int(mode[0]) << 8 | Int(mode[1]) {
    case 0x101: self = .premultipliedWithWhite
    case 0x102: self = .premultiplied
    default: self = .straight
    }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Whether the packets of VP8 or VP9 carry a second picture, of alpha (Matroska's AlphaMode).
  var hasAlphaBeside: Bool {
    guard unsafe [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9].contains(pointee.codecpar.pointee.codec_id),
      let mode = unsafe av_dict_get(pointee.metadata, "alpha_mode", nil, 0)
    else { return false }
    return unsafe String(cString: mode.pointee.value) == "1"
  }
}

extension Demuxer {
  /// Whether the pictures of a track have alpha.
  ///
  /// Palettes have alpha only in PNG. In an uncompressed AVI the fourth byte of a pixel means nothing, and is often 0.
  func hasAlpha(ofTrack index: Int) -> Bool {
    let stream = unsafe stream(index)
    if unsafe stream.hasAlphaBeside { return true }
    let parameters = unsafe stream.pointee.codecpar.pointee
    let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue: parameters.format))
    guard let flags = unsafe descriptor?.pointee.flags, flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 else { return false }
    if flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0 {
      return unsafe [AV_CODEC_ID_PNG, AV_CODEC_ID_APNG].contains(parameters.codec_id)
    }
    return unsafe parameters.codec_id != AV_CODEC_ID_RAWVIDEO || formatName != "avi"
  }
}
