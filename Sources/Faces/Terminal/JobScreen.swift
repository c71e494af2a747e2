internal import Ledger
package import Operations

/// A job on a whole screen: how far it is and how fast, a map of its chunks, why it waits, and where its time went.
package enum JobScreen {
  /// The rows of the map: a third of the screen at most, and at most so many.
  private static let mostMapRows = 12

  /// The cells that the map has on a screen of that size.
  package static func cells(rows: Int, columns: Int) -> Int { max(1, min(mostMapRows, rows / 3)) * max(1, columns - 1) }

  /// The screen's lines. Those below the last row are left out by whoever paints them.
  ///
  /// - Parameter speed: the speed of the job in the last seconds.
  package static func lines(_ scene: JobScene, _ speed: RenderingSpeed, columns: Int) -> [String] {
    let job = scene.glance.job
    var progress = RenderProgress(job, speed)
    progress.secondsLeft = job.secondsLeft ?? progress.secondsLeft
    var lines = [
      "\(job.id) of \(job.submitter), priority \(job.priority), to \(job.output)", ProgressText(progress).line(columns: columns),
      "",
    ]
    lines += map(scene.cells, columns: columns)
    lines += scene.cells.isEmpty ? [] : [legend, ""]
    func add(_ text: String) { lines += text.folded(toColumns: columns - 1, indent: 4) }
    for (place, reason) in scene.glance.reasons.enumerated() { add(place == 0 ? "\(job.id) \(reason)" : "  \(reason)") }
    if let trouble = scene.glance.trouble { add("  \(trouble)") }
    let seconds = scene.glance.time.reduce(0) { $0 + $1.seconds }
    if seconds > 0 { add("  of \(ProgressText.lasted(seconds)) since its submission: \(scene.glance.time.words)") }
    return lines
  }

  private static let legend = "# done  > runs  + partly done  . waits  x failed or cancelled"

  private static func map(_ cells: [ChunkCell], columns: Int) -> [String] {
    let width = max(1, columns - 1)
    return stride(from: 0, to: cells.count, by: width).map { begin in
      String(cells[begin..<min(cells.count, begin + width)].map(mark))
    }
  }

  /// A cell's mark. What failed is seen first, then what runs.
  private static func mark(_ cell: ChunkCell) -> Character {
    if cell.ended > 0 { return "x" }
    if cell.running > 0 { return ">" }
    return cell.waiting == 0 ? "#" : cell.done > 0 ? "+" : "."
  }
}
