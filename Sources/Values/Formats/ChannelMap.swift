/// The channels of a source that are heard, as sums of its own.
package struct ChannelMap: Hashable, Sendable, Encodable {
  /// The factors of the source's channels, for each channel that is heard: of one, the middle; of two, left and right; of six, 5.1, of
  /// eight, 7.1, and of twelve, 7.1.4, in FFmpeg's order. The factors of channels that a row leaves out are 0, and none of them is its last.
  package let rows: [[Double]]

  /// - Precondition: there are as many rows as a layout has channels.
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
    guard let own = AudioCodecSettings.ChannelLayout.allCases.first(where: { $0.channelCount == rows.count }) else {
      preconditionFailure("a layout has so many channels")
    }
    // The chosen channels are mixed as those of a source that has them.
    return ChannelMatrix.rows(from: own.places, to: layout).flatMap { mix in
      (0..<channelCount).map { channel in
        zip(mix, rows).reduce(0) { $0 + $1.0 * (channel < $1.1.count ? $1.1[channel] : 0) }
      }
    }
  }
}
