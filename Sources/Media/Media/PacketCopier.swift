internal import CFFmpeg
package import Formats
package import MediaTime

/// Copies whole groups of a track's packets into a segment, without decoding them. What the first group shows only behind the one
/// before it is left out.
package struct PacketCopier {
  private let source: PacketSource
  private let goals: [Int64]
  private let parameters: CodecParameters
  private let place: String

  /// - Parameters:
  ///   - settings: those of the movie's picture.
  ///   - times: the time of each frame on the asset's clock. They are frames of `CopyableGroups`, from the first of a group to the
  ///     last of one.
  ///   - frameDuration: the duration of the movie's frames.
  ///   - reorderDepth: that of the groups, or a larger one.
  /// - Throws: `MediaError`.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, settings: VideoCodecSettings, times: [Rational],
    frameDuration: MediaTime, reorderDepth: Int
  ) throws(MediaError) {
    source = try PacketSource(path: path, track: track, policy: policy, settings: settings)
    goals = try source.ticks(of: times)
    parameters = try source.parameters(frameDuration: frameDuration, reorderDepth: reorderDepth)
    place = "\(MediaURL.name(of: path)) track \(track.index)"
  }

  /// Writes the segment file at `path`.
  ///
  /// - Parameters:
  ///   - others: the tracks of pictures that lie beside the copied one, in their order.
  ///   - progress: called after each packet with the number of packets so far.
  ///   - fill: called behind the last packet; it writes the other tracks.
  /// - Returns: the facts of the file, and a digest of the packets.
  /// - Throws: `MediaError`; `unreadable` where the file does not hold the groups any more; what `fill` throws. No file is left then.
  package func copy(
    to path: String, beside others: [CodecParameters] = [], progress: (Int) -> Void,
    fill: (SegmentWriter) throws -> Void = { _ in }
  ) throws -> (SegmentFacts, ContentDigest) {
    let writer = try SegmentWriter(path: path, tracks: [parameters] + others)
    let hasher = try ContentHasher()
    var taken = [Bool](repeating: false, count: goals.count)
    var (count, groupCount) = (0, 0)
    let start = try firstTick()
    source.begin(at: goals[0])
    while count < goals.count, let packet = try source.next() {
      // The packets before are of pictures that are shown earlier.
      if count == 0, !packet.role.beginsGroup || packet.tick != start { continue }
      if packet.role.beginsGroup { groupCount += 1 }
      // The group that these refer to is not there.
      if groupCount == 1, packet.role == .leads { continue }
      let frame = goals.partitioningIndex { $0 >= packet.tick }
      guard frame < goals.count, !taken[frame], packet.objection == nil else { throw changed }
      taken[frame] = true
      let copied = try unsafe source.packet(breaksLink: count == 0)
      unsafe (copied.pointee.pts, copied.pointee.stream_index) = (Int64(frame), 0)
      // Some containers mark pictures as keyframes before which others need to be decoded.
      unsafe copied.pointee.flags = packet.role.beginsGroup ? AV_PKT_FLAG_KEY : 0
      unsafe av_packet_free_side_data(copied)
      unsafe hasher.update(UnsafeRawBufferPointer(copied.bytes))
      try unsafe writer.append(copied, to: 0, length: 1)
      count += 1
      progress(count)
    }
    guard count == goals.count else { throw changed }
    try fill(writer)
    return (try writer.finish(), hasher.digest)
  }

  /// The tick at which the first group begins: the last group that begins no later than the first frame.
  private func firstTick() throws(MediaError) -> Int64 {
    source.begin(at: goals[0])
    var found: Int64?
    while let packet = try source.next() {
      guard packet.role.beginsGroup else { continue }
      guard packet.tick <= goals[0] else { break }
      found = packet.tick
    }
    guard let found else { throw changed }
    return found
  }

  private var changed: MediaError {
    MediaError(.unreadable, at: place, "does not hold the packets any more that were to be copied")
  }
}
