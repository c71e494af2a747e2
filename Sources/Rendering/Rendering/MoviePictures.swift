internal import Formats
internal import Media
internal import MediaTime

/// The pictures of a finished movie, as its verification reads them. One thread at a time.
protocol MoviePictures {
  /// The times at which they stand.
  var times: PacketTimes { get }

  /// A picture, in order of presentation.
  ///
  /// - Parameters:
  ///   - frameDuration: the duration of each in the edit.
  ///   - lead: the time of the first one in the movie, in seconds.
  /// - Throws: `MediaError` when it cannot be read.
  func frame(_ index: Int, lasting frameDuration: MediaTime, after lead: Rational) throws -> PixelBuffer
}

/// The pictures of a movie's track.
struct TrackPictures: MoviePictures {
  let times: PacketTimes
  private let reader: VideoReader

  /// Opens them. Frames that are made of fields are read as they are stored.
  init(_ movie: String, _ track: TrackFacts, policy: SourcePolicy, progress: (Int) -> Void) throws(MediaError) {
    times = try PacketTimes(path: movie, track: track, policy: policy, progress: progress)
    reader = try VideoReader(path: movie, track: track, policy: policy, treatment: AssetTreatment(interlace: .never))
  }

  func frame(_ index: Int, lasting frameDuration: MediaTime, after lead: Rational) throws -> PixelBuffer {
    // The movie is read at the middle of the frame's time, so that the container's rounding cannot give the frame before.
    try reader.frame(at: lead + Rational(frameDuration) * Rational(Int128(2 * index + 1), over: 2))
  }
}

/// The pictures of an animated PNG, each of which stands alone.
struct AnimatedPictures: MoviePictures {
  private let file: AnimatedPNG
  private let path: String
  var times: PacketTimes { file.times }

  init(_ path: String, policy: SourcePolicy) throws(MediaError) {
    (file, self.path) = (try AnimatedPNG(path, policy: policy), path)
  }

  func frame(_ index: Int, lasting _: MediaTime, after _: Rational) throws -> PixelBuffer {
    try SinglePicture.decoded(file.picture(index), codec: "png", at: "\(path) frame \(index)")
  }
}

/// The pictures of a sequence, in a roll. Their place among the others is their time.
struct RolledPictures: MoviePictures {
  let times: PacketTimes
  private let roll: PictureRoll
  private let names: PictureNames
  private let codec: String

  /// - Parameter codec: FFmpeg's name of the pictures' codec.
  init(
    _ path: String, _ names: PictureNames, codec: String, lasting frameDuration: MediaTime, _ policy: SourcePolicy
  ) throws {
    roll = try PictureRoll(path, policy: policy)
    (self.names, self.codec) = (names, codec)
    times = try PacketTimes(every: frameDuration, count: roll.count)
  }

  func frame(_ index: Int, lasting _: MediaTime, after _: Rational) throws -> PixelBuffer {
    try SinglePicture.decoded(roll.picture(index), codec: codec, at: names.name(index))
  }
}
