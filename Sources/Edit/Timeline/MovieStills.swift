package import MediaTime

/// The still picture by which players show a movie before it plays.
package struct MoviePoster: Hashable, Sendable {
  /// The time in the edit of the frame that it shows; nil is the movie's beginning.
  package var time: MediaTime?
  /// The width in pixels, which is even; nil is the movie's own, which it never exceeds.
  package var width: Int?

  package init(at time: MediaTime? = nil, width: Int? = nil) { (self.time, self.width) = (time, width) }
}

/// The small pictures of a movie that players show while somebody searches in it.
package struct MovieThumbnails: Hashable, Sendable {
  package static let usualInterval = MediaTime(seconds: 10)
  package static let usualWidth = 160
  package static let usualColumns = 10

  /// The time from one to the next.
  package var interval: MediaTime
  /// The width of each in pixels, which is even, and never more than the movie's.
  package var width: Int
  /// The most in a row of a sheet, and the most rows of one.
  package var columns: Int

  package init(every interval: MediaTime = usualInterval, width: Int = usualWidth, columns: Int = usualColumns) {
    (self.interval, self.width, self.columns) = (interval, width, columns)
  }
}
