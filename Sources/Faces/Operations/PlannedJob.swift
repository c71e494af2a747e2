internal import EditFiles
package import Formats
internal import JSON
internal import Ledger
internal import MediaTime
package import Messages
internal import Rendering
internal import Scenes
internal import Scheduling
internal import Timeline

/// A job as it would be submitted.
package struct PlannedJob: Hashable, Sendable, Codable {
  /// The path of the movie; nil where the plan was asked for without one.
  package var output: String?
  package var frameCount: Int
  package var chunkCount: Int
  /// The slots that the edit is divided for.
  package var slots: Int
  /// The estimated seconds of one core for all that is rendered and mixed.
  package var coreSeconds: Double
  /// The estimated seconds until the movie is there, on so many slots with nothing else to do.
  package var seconds: Double
  /// The part of `coreSeconds` that the sound takes; nil without sound.
  package var soundSeconds: Double?
  /// The parts in which the sound is made; 0 without sound.
  package var soundParts: Int
  /// The reason for which a long sound is made in one piece; nil where there is none.
  package var soundReason: String?
  /// The sizes of the movie's renditions; nil where it has none.
  package var renditions: [PixelSize]?
  /// The chunks, in the order of the movie.
  package var chunks: [PlannedChunk]
  /// The comparison with an earlier job; nil where there is none.
  package var comparison: EditChanges?
  package var warnings: [FaultRecord]
}

/// A chunk of a job as it would be submitted.
package struct PlannedChunk: Hashable, Sendable, Codable {
  package var frames: FrameRange
  /// The time of its first frame in the movie, in seconds.
  package var start: Double
  /// The estimated seconds of one core.
  package var coreSeconds: Double
  /// Whether the chunk was rendered before, and so costs next to nothing; nil where nothing is known of earlier ones.
  package var isFound: Bool?
  /// The result of the comparison with an earlier job; nil where there is none.
  package var finding: ChunkFinding?
}

/// The changes from an earlier job to an edit.
package struct EditChanges: Hashable, Sendable, Codable {
  /// The earlier job.
  package var job: String
  /// The chunks of the edit that show what a finished chunk of the earlier job shows.
  package var sameChunks: Int
  /// The places in which the documents differ; the first hundred.
  package var changes: [ValueChange]
}

/// A value that was changed.
package struct ValueChange: Hashable, Sendable, Codable {
  /// The place: in the document, or in the scene of a frame.
  package var path: String
  /// The change in words, with its place.
  package var text: String

  init(_ difference: JSONDifference) { (path, text) = (difference.path.description, difference.description) }
}

/// The result of the comparison of a chunk with an earlier job.
package struct ChunkFinding: Hashable, Sendable, Codable {
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case same, unfinished, settings, media, fonts, frame, borders, share, compositor
  }

  package var kind: Kind
  /// The first frame that the earlier job did not show; nil for other kinds.
  package var frame: Int?
  /// The values by which that frame's scene differs from what stood in its place. None where nothing stood there.
  package var changes: [ValueChange]
  /// The finding in words.
  package var text: String

  init(_ finding: EditComparison.Finding) {
    (frame, changes) = (nil, [])
    switch finding {
    case .same: (kind, text) = (.same, "as before")
    case .unfinished: (kind, text) = (.unfinished, "as before, but was not finished")
    case .settings: (kind, text) = (.settings, "the picture's settings changed")
    case .media(let assets): (kind, text) = (.media, "changed: " + assets.map { "asset '\($0)'" }.joined(separator: ", "))
    case .fonts: (kind, text) = (.fonts, "the font files of its texts changed")
    case .borders: (kind, text) = (.borders, "has the frames of several earlier chunks, or a part of one's")
    case .share: (kind, text) = (.share, "as before, but the edit changed, and with it the share of the bits")
    case .compositor: (kind, text) = (.compositor, "has frames by a compositor of your own")
    case .frame(let index, let differences):
      (kind, frame, changes) = (.frame, index, differences.map(ValueChange.init))
      text = "frame \(index): " + (changes.first?.text ?? "new")
    }
  }
}

extension PlannedJob {
  /// The seconds that a chunk takes which is found: a process starts and links a file.
  private static let secondsToFind = 0.1

  /// - Parameters:
  ///   - slowness: the factor by which pictures take longer than the plan's costs say.
  ///   - soundSlowness: the same of the sound.
  ///   - soundFound: whether the parts of the sound are found, too, in their order; nil where nothing is known of earlier ones.
  ///   - finding: whether chunks are found, and what a comparison says of them, in their order; nil where nothing is known of earlier ones.
  init(
    _ submission: JobSubmission, of edit: ResolvedTimeline, slots: Int, slowness: Double = 1, soundSlowness: Double = 1,
    warnings: [FaultRecord], soundFound: [Bool]? = nil,
    finding: ([FrameRange]) throws -> [(isFound: Bool?, ChunkFinding?)]? = { _ in nil }
  ) throws {
    let frame = edit.videoComposition?.frameDuration.seconds ?? 0
    renditions = edit.renditions.isEmpty ? nil : edit.renditions.map(\.size)
    let pictures = submission.tasks.compactMap { task in task.frames.map { (frames: $0, cost: task.cost) } }
    let findings = try finding(pictures.map(\.frames))
    chunks = pictures.enumerated().map { place, picture in
      let known = findings?[place]
      return PlannedChunk(
        frames: picture.frames, start: Double(picture.frames.first) * frame, coreSeconds: picture.cost * slowness,
        isFound: known?.isFound, finding: known?.1)
    }
    let sounds = submission.tasks.filter { $0.kind == .sound }
    soundSeconds = sounds.isEmpty ? nil : sounds.reduce(0) { $0 + $1.cost } * soundSlowness
    soundParts = sounds.count
    if sounds.count == 1, case .whole(let reason) = try SoundDivision(of: edit) { soundReason = reason.words }
    output = submission.spec.output.isEmpty ? nil : submission.spec.output
    (frameCount, chunkCount) = (submission.frameCount, chunks.count)
    (self.slots, self.warnings) = (slots, warnings)
    let costs =
      sounds.enumerated().map { soundFound?[$0] == true ? Self.secondsToFind : $1.cost * soundSlowness }
      + chunks.map { $0.isFound == true ? Self.secondsToFind : $0.coreSeconds }
    coreSeconds = costs.reduce(0, +)
    let rendering = Self.end(of: costs, on: slots)
    let isJoinedEarly = edit.isJoinedEarly && submission.spec.object == nil
    // Joining begins once the first chunk is there.
    let joining =
      isJoinedEarly ? rendering - (chunks.first.map { $0.isFound == true ? Self.secondsToFind : $0.coreSeconds } ?? 0) : 0
    seconds = rendering + Forecast.tailSeconds(frames: submission.frameCount, rendering: joining)
  }

  /// The time at which the last of some tasks ends, where each free slot takes the next one.
  private static func end(of costs: [Double], on slots: Int) -> Double {
    // The ends of the slots' tasks, the earliest first.
    var ends = [Double](repeating: 0, count: min(slots, max(costs.count, 1)))
    for cost in costs {
      let end = ends.removeFirst() + cost
      ends.insert(end, at: ends.partitioningIndex { $0 > end })
    }
    return ends.last ?? 0
  }
}
