internal import MediaTime
internal import SampleStream

extension WritingOrder.Fragments {
  /// The most borders of a movie of sound: those of a day of blocks.
  private static let most = 24 * 3600 * 100

  /// The number of the interval in which a time lies.
  func number(of time: MediaTime, every interval: MediaTime) throws(TimeError) -> Int64 {
    try (time - origin).wholeUnits(of: interval)
  }

  /// The first border after a time.
  func border(after time: MediaTime, every interval: MediaTime) throws(TimeError) -> MediaTime {
    try origin + interval * (number(of: time, every: interval) + 1)
  }

  /// The borders between 0 and a time.
  ///
  /// - Throws: a `Fault` where there are more than anybody wants.
  func borders(every interval: MediaTime, until end: MediaTime) throws -> [MediaTime] {
    var borders: [MediaTime] = []
    var border = try border(after: .zero, every: interval)
    while border < end {
      guard borders.count < Self.most else { throw SampleMovie.Fault("fragments of \(interval) s are too short") }
      borders.append(border)
      border = try border + interval
    }
    return borders
  }
}
