import AVFoundation
import FarmTesting
import Testing

@Suite(.serialized) struct `A composition` {
  let composition = AVMutableComposition()

  private func track(_ media: AVMediaType = .video, _ id: CMPersistentTrackID = kCMPersistentTrackID_Invalid) throws
    -> AVMutableCompositionTrack
  {
    try #require(composition.addMutableTrack(withMediaType: media, preferredTrackID: id))
  }

  private func video(turned: Bool = false) throws -> AVAssetTrack {
    try #require(TestMedia.asset(turned: turned).tracks(withMediaType: .video).first)
  }

  /// The targets of the segments in tenths of seconds, with a mark at empty ones.
  private func targets(_ track: AVCompositionTrack) -> [String] {
    track.segments.map { segment in
      let target = segment.timeMapping.target
      let ends = [target.start, target.end].map { Int(($0.seconds * 10).rounded()) }
      return "\(segment.isEmpty ? "gap " : "")\(ends[0])-\(ends[1])"
    }
  }

  @Test func `an asset is what its file says, and AVAsset of a URL is an AVURLAsset`() async throws {
    let asset: AVAsset = AVAsset(url: try TestMedia.upright.get())
    #expect(type(of: asset) == AVURLAsset.self)
    let (tracks, duration) = try await asset.load(.tracks, .duration)
    #expect(tracks.map(\.mediaType) == [.video, .audio] && duration.seconds == 1)
    let video = try #require(asset.tracks(withMediaType: .video).first)
    #expect(video.naturalSize == CGSize(width: 64, height: 48) && video.nominalFrameRate == 10)
    #expect(video.preferredTransform == CGAffineTransform(0, 1, -1, 0, 48, 0))
    #expect(video.timeRange == CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 1)))
  }

  @Test func `an asset that cannot be read has an error, no tracks and no duration`() async throws {
    _ = try TestMedia.clip.get()
    let url = URL(fileURLWithPath: "/nonexistent/clip.mov")
    let asset = AVURLAsset(url: url)
    #expect(asset.tracks.isEmpty && !asset.duration.isValid)
    let error = await #expect(throws: AVError.self) { try await asset.load(.duration) }
    #expect(error?.code == .failedToLoadMediaData && error?.url == url)
    let bridged = try #require(error) as NSError
    #expect(bridged.domain == AVFoundationErrorDomain && bridged.code == -11849)
  }

