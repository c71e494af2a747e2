internal import CFFmpeg
internal import Formats
internal import Glibc

extension HDRMetadata {
  /// Reads the metadata that a container has for a stream; nil where it has none.
  init?(of stream: UnsafePointer<AVStream>) {
    let display = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, nil)
    let light = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, nil)
    unsafe self.init(display, light)
  }

  /// Reads the metadata that the stream has beside a frame (messages of HEVC and AV1); nil where it has none.
  init?(of frame: OwnedFrame) {
    let display = unsafe av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA)
    let light = unsafe av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL)
    unsafe self.init(display?.pointee.data, light?.pointee.data)
  }

  /// - Parameters:
  ///   - display: FFmpeg's AVMasteringDisplayMetadata.
  ///   - light: FFmpeg's AVContentLightMetadata.
  private init?(_ display: UnsafePointer<UInt8>?, _ light: UnsafePointer<UInt8>?) {
    let displayed = unsafe display.flatMap {
      unsafe MasteringDisplay(UnsafeRawPointer($0).loadUnaligned(as: AVMasteringDisplayMetadata.self))
    }
    let lit = unsafe light.map { unsafe UnsafeRawPointer($0).loadUnaligned(as: AVContentLightMetadata.self) }
    self.init(
      masteringDisplay: displayed,
      contentLight: lit.map { ContentLight(maximum: Int($0.MaxCLL), frameAverage: Int($0.MaxFALL)) })
  }

  /// Adds the metadata to a container's stream. Call it before the header is written.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func attach(to stream: UnsafeMutablePointer<AVStream>) throws(MediaError) {
    if let masteringDisplay {
      try unsafe Self.attach(masteringDisplay.ffmpeg, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, to: stream)
    }
    if let contentLight {
      let light = AVContentLightMetadata(MaxCLL: UInt32(contentLight.maximum), MaxFALL: UInt32(contentLight.frameAverage))
      try unsafe Self.attach(light, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, to: stream)
    }
  }

  private static func attach<Value: BitwiseCopyable>(
    _ value: Value, _ kind: AVPacketSideDataType, to stream: UnsafeMutablePointer<AVStream>
  ) throws(MediaError) {
    guard let bytes = unsafe av_stream_new_side_data(stream, kind, MemoryLayout<Value>.size) else {
      throw MediaError(-ENOMEM, from: "av_stream_new_side_data", at: "movie")
    }
    unsafe UnsafeMutableRawPointer(bytes).storeBytes(of: value, as: Value.self)
  }
}

extension MasteringDisplay {
  /// Nil where a value is missing or none that a display can have.
  fileprivate init?(_ metadata: AVMasteringDisplayMetadata) {
    func number(_ value: AVRational) -> Double { value.den == 0 ? -1 : Double(value.num) / Double(value.den) }
    func point(_ pair: (AVRational, AVRational)) -> SIMD2<Double> { SIMD2(number(pair.0), number(pair.1)) }
    let (red, green, blue) = metadata.display_primaries
    let points = [point(red), point(green), point(blue), point(metadata.white_point)]
    let (low, high) = (number(metadata.min_luminance), number(metadata.max_luminance))
    guard metadata.has_primaries != 0, metadata.has_luminance != 0, low >= 0, low < high, high <= Self.brightest,
      points.allSatisfy({ $0.min() >= 0 && $0.max() <= 1 })
    else { return nil }
    self.init(red: points[0], green: points[1], blue: points[2], white: points[3], luminance: low...high)
  }

  fileprivate var ffmpeg: AVMasteringDisplayMetadata {
    func number(_ value: Double, _ units: Double) -> AVRational {
      AVRational(num: Int32((value * units).rounded()), den: Int32(units))
    }
    func point(_ point: SIMD2<Double>) -> (AVRational, AVRational) {
      (number(point.x, Self.chromaticityUnits), number(point.y, Self.chromaticityUnits))
    }
    return AVMasteringDisplayMetadata(
      display_primaries: (point(red), point(green), point(blue)), white_point: point(white),
      min_luminance: number(luminance.lowerBound, Self.luminanceUnits),
      max_luminance: number(luminance.upperBound, Self.luminanceUnits), has_primaries: 1, has_luminance: 1)
  }
}
