internal import CFFmpeg

/// The parameter sets of a stream, of a codec that has some.
package enum ParameterSets: Hashable, Sendable {
  case h264(H264ParameterSets)
  case hevc(HEVCParameterSets)

  /// The codecs that have some.
  static func areUsed(by codec: AVCodecID) -> Bool { [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC].contains(codec) }

  /// Reads the sets that a stream's parameters hold.
  ///
  /// - Returns: nil where there are none, or one cannot be read.
  init?(of codec: AVCodecParameters) {
    let bytes = unsafe UnsafeBufferPointer(
      start: codec.extradata.map { unsafe UnsafePointer($0) }, count: Int(codec.extradata_size))
    switch unsafe codec.codec_id {
    case AV_CODEC_ID_H264:
      guard let sets = unsafe H264ParameterSets(extradata: bytes) else { return nil }
      self = .h264(sets)
    case AV_CODEC_ID_HEVC:
      guard let sets = unsafe HEVCParameterSets(extradata: bytes) else { return nil }
      self = .hevc(sets)
    default: return nil
    }
  }

  /// The bytes of the length before each unit of a stream; nil where units stand behind start codes.
  static func lengthSize(of codec: AVCodecParameters) -> Int? {
    let bytes = unsafe UnsafeBufferPointer(
      start: codec.extradata.map { unsafe UnsafePointer($0) }, count: Int(codec.extradata_size))
    return unsafe codec.codec_id == AV_CODEC_ID_HEVC
      ? HEVCParameterSets.lengthSize(of: bytes) : H264ParameterSets.lengthSize(of: bytes)
  }

  /// The reason for which packets of such a stream are not copied; nil where they are.
  var objection: String? {
    switch self {
    case .h264(let sets) where sets.hasFields: "its pictures may be made of two fields"
    case .h264(let sets) where sets.hasFullChroma:
      // Decoders allow for a fault of x264 in 4:4:4 by the version that the stream's first packet names.
      "H.264 of 4:4:4 is decoded rightly from its first packet on alone"
    case .hevc(let sets) where sets.hasFields: "its pictures are fields"
    default: nil
    }
  }

  /// The sets of both streams together; nil where one number stands for different sets, or where there are too many.
  package func joined(with other: ParameterSets) -> ParameterSets? {
    switch (self, other) {
    case (.h264(let sets), .h264(let more)): sets.joined(with: more).map(Self.h264)
    case (.hevc(let sets), .hevc(let more)): sets.joined(with: more).map(Self.hevc)
    default: nil
    }
  }

  /// A number that an encoder can give its sets beside these; nil where there is none.
  package var freeNumber: Int? {
    switch self {
    case .h264(let sets): sets.freeNumber
    case .hevc(let sets): sets.freeNumber
    }
  }

  /// The sets of a stream with start codes.
  var annexB: [UInt8] {
    switch self {
    case .h264(let sets): sets.annexB
    case .hevc(let sets): sets.annexB
    }
  }

  /// The decoder's configuration as mp4 and Matroska have it. Lengths of units have four bytes.
  var configuration: [UInt8] {
    switch self {
    case .h264(let sets): sets.configuration
    case .hevc(let sets): sets.configuration
    }
  }

  /// Reads in the units of a packet whether it can be copied.
  func look(at bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>]) -> (role: PacketSource.Role, objection: String?) {
    switch self {
    case .h264(let sets): unsafe H264Units.look(at: bytes, places, sets)
    case .hevc(let sets): unsafe HEVCUnits.look(at: bytes, places, sets)
    }
  }
}
