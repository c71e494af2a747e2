internal import Formats
internal import MediaTime

/// Restores the frames of film that was spread over the fields of video. It joins the fields of each frame anew, with FFmpeg's
/// fieldmatch, and with bwdif where combs stay. Of each group of five frames it leaves out the one that shows nothing new.
///
/// Groups are counted from the track's first frame by time. So the content of a group depends on the file and the time alone. One
/// thread at a time.
final class FilmReader {
  /// The largest number of a group in either direction: thousands of years.
  private static let mostGroups: Int64 = 1 << 40

  private let cadence: FilmCadence
  private let fields: FieldMarks
  private let matching = FieldWork(.match)
  private let deinterlacing = FieldWork(.deinterlace)
  /// The last two groups that were made. A time at the start of a group may belong to the last picture of the group before.
  private var groups: [FilmGroup] = []
  /// The frame that was matched last, its neighbours and its picture. The next group begins by comparing with it.
  private var lastMade: (tick: Int64, neighbours: [Int64?], picture: PixelBuffer)?

  /// Makes a reader; nil for a track that carries no film.
  init?(_ track: TrackFacts) {
    guard case .video(let video) = track.detail, let cadence = FilmCadence(of: video) else { return nil }
    (self.cadence, fields) = (cadence, FieldMarks(track))
  }

  /// The group that was made last. Reading goes on from it.
  var latest: FilmGroup? { groups.last }

  /// The group of a number, if it is one of the last two.
  func known(_ index: Int64) -> FilmGroup? { groups.first { $0.index == index } }

  /// Forgets all groups, after the times of frames have changed.
  func forget() { (groups, lastMade) = ([], nil) }

  // MARK: Times, in seconds after the track's first frame

  /// The number of the group that is shown at `time`, or just before it.
  func group(at time: Rational, orJustBefore isBefore: Bool) throws(TimeError) -> Int64 {
    let groups = try time / cadence.groupDuration()
    return min(max(Int64(clamping: isBefore ? groups.ceiling - 1 : groups.floor), -Self.mostGroups), Self.mostGroups)
  }

  /// The number of the group that a frame belongs to. Timestamps are rounded by less than half a field.
  func group(ofFrameAt time: Rational) throws(TimeError) -> Int64 {
    try group(at: time + slack(), orJustBefore: false)
  }

  /// The earliest time at which the first frame of a group may be shown.
  func start(of group: Int64) throws(TimeError) -> Rational {
    try cadence.groupDuration() * Rational(group) - slack()
  }

  /// The tolerance for rounded timestamps: half a field.
  private func slack() throws(TimeError) -> Rational { try cadence.frameDuration() * Rational(1, over: 4) }

  // MARK: Making pictures

  /// Makes the pictures of a group, and keeps it as the latest.
  ///
  /// - Parameters:
  ///   - index: the number of the group.
  ///   - stretch: the group's frames and those around them.
  ///   - times: the times of the stretch's frames, in its order.
  ///   - picture: converts a decoded frame to a picture.
  func group(
    _ index: Int64, of stretch: FilmStretch, times: [Rational], at place: String,
    picture: (VideoReader.Shown) throws(MediaError) -> PixelBuffer
  ) throws -> FilmGroup {
    var frames: [FieldWork.Frame] = []
    for frame in stretch.frames { frames.append((frame.tick, try picture(frame))) }
    let (start, field) = (try cadence.groupDuration() * Rational(index), try cadence.frameDuration() * Rational(1, over: 2))
    let members = stretch.members
    let offsets = try members.map { place in Int64(clamping: try ((times[place] - start) / field).rounded()) }
    let kind = FilmKind(cadence, fields: offsets)
    // Frames are matched in order of time, so each goes through the filter only once.
    let before =
      try kind == .pulledDown && members.lowerBound > 0 ? made(members.lowerBound - 1, frames, stretch, at: place) : nil
    var pictures: [PixelBuffer] = []
    for position in members {
      let isWhole = kind == .film && fields.order(of: stretch.frames[position].frame) == nil
      pictures.append(try isWhole ? frames[position].picture : made(position, frames, stretch, at: place))
    }
    var ticks = members.map { stretch.frames[$0].tick }
    if kind == .pulledDown {
      let repetition = Self.repetition(in: pictures, after: before)
      pictures.remove(at: repetition)
      ticks.remove(at: repetition)
    }
    let shown: [Rational] =
      if kind == .other {
        try offsets.map { try start + field * Rational($0) }
      } else {
        try (0..<Int64(pictures.count)).map { try start + field * Rational(Int128($0 * 5), over: 2) }
      }
    let group = FilmGroup(
      index: index, stretch: stretch, pictures: pictures.indices.map { (shown[$0], ticks[$0], pictures[$0]) })
    groups = groups.suffix(1) + [group]
    return group
  }

  /// The picture of the frame at a place of the stretch, made of the fields that belong together.
  private func made(
    _ position: Int, _ frames: [FieldWork.Frame], _ stretch: FilmStretch, at place: String
  ) throws(MediaError) -> PixelBuffer {
    let (frame, before) = (frames[position], position > 0 ? frames[position - 1] : nil)
    let after = position + 1 < frames.count ? frames[position + 1] : nil
    let neighbours = [before?.tick, after?.tick]
    if let lastMade, lastMade.tick == frame.tick, lastMade.neighbours == neighbours { return lastMade.picture }
    let order = fields.order(of: stretch.frames[position].frame) ?? fields.ofTrack ?? .topFirst
    var made = try matching.done(on: frame, before: before, after: after, order, at: place)
    if made.isInterlaced { made = try deinterlacing.done(on: frame, before: before, after: after, order, at: place) }
    lastMade = (frame.tick, neighbours, made.picture)
    return made.picture
  }

  /// The index of the picture that differs least from the one before it; the first one of equals.
  private static func repetition(in pictures: [PixelBuffer], after before: PixelBuffer?) -> Int {
    let earlier = [before] + pictures.dropLast()
    let differences = zip(earlier, pictures).map { before, picture in before.map(picture.largestDifference) ?? .max }
    return differences.indices.min { differences[$0] < differences[$1] } ?? 0
  }
}
