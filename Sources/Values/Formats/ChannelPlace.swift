/// The place of the loudspeaker that a channel is for. Its number is that of FFmpeg's channel, and of its bit in a mask.
package enum ChannelPlace: Int, Hashable, Sendable, CaseIterable {
  case frontLeft, frontRight, frontCenter, lowFrequency, backLeft, backRight
  case frontLeftOfCenter, frontRightOfCenter, backCenter, sideLeft, sideRight
  case topCenter, topFrontLeft, topFrontCenter, topFrontRight, topBackLeft, topBackCenter, topBackRight
  case stereoLeft = 29
  case stereoRight, wideLeft, wideRight, surroundDirectLeft, surroundDirectRight, secondLowFrequency
  case topSideLeft, topSideRight, bottomFrontCenter, bottomFrontLeft, bottomFrontRight

  /// The side on which it lies.
  package var side: ChannelSide {
    switch self {
    case .frontLeft, .backLeft, .frontLeftOfCenter, .sideLeft, .topFrontLeft, .topBackLeft, .stereoLeft, .wideLeft,
      .surroundDirectLeft, .topSideLeft, .bottomFrontLeft:
      .left
    case .frontRight, .backRight, .frontRightOfCenter, .sideRight, .topFrontRight, .topBackRight, .stereoRight, .wideRight,
      .surroundDirectRight, .topSideRight, .bottomFrontRight:
      .right
    case .frontCenter, .lowFrequency, .backCenter, .topCenter, .topFrontCenter, .topBackCenter, .secondLowFrequency,
      .bottomFrontCenter:
      .middle
    }
  }
}

/// The side on which a channel lies.
package enum ChannelSide: Hashable, Sendable {
  case left, middle, right
}

extension AudioCodecSettings.ChannelLayout {
  /// The places of its channels, in FFmpeg's order, which is that of WAVE.
  package var places: [ChannelPlace] {
    let stereo: [ChannelPlace] = [.frontLeft, .frontRight]
    let surround: [ChannelPlace] = stereo + [.frontCenter, .lowFrequency, .backLeft, .backRight]
    return switch self {
    case .mono: [.frontCenter]
    case .stereo: stereo
    case .surround51: surround
    case .surround71: surround + [.sideLeft, .sideRight]
    case .surround714: surround + [.sideLeft, .sideRight, .topFrontLeft, .topFrontRight, .topBackLeft, .topBackRight]
    }
  }

  package var channelCount: Int { places.count }
}
