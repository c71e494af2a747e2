/// The runs of samples in a plane of alpha that cover something, row by row. All between them is clear.
///
/// They are found once for a picture that is laid over many frames, so that each frame pays only for what is covered.
package struct AlphaRuns: Sendable {
  /// Samples of a row that follow each other, from column `start` to before column `end`.
  package struct Run: Hashable, Sendable {
    package let start: Int32
    package let end: Int32
    /// Whether all of the samples are opaque.
    package let isOpaque: Bool

    fileprivate init(_ columns: Range<Int>, isOpaque: Bool) {
      (start, end, self.isOpaque) = (Int32(columns.lowerBound), Int32(columns.upperBound), isOpaque)
    }
  }

  /// The shortest clear or opaque stretch that is told apart. To blend a shorter one with its neighbours takes less time than to
  /// begin anew behind it.
  package static let shortest = 32

  /// The runs of all rows, from the top, and in a row from the left. None is empty.
  package private(set) var runs: [Run] = []
  /// The place of each row's first run in the list, and at last the list's end.
  package private(set) var starts: [Int] = [0]

  /// - Precondition: the picture is a plane of alpha.
  package init(of alpha: PixelBuffer) {
    precondition(alpha.format == PixelBuffer.Alpha.format)
    starts.reserveCapacity(alpha.height + 1)
    for y in 0..<alpha.height {
      unsafe add(UnsafeBufferPointer(start: alpha.words(y), count: alpha.width))
      starts.append(runs.count)
    }
  }

  /// A part of a plane with what covers something in it.
  package struct Part: Sendable {
    package let runs: AlphaRuns
    package let columns: Range<Int>
    package let rows: Range<Int>

    package init(_ runs: AlphaRuns, columns: Range<Int>, rows: Range<Int>) {
      (self.runs, self.columns, self.rows) = (runs, columns, rows)
    }
  }

  /// Adds the runs of the next row.
  private mutating func add(_ row: UnsafeBufferPointer<UInt16>) {
    // The samples that were passed and belong to no run yet, up to the last one that is not clear.
    var pending: Range<Int>?
    var x = 0
    while x < row.count {
      let (start, first) = (x, unsafe row[x])
      let isUniform = first == 0 || first == PixelBuffer.Alpha.opaque
      x += 1
      if isUniform { while x < row.count, unsafe row[x] == first { x += 1 } }
      if isUniform, x - start >= Self.shortest {
        if let columns = pending { runs.append(Run(columns, isOpaque: false)) }
        pending = nil
        if first > 0 { runs.append(Run(start..<x, isOpaque: true)) }
      } else if first > 0 {
        pending = (pending?.lowerBound ?? start)..<x
      }
    }
    if let columns = pending { runs.append(Run(columns, isOpaque: false)) }
  }
}
