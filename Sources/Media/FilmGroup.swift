internal import MediaTime
internal import Timeline

/// The frames of a track around a group of them, in order: two before it, its own, and one after it, as far as there are any.
struct FilmStretch {
  /// Ticks of the group, half open.
  let ticks: Range<Int64>
  let frames: [VideoReader.Shown]
  /// As it was known when the frames were read.
  let damage: StreamDamage
  /// The last tick that may be asked for, where the file is cut off behind the frames.
  let limit: Int64?

  /// Places of the group's own frames.
  var members: Range<Int> {
    let first = frames.firstIndex { $0.tick >= ticks.lowerBound } ?? frames.count
    let end = frames.firstIndex { $0.tick >= ticks.upperBound } ?? frames.count
    return first..<max(first, end)
  }

  /// The frame that the track shows at `tick`; before its first frame that.
  func shown(at tick: Int64) -> VideoReader.Shown? { frames.last { $0.tick <= tick } ?? frames.first }

  func after(_ frame: VideoReader.Shown) -> VideoReader.Shown? { frames.first { $0.tick > frame.tick } }
}

/// The pictures of film that a group of frames holds, and when they are shown: a function of those frames and the ones around them.
struct FilmGroup {
  /// Counted from the track's first frame.
  let index: Int64
  let stretch: FilmStretch
  /// A picture, when it is shown in seconds after the track's first frame, and the tick of the frame that it is made of.
  typealias Picture = (time: Rational, tick: Int64, picture: PixelBuffer)

  /// In order.
  let pictures: [Picture]
}

/// What kind of group it is, by when its frames are shown: in fields from the group's start.
enum FilmKind: Hashable {
  /// Five frames, of which one shows the film's frame of the one before again.
  case pulledDown
  /// Four frames, which say of themselves for how many fields they are shown: they are film's.
  case film
  /// Cut by an end of the track, or with a gap, or faster: no frame is too many, and each is shown when it says.
  case other

  init(_ cadence: FilmCadence, fields: [Int64]) {
    let ends = fields.dropFirst() + [FilmCadence.groupFields]
    let longest = zip(fields, ends).map { $1 - $0 }.max() ?? 0
    self =
      switch fields.count {
      case 5 where cadence.isPulledDown && longest <= 3: .pulledDown
      case 4 where cadence.isPulledDown && longest <= 3: .film
      default: .other
      }
  }
}