  @Test func `track IDs are the lowest that are free, unless one is asked for`() throws {
    #expect(try [track().trackID, track(.audio, 7).trackID, track().trackID, track(.video, 7).trackID] == [1, 7, 2, 3])
    #expect(composition.addMutableTrack(withMediaType: .subtitle, preferredTrackID: 0) == nil)
    #expect(composition.tracks.map(\.trackID) == [1, 7, 2, 3])
    try composition.removeTrack(#require(composition.tracks.first))
    #expect(try track().trackID == 1)
  }

  @Test func `an insertion splits the segment that it falls into, and moves what follows`() throws {
    let track = try track()
    try track.insertTimeRange(TestMedia.range(0, 10), of: video(), at: .zero)
    try track.insertTimeRange(TestMedia.range(2, 5), of: video(turned: true), at: TestMedia.tenths(4))
    #expect(targets(track) == ["0-4", "4-7", "7-13"])
    #expect(track.segments[2].timeMapping.source == TestMedia.range(4, 10))
    #expect(composition.duration == TestMedia.tenths(13))
  }

  @Test func `an insertion past the end leaves a gap, and one at no time is put at the end`() throws {
    let track = try track()
    try track.insertTimeRange(TestMedia.range(0, 2), of: video(), at: TestMedia.tenths(3))
    try track.insertTimeRange(TestMedia.range(0, 2), of: video(), at: .invalid)
    #expect(targets(track) == ["gap 0-3", "3-5", "5-7"])
  }

  @Test func `a range that goes beyond the source track ends with it, and what follows stays apart`() throws {
    let sound = try track(.audio)
    let source = try #require(TestMedia.asset().tracks(withMediaType: .audio).first)
    try sound.insertTimeRange(TestMedia.range(0, 10), of: source, at: .zero)
    #expect(targets(sound) == ["0-8"])
    try sound.insertTimeRange(TestMedia.range(0, 10), of: source, at: .zero)
    #expect(targets(sound) == ["0-8", "gap 8-10", "10-18"])
  }

  @Test func `removing, scaling and gaps move what follows`() throws {
    let track = try track()
    try track.insertTimeRange(TestMedia.range(0, 10), of: video(), at: .zero)
    track.removeTimeRange(TestMedia.range(2, 4))
    #expect(targets(track) == ["0-2", "2-8"])
    track.scaleTimeRange(TestMedia.range(2, 4), toDuration: TestMedia.tenths(6))
    #expect(targets(track) == ["0-2", "2-8", "8-12"])
    #expect(track.segments[1].timeMapping.source == TestMedia.range(4, 6))
    track.insertEmptyTimeRange(TestMedia.range(1, 3))
    #expect(targets(track) == ["0-1", "gap 1-3", "3-4", "4-10", "10-14"])
    track.insertEmptyTimeRange(TestMedia.range(14, 20))
    #expect(composition.duration == TestMedia.tenths(14))
  }

  @Test func `a range that reaches beyond the track's end is scaled as far as the track goes`() throws {
    let track = try track()
    try track.insertTimeRange(TestMedia.range(0, 4), of: video(), at: .zero)
    track.scaleTimeRange(TestMedia.range(2, 6), toDuration: TestMedia.tenths(2))
    #expect(targets(track) == ["0-2", "2-3"])
    track.scaleTimeRange(TestMedia.range(5, 6), toDuration: TestMedia.tenths(9))
    #expect(targets(track) == ["0-2", "2-3"])
  }

  @Test func `a whole asset goes onto the composition's tracks, or onto new ones that stand as it does`() throws {
    let asset = try TestMedia.asset(turned: true)
    try composition.insertTimeRange(TestMedia.range(0, 10), of: asset, at: .zero)
    try composition.insertTimeRange(TestMedia.range(0, 10), of: asset, at: .zero)
    #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
    #expect(composition.tracks[0].preferredTransform == asset.tracks[0].preferredTransform)
    #expect(targets(composition.tracks[1]) == ["0-8", "gap 8-10", "10-18"])
  }

  @Test func `a track of an edit is inserted as its segments`() throws {
    let inner = AVMutableComposition()
    let source = try #require(inner.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
    try source.insertTimeRange(TestMedia.range(0, 4), of: video(), at: .zero)
    try source.insertTimeRange(TestMedia.range(0, 4), of: video(), at: TestMedia.tenths(6))
    let track = try track()
    try track.insertTimeRange(TestMedia.range(2, 8), of: source, at: .zero)
    #expect(targets(track) == ["0-2", "gap 2-4", "4-6"])
    #expect(track.segments[0].timeMapping.source == TestMedia.range(2, 4))
  }

  @Test func `faults of insertions are thrown, and change nothing`() throws {
    let track = try track()
    let empty = #expect(throws: AVError.self) { try track.insertTimeRange(.zero, of: video(), at: .zero) }
    #expect(empty?.code == .invalidCompositionTrackSegmentSourceDuration)
    #expect(throws: AVError.self) { try track.insertTimeRange(TestMedia.range(20, 30), of: video(), at: .zero) }
    #expect(throws: AVError.self) { try track.insertTimeRange(.invalid, of: video(), at: .zero) }
    let sound = try #require(TestMedia.asset().tracks(withMediaType: .audio).first)
    let wrong = #expect(throws: AVError.self) { try track.insertTimeRange(TestMedia.range(0, 5), of: sound, at: .zero) }
    #expect(wrong?.code == .invalidSourceMedia)
    #expect(track.segments.isEmpty)
  }

  @Test func `segments of a mutable track may be unwrapped, and nil stands for none`() throws {
    let composition = AVMutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid))
    try track.insertTimeRange(TestMedia.range(0, 10), of: video(), at: .zero)
    #expect(composition.tracks.flatMap { $0.segments! }.map(\.isEmpty) == [false])
    let (fixed, plain): (AVCompositionTrack, AVAssetTrack) = (track, track)
    #expect(fixed.segments[0].sourceTrackID == track.segments[0].sourceTrackID && plain.segments.count == 1)
    track.segments = nil
    #expect(track.segments.isEmpty && track.timeRange.duration == .zero)
  }

  @Test func `a fault of a change that cannot throw is told by the document`() throws {
    let track = try track()
    try track.insertTimeRange(TestMedia.range(0, 10), of: video(), at: .zero)
    track.scaleTimeRange(TestMedia.range(0, 5), toDuration: .zero)
    #expect(targets(track) == ["0-10"])
    #expect(throws: AVError.self) { try composition.spoolDocument() }
  }
}
