import Terminal

/// The printed results: a line for each phase when it ends, aligned for people or as JSON.
struct Report {
  let isJSON: Bool
  private var hasHeading = false

  init(isJSON: Bool) { self.isJSON = isJSON }

  private struct Connected: Encodable {
    let phase = "connect"
    let workers: Int
    let knowledge: String
    let seconds: Double
  }

  /// Reports that the workers are connected.
  ///
  /// - Parameter knowledge: the server's knowledge of its tables.
  func connected(_ workers: Int, knowledge: String, seconds: Double) throws {
    if isJSON { return try StandardStream.output.json(Connected(workers: workers, knowledge: knowledge, seconds: seconds)) }
    try StandardStream.output.line(
      "\(workers) workers are connected and welcome after \(Self.text(seconds)) s; what the server knows of its tables: \(knowledge)"
    )
  }

  private struct Taken: Encodable {
    let phase: String
    let milliseconds: Double
  }

  func took(_ what: String, milliseconds: Double) throws {
    if isJSON { return try StandardStream.output.json(Taken(phase: what, milliseconds: milliseconds)) }
    try StandardStream.output.line("\(what): \(Self.text(milliseconds)) ms")
  }

  mutating func add(_ row: Measurement) throws {
    if isJSON { return try StandardStream.output.json(row) }
    let columns = [
      ("phase", row.phase), ("completions", "\(row.completions)"), ("seconds", Self.text(row.seconds)),
      ("per s", Self.text(row.completionsPerSecond)), ("p50 ms", Self.text(row.dispatchP50)),
      ("p99 ms", Self.text(row.dispatchP99)),
      ("coordinator us", Self.text(row.coordinatorMicroseconds)), ("database us", Self.text(row.databaseMicroseconds)),
      ("coordinator MiB", Self.text(row.coordinatorMegabytes)), ("repeated", "\(row.repeated)"),
      ("cancelled", "\(row.cancelled)"),
    ]
    func line(_ cells: [String]) -> String {
      zip(cells, columns).map { cell, column in
        String(repeating: " ", count: max(0, max(column.0.count, 11) - cell.count)) + cell
      }.joined(separator: "  ")
    }
    if !hasHeading { try StandardStream.output.line(line(columns.map(\.0))) }
    hasHeading = true
    try StandardStream.output.line(line(columns.map(\.1)))
  }

  /// The number with one decimal.
  private static func text(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
