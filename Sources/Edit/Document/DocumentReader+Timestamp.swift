internal import Formats
internal import JSON
internal import MediaTime
internal import PlainText
internal import Timeline

/// Reads the numbers that texts show for the moment of each frame.
extension DocumentReader {
  func timestamp(_ node: DocumentNode) -> Timestamp? {
    guard let object = DocumentObject(.timestamp, node) else { return nil }
    let usual = Timestamp()
    let start = object["start"].map { time($0) } ?? usual.start
    let drops = object["dropFrame"].map { $0.bool() } ?? usual.dropsFrames
    let decimals = object["decimals"].map { $0.integer(in: 0...6) } ?? usual.decimals
    let faultsBefore = log.count
    let date = object["date"].flatMap(date)
    let track = object["track"].flatMap { trackID($0, .video) }
    guard let start, let drops, let decimals, log.count == faultsBefore else { return nil }
    return Timestamp(start: start, dropsFrames: drops, decimals: decimals, date: date, track: track)
  }

  private func date(_ node: DocumentNode) -> CalendarDate? {
    guard let text = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    return CalendarDate(text)
      ?? node.refuse(because: "'\(text.prefix(100))' is not a day and a time such as \"2026-11-24T14:03:00\"")
  }

  /// Notes a timestamp that shows nothing, or that needs a date.
  func checkFields(_ text: TextContent, _ object: DocumentObject) {
    guard let timestamp = text.timestamp, let node = object["timestamp"] else { return }
    let names = Timestamp.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
    if text.fields.isEmpty {
      let known = Timestamp.Field.allCases.map(\.rawValue)
      let hints = text.unknownFields.prefix(3).map { "; '{\($0)}' is none" + Spelling.hint(for: $0, among: known) }.joined()
      node.note("the text shows none of \(names)\(hints)")
    }
    if timestamp.date == nil, text.fields.contains(where: { $0 == .date || $0 == .clock }) {
      node.note("{date} and {clock} need \"date\": the moment at which the clock is at zero")
    }
    let ofSource = text.fields.filter(\.isOfSource)
    if let first = ofSource.first, timestamp.track == nil {
      node.note("{\(first.rawValue)} needs \"track\": the video track whose source is told")
    }
    if ofSource.isEmpty, timestamp.track != nil { node.note("the text tells nothing of its track's source") }
  }
}
