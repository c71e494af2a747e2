internal import Media
package import MediaTime
package import Messages
package import Subprocess

/// The segment files of which a track's opening or fragments are made, as their proofs describe them.
package struct PlayedTrack: Hashable, Sendable, Codable {
  package struct File: Hashable, Sendable, Codable {
    package var path: String
    package var byteCount: Int64
    package var byteDigest: String
    package var parameterSetDigest: String
    /// The length in frames, or in samples after priming.
    package var length: Int64
    /// The place of the track in a file of several sounds.
    package var stream: Int

    package init(
      path: String, byteCount: Int64, byteDigest: String, parameterSetDigest: String, length: Int64, stream: Int = 0
    ) {
      (self.path, self.byteCount, self.byteDigest) = (path, byteCount, byteDigest)
      (self.parameterSetDigest, self.length, self.stream) = (parameterSetDigest, length, stream)
    }
  }

  /// How the packets are divided into fragments.
  package struct Division: Hashable, Sendable, Codable {
    /// The number of the first frame, or of the first sample.
    package var first: Int64
    /// The samples at which further fragments of sound begin, counted from `first`.
    package var starts: [Int64]
    /// The number of the first fragment, from 1.
    package var number: Int

    package init(first: Int64 = 0, starts: [Int64] = [], number: Int) {
      (self.first, self.starts, self.number) = (first, starts, number)
    }
  }

  /// The files, which follow each other.
  package var files: [File]
  /// The file with which the track begins, and which has its priming, where that is none of `files`.
  package var beginning: File?
  /// The duration of a frame as a fraction of a second; nil for sound.
  package var frameDuration: Fraction?

  package struct Fraction: Hashable, Sendable, Codable {
    package var value: Int64
    package var timescale: Int32
  }

  package init(_ files: [File], frameDuration: MediaTime?) {
    self.files = files
    self.frameDuration = frameDuration.map { Fraction(value: $0.value, timescale: $0.timescale) }
  }

  /// The track without its first file, which is then its beginning.
  package var behindFirst: PlayedTrack {
    var rest = self
    rest.beginning = rest.files.removeFirst()
    return rest
  }

  var segments: [SegmentInput] { files.map(\.segment) }

  /// The paths of all files that are read.
  var paths: [String] { (files + [beginning].compactMap(\.self)).map(\.path) }

  var duration: MediaTime? { get throws { try frameDuration.map { try MediaTime($0.value, $0.timescale) } } }

  /// The most bytes of the fragments: those of the packets, which are no more than the files' where each has as long a length in place of
  /// its start code, and some for each frame or block.
  private var mostBytes: Int { Int(clamping: files.reduce(1 << 20) { $0 + 2 * $1.byteCount + 64 * min($1.length, 1 << 32) }) }
}

extension PlayedTrack.File {
  var segment: SegmentInput {
    SegmentInput(
      path: path,
      facts: SegmentFacts(
        digest: FileDigest(byteCount: byteCount, hash: byteDigest), length: length, parameterSetDigest: parameterSetDigest),
      stream: stream)
  }
}

extension PlayedTrack {
  /// Writes the opening of the track, in a process that is contained, since other processes made the segment files.
  ///
  /// - Parameter file: an empty file.
  /// - Returns: its bytes.
  /// - Throws: `MediaError`, `Failure`, `SubprocessError`, and `EditExamination.Broken`.
  package func writeOpening(for spec: JobSpec, to file: Descriptor, _ setting: ExaminationSetting) throws -> Int64 {
    let sizes = try run(.opening(self, spec), to: file, TrackOpening.longest, setting)
    guard sizes.count == 1, 1...Int64(TrackOpening.longest) ~= sizes[0] else { throw Self.reticence }
    return sizes[0]
  }

  /// Writes fragments of the track in the same way.
  ///
  /// - Returns: the bytes of each.
  package func writeFragments(_ division: Division, to file: Descriptor, _ setting: ExaminationSetting) throws -> [Int64] {
    let sizes = try run(.fragments(self, division), to: file, mostBytes, setting)
    guard sizes.count == division.starts.count + 1, sizes.allSatisfy({ 0...Int64(mostBytes) ~= $0 }) else { throw Self.reticence }
    return sizes
  }

  private static let reticence = EditExamination.Broken(reason: "the process that reads it told something else than was asked")

  private func run(
    _ order: ExaminationOrder, to file: Descriptor, _ mostBytes: Int, _ setting: ExaminationSetting
  ) throws -> [Int64] {
    let examination = try Examination(order, setting, picture: (file, mostBytes))
    var sizes: [Int64]?
    while true {
      switch try examination.next() {
      case .silence: continue
      case .done:
        guard let sizes else { throw Self.reticence }
        return sizes
      case .broken(let reason), .hung(let reason): throw EditExamination.Broken(reason: reason)
      case .report(.unreadable(let refusal)): throw refusal.error
      case .report(.failed(let failure)): throw Failure(failure.class, at: failure.place.shown(), failure.reason.shown())
      case .report(.reading): examination.hasAdvanced()
      case .report(.written(let told)) where sizes == nil: sizes = told
      case .report: continue
      }
    }
  }
}
