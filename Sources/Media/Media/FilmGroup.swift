internal import Formats
internal import MediaTime

/// The frames of a track around a group of them, in order: two before it, its own, and one after it, as far as there are any.
struct FilmStretch {
  /// The ticks of the group, half open.
  let ticks: Range<Int64>
  let frames: [VideoReader.Shown]
  /// The damage that was known when the frames were read.
  let damage: StreamDamage
  /// The last tick that may be asked for, where the file is cut off after the frames; nil elsewhere.
  let limit: Int64?

  /// The indices of the group's own frames in `frames`.
  var members: Range<Int> {
    let first = frames.firstIndex { $0.tick >= ticks.lowerBound } ?? frames.count
    let end = frames.firstIndex { $0.tick >= ticks.upperBound } ?? frames.count
    return first..<max(first, end)
  }

  /// The frame that the track shows at `tick`; before its first frame, the first one.
  func shown(at tick: Int64) -> VideoReader.Shown? { frames.last { $0.tick <= tick } ?? frames.first }

  func after(_ frame: VideoReader.Shown) -> VideoReader.Shown? { frames.first { $0.tick > frame.tick } }
}

/// The pictures of film in a group of frames, and the times at which they are shown. They are a function of these frames and the
/// ones around them.
struct FilmGroup {
  /// The number of the group, counted from the track's first frame.
  let index: Int64
  let stretch: FilmStretch
  /// A picture, the time at which it is shown, in seconds after the track's first frame, and the tick of the frame that it is
  /// made of.
  typealias Picture = (time: Rational, tick: Int64, picture: PixelBuffer)

  /// The pictures in order of time.
  let pictures: [Picture]
}

/// The kinds of groups. The times of a group's frames tell its kind.
enum FilmKind: Hashable {
  /// Five frames. One of them shows the same frame of film as the one before it.
  case pulledDown
  /// Four frames that state for how many fields each is shown. So they are the frames of the film.
  case film
  /// All other groups: at 25 frames a second, cut by an end of the track, with a gap, or with another number of frames. No frame
  /// is left out, and each is shown at its own time.
  case other

  /// - Parameter fields: the times of the group's frames, in fields from the group's start.
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
