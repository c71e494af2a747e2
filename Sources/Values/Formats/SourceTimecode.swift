package import MediaTime

/// The time code that a media file states of its picture, from the first frame on.
package struct SourceTimecode: Hashable, Sendable, Codable {
  /// The label of the first frame of the picture: `HH:MM:SS:FF`, or `HH:MM:SS;FF` for drop-frame.
  package var label: String
  /// The duration of the frames that it counts.
  package var frameDuration: MediaTime
  /// True where it begins anew inside the file, so that the first label does not tell those of all frames; otherwise nil or false.
  package var beginsAnew: Bool?

  /// - Parameter offset: the number of the frame that the picture shows first, counted from the one that has the label.
  /// - Returns: nil for a text that labels no frame of this duration.
  package init?(_ label: String, frameDuration: MediaTime, offset: Int64 = 0, beginsAnew: Bool = false) {
    (self.label, self.frameDuration, self.beginsAnew) = (label, frameDuration, beginsAnew ? true : nil)
    // `try?`: a text that is no label is what nil tells.
    guard let first = try? self.label(ofFrame: offset) else { return nil }
    self.label = first
  }

  /// The label of a frame, counted from the first one. After 24 hours the labels begin again.
  ///
  /// - Throws: `TimeError` where the first label is none.
  package func label(ofFrame index: Int64) throws(TimeError) -> String {
    let timecode = try Timecode(frameDuration: frameDuration)
    let first = try timecode.time(parsing: label).coveringUnits(of: frameDuration)
    return try timecode.label(ofFrame: max(0, first + min(index, Self.mostFrames)), dropping: label.contains(";"))
  }

  /// The most frames that are counted: more than 10,000 hours of any rate. No sum overflows then.
  private static let mostFrames: Int64 = 1 << 40

  /// Whether it labels frames.
  var isPlausible: Bool {
    // `try?`: what labels no frame is not plausible.
    frameDuration > .zero && (try? label(ofFrame: 0)) != nil
  }
}
