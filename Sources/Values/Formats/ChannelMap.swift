/// The channels of a source that are heard, as sums of its own.
package struct ChannelMap: Hashable, Sendable, Encodable {
  /// The factors of the source's channels, for each channel that is heard: of one, the middle; of two, left and right; of six, 5.1 in FFmpeg's
  /// order. The factors of channels that a row leaves out are 0, and none of them is its last.
  package let rows: [[Double]]

  /// - Precondition: there are 1, 2 or 6 rows.
  package init(_ rows: [[Double]]) {
    precondition(Self.counts.contains(rows.count), "a layout has so many channels")
    self.rows = rows.map { row in Array(row.prefix((row.lastIndex { $0 != 0 } ?? -1) + 1)) }
  }

  /// The numbers of channels of which layouts are made.
  package static let counts = AudioCodecSettings.ChannelLayout.allCases.map(\.channelCount)
  /// The most channels of a source, as FFmpeg's mixer has them.
  package static let mostChannels = 64

  /// A row that is one channel as it is.
  package static func row(of channel: Int) -> [Double] { Array(repeating: 0, count: channel) + [1] }

  /// The number of channels that the source must have.
  package var neededChannels: Int { rows.map(\.count).max() ?? 0 }

  /// The factors of a source's channels for each channel of a layout, one row after another.
  ///
  /// - Precondition: the source has the channels that are needed.
  package func factors(of channelCount: Int, in layout: AudioCodecSettings.ChannelLayout) -> [Double] {
    let mixes = Self.mixes(of: rows.count, in: layout)
    return mixes.flatMap { mix in
      (0..<channelCount).map { channel in
        zip(mix, rows).reduce(0) { $0 + $1.0 * (channel < $1.1.count ? $1.1[channel] : 0) }
      }
    }
  }

  /// The factors by which one, two or six channels become those of a layout: the same as for sources that have them
  /// (`ChannelMatrix`).
  private static func mixes(of count: Int, in layout: AudioCodecSettings.ChannelLayout) -> [[Double]] {
    let half = 0.5.squareRoot()
    return switch (count, layout) {
    case (1, .mono): [[1]]
    case (1, .stereo): [[1], [1]]
    case (1, .surround51): [[0], [0], [1], [0], [0], [0]]
    case (2, .mono): [[0.5, 0.5]]
    case (2, .stereo): [[1, 0], [0, 1]]
    case (2, .surround51): [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]]
    case (_, .mono): [[half, half, 1, 0, 0.5, 0.5]]
    case (_, .stereo): [[1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half]]
    case (_, .surround51): (0..<6).map { index in (0..<6).map { $0 == index ? 1 : 0 } }
    }
  }
}
