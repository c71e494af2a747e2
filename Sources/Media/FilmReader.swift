internal import MediaTime
internal import Timeline

/// Gives film that was spread over fields its own frames back: the fields of each frame are put together anew (FFmpeg's fieldmatch, and
/// bwdif where combs stay), and of each group of five frames the one that shows nothing new is left out.
///
/// Groups are counted from the track's first frame by time, so that what one holds depends on file and time alone. One thread at a time.
final class FilmReader {
  /// Groups that are told apart: thousands of years.
  private static let mostGroups: Int64 = 1 << 40

  private let cadence: FilmCadence
  private let fields: FieldMarks
  private let matching = FieldWork(.match)
  private let deinterlacing = FieldWork(.deinterlace)
  /// The latest groups: a time at a group's start may fall to the last picture of the one before.
  private var groups: [FilmGroup] = []
  /// The last frame that was matched, by time, and its picture: the next group begins by comparing with it.
  private var lastMade: (tick: Int64, neighbours: [Int64?], picture: PixelBuffer)?

  /// Nil for a track that carries no film.
  init?(_ track: TrackFacts) {
    guard case .video(let video) = track.detail, let cadence = FilmCadence(of: video) else { return nil }
    (self.cadence, fields) = (cadence, FieldMarks(track))
  }

  /// The group that was made last, from which reading goes on.
  var latest: FilmGroup? { groups.last }

  func known(_ index: Int64) -> FilmGroup? { groups.first { $0.index == index } }

  /// Nothing that was read counts any more.
  func forget() { (groups, lastMade) = ([], nil) }

  // MARK: Times, in seconds after the track's first frame

  /// The group that is shown at `time`, or just before it.
  func group(at time: Rational, orJustBefore isBefore: Bool) throws(TimeError) -> Int64 {
    let groups = try time / cadence.groupDuration()
    return min(max(Int64(clamping: isBefore ? groups.ceiling - 1 : groups.floor), -Self.mostGroups), Self.mostGroups)
  }

  /// The group that a frame belongs to: timestamps are rounded, by less than half a field.
  func group(ofFrameAt time: Rational) throws(TimeError) -> Int64 {
    try group(at: time + slack(), orJustBefore: false)
  }

  /// When the first frame of a group may be shown.
  func start(of group: Int64) throws(TimeError) -> Rational {
    try cadence.groupDuration() * Rational(group) - slack()
  }

  private func slack() throws(TimeError) -> Rational { try cadence.frameDuration() * Rational(1, over: 4) }

  // MARK: Making pictures

  /// - Parameters:
  ///   - times: of the stretch's frames, in its order.
  ///   - picture: of a frame as it was decoded.
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
    // In the order of time, in which each frame goes through the filter once.
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

  /// The frame at a place of the stretch with the fields that belong together.
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

  /// Which of the pictures differs least from the one before it; of equals the first.
  private static func repetition(in pictures: [PixelBuffer], after before: PixelBuffer?) -> Int {
    let earlier = [before] + pictures.dropLast()
    let differences = zip(earlier, pictures).map { before, picture in before.map(picture.largestDifference) ?? .max }
    return differences.indices.min { differences[$0] < differences[$1] } ?? 0
  }
}
