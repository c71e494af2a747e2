internal import Formats
package import Media
package import MediaTime
package import Scenes
package import Timeline

/// The frames of an edit whose packets can be copied from its sources, and whether its sound can be, and the reasons for all else (decisions
/// 0176 and 0247).
///
/// It depends on the edit and its media alone, never on the division into chunks or on the farm.
package struct CopySearch: Hashable, Sendable, Codable {
  /// Frames in a row that are encoded, and the reason.
  package struct Encoded: Hashable, Sendable, Codable {
    package var frames: Range<Int>
    package var reason: String
  }

  /// The frames and the sound that are copied; nil where nothing is.
  package private(set) var plan: CopyPlan?
  /// The frames that are encoded, in ascending order: the first `mostReasons` stretches of them.
  package private(set) var encoded: [Encoded] = []
  /// The number of all frames that are encoded.
  package private(set) var encodedCount = 0
  /// The reason for which the sound is encoded; nil where it is copied, or is not to be.
  package private(set) var soundReason: String?

  /// The most stretches of frames whose reasons are told.
  private static let mostReasons = 1000

  /// The most bytes of one range of copied frames, unless a single group has more. So a range is copied in seconds, and a farm copies
  /// a long movie side by side.
  private static let mostBytes: Int64 = 256 << 20

  /// A run of frames and what was found of its groups.
  private struct Found {
    let run: UntouchedRun
    let groups: CopyableGroups
    var frameCount: Int { groups.groups.reduce(0) { $0 + $1.frames.count } }
  }

  /// Reads the packets of all sources that could be copied.
  ///
  /// - Parameter progress: called now and then.
  /// - Throws: `MediaError` where a source cannot be read; what `progress` throws.
  package init(of edit: ResolvedTimeline, policy: SourcePolicy, progress: () throws -> Void = {}) throws {
    try findFrames(of: edit, policy, progress)
    try findSound(of: edit, policy, progress)
  }

  private mutating func findFrames(
    of edit: ResolvedTimeline, _ policy: SourcePolicy, _ progress: () throws -> Void
  ) throws {
    let settings = edit.timeline.export.video
    guard settings.copy != .never, let composition = edit.videoComposition else { return }
    let all = 0..<(try edit.frameCount)
    var (found, reasons): ([Found], [Encoded]) = ([], [])
    let runs = try edit.runs(in: all)
    reasons = runs.touched.map { Encoded(frames: $0.frames, reason: $0.reason) }
    for run in runs.untouched {
      try progress()
      if let reason = Self.objection(to: run, edit) {
        reasons.append(Encoded(frames: run.frames, reason: reason))
        continue
      }
      do {
        guard let asset = edit.timeline.assets[run.asset] else { preconditionFailure("a resolved picture has an asset") }
        let groups = try CopyableGroups(
          path: asset.path, track: edit.track(run.trackPosition, of: run.asset, media: .video), policy: policy,
          settings: settings, times: run.times, progress: progress)
        found.append(Found(run: run, groups: groups))
      } catch let error as MediaError where error.kind == .unsupported {
        reasons.append(Encoded(frames: run.frames, reason: "\(error)"))
      }
    }
    let sets = Self.join(&found, &reasons)
    let shortest = settings.copy == .require ? 1 : Self.framesOfSecond(composition.frameDuration)
    try Self.requireOneDescription(&found, &reasons, of: edit, shortest: shortest)
    var plan = CopyPlan(frames: [])
    for one in found {
      plan.frames += Self.ranges(of: one, shortest: shortest)
      plan.reorderDepth = max(plan.reorderDepth, one.groups.reorderDepth)
      reasons.append(Encoded(frames: one.run.frames, reason: one.groups.objection ?? Self.usualReason(one, shortest: shortest)))
    }
    plan.frames.sort { $0.lowerBound < $1.lowerBound }
    encoded = Self.encoded(all, besides: plan.frames, reasons)
    if !encoded.isEmpty, !plan.frames.isEmpty, let sets {
      guard let number = sets.freeNumber else {
        (encoded, encodedCount) = ([Encoded(frames: all, reason: "its sources leave no number for parameter sets")], all.count)
        return
      }
      plan.parameterSetID = number
    }
    if !plan.frames.isEmpty { self.plan = plan }
    encodedCount = encoded.reduce(0) { $0 + $1.frames.count }
    encoded = Array(encoded.prefix(Self.mostReasons))
  }

  private mutating func findSound(of edit: ResolvedTimeline, _ policy: SourcePolicy, _ progress: () throws -> Void) throws {
    guard edit.timeline.export.audio.copy != .never, edit.audio != nil else { return }
    switch try edit.soundContent {
    case .other(let reason): soundReason = reason
    case .untouched(let sound):
      do {
        let source = try edit.copiedSound(sound, policy)
        let count = try source.sampleCount { _ in try progress() }
        guard count <= sound.samples.upperBound else {
          soundReason = "the edit ends before the clip's sound does"
          return
        }
        var plan = self.plan ?? CopyPlan()
        (plan.soundSampleCount, plan.soundPriming) = (count, source.priming ?? 0)
        self.plan = plan
      } catch let error as MediaError where error.kind == .unsupported { soundReason = "\(error)" }
    }
  }

  /// Whether a search that another process reports can be one of this edit.
  package func isPlausible(for edit: ResolvedTimeline) throws(TimeError) -> Bool {
    guard let plan else { return true }
    if let samples = plan.soundSampleCount {
      let most = try edit.sampleCount
      guard most > 0, (1...most).contains(samples), 0...Int64(CopyPlan.mostPriming) ~= plan.soundPriming else { return false }
    }
    let count = try edit.frameCount
    let isOrdered = zip(plan.frames, plan.frames.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    return isOrdered && plan.frames.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= count }
      && (0...CopyPlan.mostReordered).contains(plan.reorderDepth) && (0..<32).contains(plan.parameterSetID ?? 0)
      && plan.frames.count <= CopyPlan.mostRanges
  }

  /// The reason for which a run cannot be copied that its facts tell; nil where they tell none.
  private static func objection(to run: UntouchedRun, _ edit: ResolvedTimeline) -> String? {
    let track = edit.track(run.trackPosition, of: run.asset, media: .video)
    let codec = edit.timeline.export.video.codec
    if track.codec != codec.streamName { return "the clip is \(track.codec), and the movie \(codec)" }
    let video = edit.picture(of: .asset(run.asset, trackPosition: run.trackPosition))
    if edit.color.isHighRange, video.hdrMetadata != edit.hdrMetadata { return "the clip has other HDR metadata than the movie" }
    return nil
  }

  /// Leaves out the runs whose parameter sets have the numbers of others. The sets of which most frames are made stay.
  ///
  /// - Returns: the sets that stay, joined; nil for a codec without any.
  private static func join(_ found: inout [Found], _ reasons: inout [Encoded]) -> ParameterSets? {
    var counts: [ParameterSets: Int] = [:]
    for one in found { if let sets = one.groups.parameterSets { counts[sets, default: 0] += one.frameCount } }
    var (joined, kept): (ParameterSets?, Set<ParameterSets>) = (nil, [])
    let firsts = found.compactMap(\.groups.parameterSets)
    for sets in counts.keys.sorted(by: { (counts[$0]!, firsts.firstIndex(of: $1)!) > (counts[$1]!, firsts.firstIndex(of: $0)!) })
    {
      guard let more = joined.map({ $0.joined(with: sets) }) ?? sets else { continue }
      joined = more
      kept.insert(sets)
    }
    found.removeAll { one in
      guard let sets = one.groups.parameterSets, !kept.contains(sets) else { return false }
      reasons.append(Encoded(frames: one.run.frames, reason: "its parameter sets have the numbers of another source's"))
      return true
    }
    return joined
  }

  /// Leaves out the runs of FFV1 whose streams have other descriptions than the movie. That is the one of all frames, where all are copied and have
  /// one, and otherwise the encoder's.
  private static func requireOneDescription(
    _ found: inout [Found], _ reasons: inout [Encoded], of edit: ResolvedTimeline, shortest: Int
  ) throws {
    let digests = Set(found.compactMap(\.groups.descriptionDigest))
    guard !digests.isEmpty, let composition = edit.videoComposition else { return }
    let copiedCount = found.flatMap { ranges(of: $0, shortest: shortest) }.reduce(0) { $0 + $1.count }
    if digests.count == 1, copiedCount == (try edit.frameCount) { return }
    let own = try VideoEncoder(
      settings: edit.timeline.export.video, size: composition.outputSize, format: edit.renderFormat,
      frameDuration: composition.frameDuration, color: edit.color
    ).parameters.parameterSetDigest
    found.removeAll { one in
      guard one.groups.descriptionDigest != own else { return false }
      reasons.append(Encoded(frames: one.run.frames, reason: "its stream has another header than the rest of the movie"))
      return true
    }
  }

  /// The ranges of a run's groups: those that touch each other together, as far as they are not too large.
  private static func ranges(of found: Found, shortest: Int) -> [Range<Int>] {
    let first = found.run.frames.lowerBound
    var stretches: [[CopyableGroups.Group]] = []
    for group in found.groups.groups {
      if let leadingCount = group.leadingCount, let previous = stretches.last?.last,
        previous.frames.upperBound == group.frames.lowerBound - leadingCount
      {
        stretches[stretches.count - 1].append(group)
      } else {
        stretches.append([group])
      }
    }
    var ranges: [Range<Int>] = []
    for stretch in stretches {
      let (begin, end) = (stretch[0].frames.lowerBound, stretch[stretch.count - 1].frames.upperBound)
      guard end - begin >= shortest else { continue }
      var (start, bytes) = (begin, Int64(0))
      for group in stretch {
        if bytes > 0, group.leadingCount == 0, bytes + group.byteCount > mostBytes {
          ranges.append((first + start)..<(first + group.frames.lowerBound))
          (start, bytes) = (group.frames.lowerBound, 0)
        }
        bytes += group.byteCount
      }
      ranges.append((first + start)..<(first + end))
    }
    return ranges
  }

  /// The reason for frames of a run where no group has one of its own.
  private static func usualReason(_ found: Found, shortest: Int) -> String {
    found.frameCount > 0 && found.frameCount < shortest
      ? "whole groups of pictures last less than a second there" : "the edit begins or ends inside a group of pictures"
  }

  private static func framesOfSecond(_ frameDuration: MediaTime) -> Int {
    max(1, Int(Int64(frameDuration.timescale) / max(1, frameDuration.value)))
  }

  /// All frames beside the copied ones, with the reasons for them.
  private static func encoded(_ all: Range<Int>, besides copied: [Range<Int>], _ reasons: [Encoded]) -> [Encoded] {
    let sorted = reasons.sorted { $0.frames.lowerBound < $1.frames.lowerBound }
    var (encoded, next): ([Encoded], Int) = ([], 0)
    let ends = zip(copied, copied.dropFirst().map(\.lowerBound) + [all.upperBound]).map { $0.upperBound..<$1 }
    for gap in [all.lowerBound..<(copied.first?.lowerBound ?? all.upperBound)] + ends where !gap.isEmpty {
      while next < sorted.count, sorted[next].frames.upperBound <= gap.lowerBound { next += 1 }
      var index = next
      while index < sorted.count, sorted[index].frames.lowerBound < gap.upperBound {
        let part = sorted[index].frames.clamped(to: gap)
        if !part.isEmpty { encoded.append(Encoded(frames: part, reason: sorted[index].reason)) }
        index += 1
      }
    }
    return encoded
  }
}
