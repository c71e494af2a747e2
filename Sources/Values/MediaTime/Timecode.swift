/// The labels of frames that editors count by (SMPTE ST 12-1): `HH:MM:SS:FF`, or `HH:MM:SS;FF` for drop-frame. Drop-frame leaves
/// labels out, so that an edit of 29.97 or 59.94 frames per second keeps up with the clock on the wall.
///
/// A label names a frame. The frame's time is its index times the frame's duration, exactly.
package struct Timecode: Hashable, Sendable {
  package let frameDuration: MediaTime
  /// The labels of each second: the frame rate, rounded up when it is n * 1000/1001.
  private let labelsPerSecond: Int64
  /// Whether drop-frame labels are allowed: at 29.97 and 59.94 frames per second.
  private let canDrop: Bool

  /// Makes the labels for a frame duration.
  ///
  /// - Throws: `TimeError.timecode` for a rate without timecode, which is neither whole nor n * 1000/1001 frames per second;
  /// `.notPositive` for a duration of zero or less.
  package init(frameDuration: MediaTime) throws(TimeError) {
    guard frameDuration > .zero else { throw .notPositive("frame duration") }
    let rate = try Rational(1) / Rational(frameDuration)
    let pulledDown = try Rational(rate.ceiling * 1000, over: 1001)
    guard rate.denominator == 1 || rate == pulledDown, let labels = Int64(exactly: rate.ceiling) else {
      throw .timecode("HH:MM:SS:FF", reason: "frames of \(frameDuration) s are not counted by timecode")
    }
    self.frameDuration = frameDuration
    labelsPerSecond = labels
    canDrop = rate == pulledDown && (labels == 30 || labels == 60)
  }

  /// The label of a frame. After 24 hours the labels begin again.
  ///
  /// - Parameter drops: whether labels are dropped, which is allowed at 29.97 and 59.94 frames per second only.
  /// - Throws: `TimeError.timecode` where labels cannot be dropped.
  package func label(ofFrame frame: Int64, dropping drops: Bool = false) throws(TimeError) -> String {
    guard !drops || canDrop else {
      throw .timecode("HH:MM:SS;FF", reason: "labels are dropped (';') at 29.97 and 59.94 frames per second only")
    }
    var label = frame
    if drops {
      let dropped = labelsPerSecond / 15
      let tenMinutes = labelsPerSecond * 600 - dropped * 9
      let (tens, rest) = frame.quotientAndRemainder(dividingBy: tenMinutes)
      // The first minute of ten is whole; each of the others lacks its first labels.
      let past = rest - labelsPerSecond * 60
      let minutes = past < 0 ? 0 : 1 + past / (labelsPerSecond * 60 - dropped)
      label += dropped * (tens * 9 + minutes)
    }
    let seconds = label / labelsPerSecond
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(two).joined(separator: ":")
      + (drops ? ";" : ":") + two(label % labelsPerSecond)
  }

  /// The start of the frame that `text` names.
  ///
  /// - Throws: `TimeError.malformed` for another form of text, `.timecode` for a label that names no frame.
  package func time(parsing text: String) throws(TimeError) -> MediaTime {
    let fields = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }.map {
      $0.utf8.count == 2 ? UInt8($0) : nil
    }
    let separators = text.filter { $0 == ":" || $0 == ";" }
    guard fields.count == 4, separators == ":::" || separators == "::;", !text.contains("+"),
      let hours = fields[0], let minutes = fields[1], let seconds = fields[2], let frames = fields[3]
    else { throw .malformed(text) }
    guard minutes < 60, seconds < 60 else { throw .timecode(text, reason: "minutes and seconds go to 59") }
    guard frames < labelsPerSecond else { throw .timecode(text, reason: "frames go to \(labelsPerSecond - 1)") }
    let allMinutes = Int64(hours) * 60 + Int64(minutes)
    let label = (allMinutes * 60 + Int64(seconds)) * labelsPerSecond + Int64(frames)
    guard separators == "::;" else { return try frameDuration * label }
    guard canDrop else { throw .timecode(text, reason: "labels are dropped (';') at 29.97 and 59.94 frames per second only") }
    // Every minute but each tenth loses its first 2 labels (4 at 59.94).
    let dropped = labelsPerSecond / 15
    guard seconds > 0 || frames >= dropped || minutes % 10 == 0 else {
      throw .timecode(text, reason: "this label is dropped; the next is ;\(dropped < 10 ? "0" : "")\(dropped)")
    }
    return try frameDuration * (label - dropped * (allMinutes - allMinutes / 10))
  }
}
