/// The samples of a track, as the tables of an MP4 or QuickTime file tell them. Samples are numbered in the order of decoding.
///
/// Times are those of the track, in its own ticks: the file's edit is applied to them, as to the times of pictures that are read.
package struct SampleTable: Sendable {
  /// The numbers of bytes of samples.
  enum Sizes: Sendable {
    case same(Int)
    case each([UInt32])
  }

  /// The chunks, each of which has its samples one after the other.
  struct Chunks: Sendable {
    /// The places of chunks in the file.
    var places: [UInt64] = []
    /// The number of samples in a chunk, for each sample, and the first chunk of each run.
    var groups = SampleRuns()
    var firsts: [Int] = []
  }

  var timescale: CMTimeScale
  package private(set) var count: Int
  var durations: SampleRuns
  var delays: SampleRuns?
  var sizes: Sizes
  var chunks: Chunks
  /// The samples with which decoding can begin, in order; nil for all.
  var syncs: [Int]?
  var partialSyncs: [Int]
  /// The statements on samples that depend on each other: a byte for each, or none.
  var dependencies: [UInt8]
  /// The ticks from a time of the media to the track's.
  var shift: Int64
  /// The samples in order of presentation, and the place of each in it; nil where that is the order of decoding.
  private var shown: (order: [Int32], places: [Int32])?

  init(
    timescale: CMTimeScale, count: Int, durations: SampleRuns, delays: SampleRuns?, sizes: Sizes, chunks: Chunks, syncs: [Int]?,
    partialSyncs: [Int], dependencies: [UInt8], shift: Int64
  ) {
    (self.timescale, self.count, self.durations, self.delays) = (timescale, count, durations, delays)
    (self.sizes, self.chunks, self.syncs, self.partialSyncs) = (sizes, chunks, syncs, partialSyncs)
    (self.dependencies, self.shift) = (dependencies, shift)
    guard let delays else { return }
    let times = (0..<count).map { durations.sum(before: $0) + delays.value($0) }
    let order = (0..<Int32(count)).sorted { (times[Int($0)], $0) < (times[Int($1)], $1) }
    var places = [Int32](repeating: 0, count: count)
    for (place, sample) in order.enumerated() { places[Int(sample)] = Int32(place) }
    shown = (order, places)
  }

  /// Whether samples are decoded in another order than they are shown in.
  var isReordered: Bool { shown.map { $0.order != Array(0..<Int32(count)) } ?? false }

  private func time(_ ticks: Int64) -> CMTime { CMTime(value: ticks + shift, timescale: timescale) }

  package func decodeTime(_ index: Int) -> CMTime { time(durations.sum(before: index)) }
  package func presentationTime(_ index: Int) -> CMTime { time(durations.sum(before: index) + (delays?.value(index) ?? 0)) }
  func duration(_ index: Int) -> CMTime { CMTime(value: durations.value(index), timescale: timescale) }

  /// The sample at a place in the order of presentation, and the place of a sample.
  func sample(shownAt place: Int) -> Int { shown.map { Int($0.order[place]) } ?? place }
  func place(ofShown index: Int) -> Int { shown.map { Int($0.places[index]) } ?? index }

  /// The sample that is shown at a time: the last one that begins by then, else the first.
  package func sample(shownAt time: CMTime) -> Int {
    sample(shownAt: max(0, (0..<count).leading { presentationTime(sample(shownAt: $0)) <= time } - 1))
  }

  /// The sample that is decoded at a time: the last one by then, else the first.
  func sample(decodedAt time: CMTime) -> Int { max(0, (0..<count).leading { decodeTime($0) <= time } - 1) }

  func size(_ index: Int) -> Int {
    switch sizes {
    case .same(let size): size
    case .each(let list): list.indices.contains(index) ? Int(list[index]) : 0
    }
  }

  /// The bytes of all samples.
  var byteCount: Int64 {
    switch sizes {
    case .same(let size): Int64(size) * Int64(count)
    case .each(let list): list.reduce(0) { $0 + Int64($1) }
    }
  }

  /// The chunk of a sample, and the samples in it.
  package func chunk(of index: Int) -> (number: Int, samples: Range<Int>) {
    let groups = chunks.groups
    let run = groups.run(index)
    let size = max(1, Int(groups.values[run]))
    let number = (index - groups.firsts[run]) / size
    let first = groups.firsts[run] + number * size
    return (chunks.firsts[run] + number, first..<min(first + size, count))
  }

  /// The place of some samples of one chunk in the file.
  package func place(of samples: Range<Int>) -> (offset: UInt64, length: Int) {
    let chunk = chunk(of: samples.lowerBound)
    func bytes(_ range: Range<Int>) -> Int {
      if case .same(let size) = sizes { return size * range.count }
      return range.reduce(0) { $0 + size($1) }
    }
    let start = chunks.places.indices.contains(chunk.number) ? chunks.places[chunk.number] : 0
    return (start &+ UInt64(bytes(chunk.samples.lowerBound..<samples.lowerBound)), bytes(samples))
  }

  /// Whether decoding can begin with a sample.
  func isSync(_ index: Int) -> Bool { syncs.map { $0.holds(index) } ?? true }
  func isPartialSync(_ index: Int) -> Bool { partialSyncs.holds(index) }
}

extension [Int] {
  /// Whether a list in order has a number.
  fileprivate func holds(_ value: Int) -> Bool {
    let place = indices.leading { self[$0] < value }
    return place < count && self[place] == value
  }
}
