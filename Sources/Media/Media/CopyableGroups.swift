package import Formats
package import MediaTime

/// The groups of a track's packets that show what an edit shows: picture after picture, each in one frame.
package struct CopyableGroups: Sendable {
  package struct Group: Hashable, Sendable {
    /// The frames that it shows wherever it is put.
    package var frames: Range<Int>
    /// The number of frames before these that it shows, too, where the group before it is copied; nil where it is not to be copied behind
    /// that one.
    package var leadingCount: Int?
    package var byteCount: Int64
  }

  /// The groups in the order of their frames.
  package private(set) var groups: [Group] = []
  /// The number of frames by which decoding runs ahead of showing, in the groups.
  package private(set) var reorderDepth = 0
  /// The parameter sets of H.264 or HEVC.
  package let parameterSets: ParameterSets?
  /// The digest of the stream's description, of a codec of which all pictures of a movie have the same one: FFV1; nil for others.
  package let descriptionDigest: String?
  /// The reason for which the first group that cannot be copied cannot; nil where all can.
  package private(set) var objection: String?

  /// Reads the packets of a part of a track.
  ///
  /// - Parameters:
  ///   - settings: those of the movie's picture.
  ///   - times: the times of the frames on the asset's clock, which ascend. In each frame the last picture is shown that is not later.
  ///   - progress: called now and then.
  /// - Throws: `MediaError`; `unsupported` where nothing of the track can be copied.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, settings: VideoCodecSettings, times: [Rational],
    progress: () throws -> Void = {}
  ) throws {
    let source = try PacketSource(path: path, track: track, policy: policy, settings: settings)
    (parameterSets, descriptionDigest) = (source.parameterSets, source.descriptionDigest)
    let goals = try source.ticks(of: times)
    guard let first = goals.first, let last = goals.last else { return }
    source.begin(at: first)
    // A group is known to be whole when the next one is: pictures that are shown before the next one's first may follow that.
    var (previous, group) = (OpenGroup(), OpenGroup())
    var count = 0
    while let packet = try source.next() {
      count += 1
      if count % 1024 == 0 { try progress() }
      if packet.role.beginsGroup {
        close(previous, before: group.earliest, goals)
        if group.isWhole, group.earliest > last { return }
        (previous, group) = (group, OpenGroup(isWhole: true))
      }
      group.add(packet)
    }
    close(previous, before: group.earliest, goals)
    close(group, before: .max, goals)
  }

  /// Takes a group whose packets are all known.
  private mutating func close(_ group: OpenGroup, before next: Int64, _ goals: [Int64]) {
    guard group.isWhole, let earliest = group.ticks.min(), let latest = group.ticks.max(), latest >= goals[0] else { return }
    guard earliest == group.ticks[0], let frames = group.frames(of: group.ticks, before: next, goals) else {
      let isCut = earliest > goals[goals.count - 1] || earliest < goals[0] || latest > goals[goals.count - 1]
      // A group that the edit cuts off is encoded in part, which is nothing to tell.
      if objection == nil, !isCut {
        objection = group.objection ?? "its pictures are not those of the movie's frames, one by one"
      }
      return
    }
    let leading =
      group.leading.isEmpty
      ? frames.lowerBound..<frames.lowerBound : group.frames(of: group.leading, before: earliest, goals)
    let isJoined = leading?.upperBound == frames.lowerBound
    groups.append(Group(frames: frames, leadingCount: isJoined ? leading?.count : nil, byteCount: group.byteCount))
    let order = (group.ticks.prefix(1) + group.leading + group.ticks.dropFirst()).enumerated()
      .sorted { $0.element < $1.element }.map(\.offset)
    for (shown, decoded) in order.enumerated() { reorderDepth = max(reorderDepth, decoded - shown) }
  }
}

/// A group of which packets still come.
private struct OpenGroup {
  /// Whether its first packet is known.
  var isWhole = false
  /// The times of the pictures that stand without other groups.
  var ticks: [Int64] = []
  /// The times of those that need the group before, and are shown before the group's first picture.
  var leading: [Int64] = []
  var byteCount: Int64 = 0
  var objection: String?

  mutating func add(_ packet: PacketSource.Packet) {
    if packet.role == .leads { leading.append(packet.tick) } else { ticks.append(packet.tick) }
    byteCount += Int64(packet.byteCount)
    objection = objection ?? packet.objection
  }

  /// The time at which the first of its pictures is shown, wherever that stands; the largest number where there is none.
  var earliest: Int64 { min(ticks.min() ?? .max, leading.min() ?? .max) }

  /// The frames that show some of the group's pictures; nil where these are not shown one by one, or something else forbids to copy them.
  func frames(of ticks: [Int64], before next: Int64, _ goals: [Int64]) -> Range<Int>? {
    guard objection == nil else { return nil }
    // A picture's first frame is the first that is not before it.
    let sorted = ticks.sorted()
    let start = goals.partitioningIndex { $0 >= sorted[0] }
    let end = start + sorted.count
    guard end <= goals.count, start == 0 || goals[start - 1] < sorted[0], next > goals[end - 1] else { return nil }
    for (index, tick) in sorted.enumerated() {
      guard tick <= goals[start + index], index + 1 == sorted.count || goals[start + index] < sorted[index + 1] else {
        return nil
      }
    }
    return start..<end
  }
}
