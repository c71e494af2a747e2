internal import Formats

/// The beginning of a packet, which tells of whether it can be copied, of codecs whose frames need no parameter sets.
enum FrameHeader {
  static func look(
    at bytes: UnsafeBufferPointer<UInt8>, isKey: Bool, _ coding: VideoCoding, _ configuration: FFV1Configuration?
  ) -> (role: PacketSource.Role, objection: String?) {
    switch coding {
    case .vp9: return unsafe (isWholeVP9(bytes) ? .begins : .follows, nil)
    case .mjpeg: return unsafe (.begins, JPEGHeader.objection(to: bytes))
    case .ffv1:
      guard let configuration, let header = unsafe FFV1Header(picture: bytes, configuration) else {
        return (.follows, "the file is damaged there")
      }
      return (header.isKey ? .begins : .follows, header.hasFields ? "a picture is made of two fields" : nil)
    case .dnxhr(let coder): return unsafe (.begins, objection(toDNxHR: bytes, coder.profile))
    default: return unsafe (isKey ? .begins : .follows, objection(toProRes: bytes))
    }
  }

  /// Whether the packet begins with a keyframe that is shown (VP9 Bitstream Specification, 6.2). A decoder forgets there what came before.
  private static func isWholeVP9(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var reader = unsafe BitReader(unit: bytes.prefix(2), headerSize: 0)
    guard reader.bits(2) == 2 else { return false }
    // The fourth profile has a bit more.
    if reader.bits(2) == 3 { _ = reader.bit() }
    let (showsOther, isPredicted, isShown) = (reader.bit() == 1, reader.bit() == 1, reader.bit() == 1)
    return !showsOther && !isPredicted && isShown
  }

  /// Behind the frame's size and name stands a header of which the 13th byte says whether the picture has fields (SMPTE RDD 36, 5.1.1).
  private static func objection(toProRes bytes: UnsafeBufferPointer<UInt8>) -> String? {
    unsafe bytes.count < 21 || bytes[20] >> 2 & 3 != 0 ? "a picture is made of two fields" : nil
  }

  /// The header of a frame says whether it has fields, and the number of its profile (SMPTE ST 2019-1, 7.2).
  private static func objection(toDNxHR bytes: UnsafeBufferPointer<UInt8>, _ profile: DNxHR.Profile) -> String? {
    guard bytes.count >= 0x280 else { return "the file is damaged there" }
    if unsafe bytes[5] & 2 != 0 { return "a picture is made of two fields" }
    let number = (0x28..<0x2c).reduce(0) { unsafe $0 << 8 | Int(bytes[$1]) }
    return number == profile.number ? nil : "it has another profile of DNxHR than the movie"
  }
}

extension DNxHR.Profile {
  /// The number of the profile (SMPTE ST 2019-1, annex B).
  fileprivate var number: Int {
    switch self {
    case .p444: 1270
    case .hqx: 1271
    case .hq: 1272
    case .sq: 1273
    case .lb: 1274
    }
  }
}
