/// A bound of a movie's bit rate: a decoder's buffer of `bufferSize` bits, into which `maxBitRate` bits come each second until it is
/// full, always holds the next frame whole when it is due.
///
/// Chunks are encoded by themselves, so each begins with a buffer that is half full, and leaves one at least half full for the next
/// (decision 0151).
package struct RateCap: Hashable, Sendable {
  /// Bits a second.
  package let maxBitRate: Double
  /// Bits.
  package let bufferSize: Double

  package init(maxBitRate: Double, bufferSize: Double) { (self.maxBitRate, self.bufferSize) = (maxBitRate, bufferSize) }

  /// The share of the buffer that is full at each joint, at least.
  static let jointShare = 0.5
  /// The share of the rate that the encoder leaves unused, so that the buffer is as full at a chunk's end as at its start.
  static let reserve = 1.0 / 16
  /// The largest number of times that a chunk is encoded again, each time more coarsely, because the encoder missed the bound.
  package static let mostAgain = 4
  /// The number by which the rate factor grows each time.
  static let coarserFactor = 5.0

  /// The bits a second for which the encoder is told to plan.
  package var encoderRate: Double { maxBitRate * (1 - Self.reserve) }
  /// The bits of the buffer for which the encoder is told to plan.
  var encoderBuffer: Double { bufferSize * (1 - Self.jointShare) }

  /// The share of the encoder's buffer that is full at the start of a chunk of `seconds`. It is what the reserve fills again until
  /// the chunk's end.
  func encoderFullness(seconds: Double) -> Double {
    min(1, Self.reserve * maxBitRate * seconds / (bufferSize * Self.jointShare))
  }

  /// The parameters as x264 and x265 are told them, in 1000 bits.
  func encoderWords(seconds: Double) -> String {
    let fullness = (encoderFullness(seconds: seconds) * 1000).rounded(.down) / 1000
    return ":vbv-maxrate=\(Int(encoderRate / 1000)):vbv-bufsize=\(Int(encoderBuffer / 1000)):vbv-init=\(fullness)"
  }
}

/// The buffer of a decoder, from which frames are taken one after the other in the order of decoding.
package struct LeakyBucket: Sendable {
  private let cap: RateCap
  /// The bits that come in while a frame lasts.
  private let inflow: Double
  private var fullness: Double
  /// Whether some frame was not whole when it was due.
  package private(set) var hasLacked = false

  /// The buffer at a joint.
  ///
  /// - Parameter frameSeconds: the duration of a frame.
  package init(_ cap: RateCap, frameSeconds: Double) {
    (self.cap, inflow) = (cap, cap.maxBitRate * frameSeconds)
    fullness = cap.bufferSize * RateCap.jointShare
  }

  /// Takes the next frame out, and waits for as long as it lasts.
  package mutating func take(byteCount: Int) {
    let bits = Double(8 * byteCount)
    if bits > fullness { hasLacked = true }
    fullness = min(cap.bufferSize, fullness - bits + inflow)
  }

  /// Whether every frame was whole, and the next chunk finds the buffer as full as it must be.
  package var isFitForJoint: Bool { !hasLacked && fullness >= cap.bufferSize * RateCap.jointShare }
}
