/// A SubStation script that libass draws as it says, with its own fonts, places and movements (decision 0198).
///
/// libass gets the lines as they are written. What is read of them here is what a frame depends on: when each event is shown,
/// whether its picture changes while it is, whether others may move it, and which fonts and letters it needs.
package struct CaptionScript: Sendable {
  /// The lines that count, as a script. Read again, it is the same script.
  package let text: String
  /// The lines before the events: the script's properties, its styles, and the names of the events' fields.
  package let setup: String
  /// The events in the file's order.
  package let events: [Event]
  /// The faces that letters are drawn in, and those at drawings, each once, in the order in which they are met.
  package let letters: [Letters]
  /// The parts of the file that are left out; at most `CaptionLimits.remarks`.
  package let remarks: [CaptionRemark]
  package let omittedRemarks: Int
  /// The numbers of the events by their start, and the latest end of each and those before it.
  let (order, reach): ([Int], [Int64])

  /// A line of text or a drawing, which is shown for a while.
  package struct Event: Hashable, Sendable {
    /// The line in the file, from 1.
    package let number: Int
    /// The line as it is written.
    package let line: String
    /// The milliseconds at which it appears, and at which it is gone.
    package let (start, end): (Int64, Int64)
    package let layer: Int
    package let change: Change
    /// Whether it stands where it says, whatever else is shown. Others are moved so that they do not lie on each other.
    package let isPlaced: Bool
  }

  /// The way in which an event's picture changes while it is shown.
  package enum Change: Hashable, Sendable {
    case never
    /// It changes in its first and its last milliseconds.
    case fades(Int64, Int64)
    /// It may change at any time.
    case always
  }

  /// A face as a script asks for it.
  package struct Face: Hashable, Sendable, Encodable {
    package let family: String
    /// The weight, 100...1000.
    package let weight: Int
    package let isItalic: Bool

    package init(_ family: String, weight: Int = 400, isItalic: Bool = false) {
      (self.family, self.weight, self.isItalic) = (family, weight, isItalic)
    }
  }

  /// The letters that are drawn in a face.
  package struct Letters: Hashable, Sendable {
    package let face: Face
    /// The line of the file that asks for it first.
    package let number: Int
    package internal(set) var characters: Set<Unicode.Scalar> = []
  }

  package var faces: [Face] { letters.map(\.face) }

  /// Reads a script.
  ///
  /// - Throws: the reason for which libass does not get it.
  package init(_ text: String) throws(CaptionFault) {
    var reader = CaptionScriptReader()
    try reader.read(CaptionText.lines(of: text))
    (setup, events, letters) = (reader.setup, reader.events, reader.letters)
    (remarks, omittedRemarks) = (reader.log.remarks, reader.log.omitted)
    self.text = ([setup] + events.map(\.line)).joined(separator: "\n") + "\n"
    guard self.text.utf8.count <= CaptionLimits.scriptLength else {
      throw CaptionFault("has more than \(CaptionLimits.scriptLength >> 20) MiB of events and styles")
    }
    let starts = events.map(\.start)
    order = events.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
    var latest = Int64.min
    var reach: [Int64] = []
    for number in order {
      latest = max(latest, events[number].end)
      reach.append(latest)
    }
    self.reach = reach
    try checkCrowd()
  }

  /// Checks what is shown at one time, which libass has in memory at once.
  private func checkCrowd() throws(CaptionFault) {
    var changes: [(time: Int64, isStart: Bool, number: Int)] = []
    for (number, event) in events.enumerated() where event.start < event.end {
      changes += [(event.start, true, number), (event.end, false, number)]
    }
    // An event that ends makes room for one that begins then.
    changes.sort { ($0.time, $0.isStart ? 1 : 0, $0.number) < ($1.time, $1.isStart ? 1 : 0, $1.number) }
    var (count, length) = (0, 0)
    for change in changes {
      let own = events[change.number].line.utf8.count
      count += change.isStart ? 1 : -1
      length += change.isStart ? own : -own
      guard count <= CaptionLimits.eventsAtOnce, length <= CaptionLimits.lengthAtOnce else {
        throw CaptionFault(
          "line \(events[change.number].number): more than \(CaptionLimits.eventsAtOnce) events, or \(CaptionLimits.lengthAtOnce >> 10) KiB of them, are shown at one time"
        )
      }
    }
  }
}

extension CaptionScript: Hashable {
  package static func == (one: CaptionScript, other: CaptionScript) -> Bool { one.text == other.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
