internal import Compositing
internal import Formats
internal import Media
internal import MediaTime
internal import SampleStream

extension FrameTimes {
  /// The times of frames, the last of which ends at `end`.
  fileprivate static func of(_ times: [MediaTime], end: MediaTime) throws -> FrameTimes {
    do { return try FrameTimes(times, end: end) } catch {
      throw SampleMovie.Fault("the times of the pictures have no common clock of 32 bits")
    }
  }
}

/// Encodes the pictures of a movie: into a segment file, or for fragments that are made meanwhile.
final class PictureTrackMaker {
  typealias Made = (segment: SegmentInput, times: FrameTimes, frameDuration: MediaTime)

  /// The place that packets go to.
  enum Destination {
    /// A segment file of this path.
    case file(String)
    /// A track of a movie whose fragments are made meanwhile. Its times are in this clock, as far as 32 bits hold it.
    case live(Int32)
  }

  /// An encoder, and what takes its packets.
  private enum Sink {
    case file(SegmentWriter)
    case live(LiveTrack)
  }

  let settings: VideoCodecSettings
  let color: ColorTags
  let orientation: Orientation
  var language: String? { coding.language }
  var aperture: Rect? { coding.aperture }
  private var form: SampleTrack.PictureForm
  private let coding: WritingOrder.PictureCoding
  private let fragments: WritingOrder.Fragments?
  private let destination: Destination
  private let size: PixelSize
  private var source: PixelFormat
  private var region: Rect
  private var encoding: (encoder: VideoEncoder, sink: Sink, frameDuration: MediaTime)?
  private var times: [MediaTime] = []
  /// The last picture that came. It is encoded when the next one comes, so that one that would end before it is seen is left out.
  private var held: (picture: PixelBuffer, region: Rect, time: MediaTime, duration: MediaTime, begins: Bool)?
  /// Whether the next picture that comes begins a fragment.
  private var begins = false
  /// The times of the pictures that begin fragments behind the first one.
  private(set) var borders: [MediaTime] = []
  /// The number of the interval in which the last picture lies that was encoded.
  private var interval: Int64?

  init(
    _ form: SampleTrack.PictureForm, _ coding: WritingOrder.PictureCoding, in fileType: FileType,
    fragments: WritingOrder.Fragments?, to destination: Destination
  ) throws {
    guard let codec = VideoCodec(rawValue: coding.codec), codec.fileTypes.contains(fileType) else {
      throw SampleMovie.Fault("\(coding.codec) does not go into \(fileType.rawValue)")
    }
    var video = codec.usual
    for (key, word) in coding.words { video.set(key, to: .word(word)) }
    for (key, number) in coding.numbers { video.set(key, to: .number(number)) }
    var settings = VideoCodecSettings(video, bitDepth: coding.bitDepth)
    if let aspect = coding.pixelAspect {
      guard 1...10_000 ~= aspect.width, 1...10_000 ~= aspect.height else {
        throw SampleMovie.Fault("\(aspect.width):\(aspect.height) is no shape of a pixel")
      }
      settings.pixelAspect = aspect
    }
    self.settings = settings
    guard settings.coding.coder.bitDepths.contains(settings.bitDepth), let orientation = Orientation(rawValue: coding.orientation)
    else { throw SampleMovie.Fault("\(coding.codec) has no pictures of \(settings.bitDepth) bits") }
    (self.form, self.coding, self.destination, self.orientation) = (form, coding, destination, orientation)
    self.fragments = fragments
    size = coding.size.map { coding.scaling == .fit ? Self.fitted(form, $0) : $0 } ?? PixelSize(form.width, form.height)
    color = coding.color ?? form.color.inYCbCr
    (source, region) = try Self.laid(form, into: size, coding, color)
    guard size.width > 0, size.height > 0, size.width % 2 == 0, size.height % 2 == 0 else {
      throw SampleMovie.Fault("\(size.width) x \(size.height): a movie has even sides")
    }
  }

  /// The largest even size of the pictures' shape within another one; no larger than the pictures.
  private static func fitted(_ form: SampleTrack.PictureForm, _ size: PixelSize) -> PixelSize {
    let scale = min(1, Double(size.width) / Double(form.width), Double(size.height) / Double(form.height))
    func even(_ side: Int) -> Int { max(2, 2 * Int((Double(side) * scale / 2).rounded())) }
    return PixelSize(even(form.width), even(form.height))
  }

  /// Takes the form of the pictures that follow.
  func take(_ form: SampleTrack.PictureForm) throws {
    (source, region) = try Self.laid(form, into: size, coding, color)
    self.form = form
  }

  /// The layout of pictures, and the part of them that is seen in the movie.
  private static func laid(
    _ form: SampleTrack.PictureForm, into size: PixelSize, _ coding: WritingOrder.PictureCoding, _ color: ColorTags
  ) throws -> (PixelFormat, Rect) {
    guard let layout = PixelFormat.Layout(rawValue: form.layout) else {
      throw SampleMovie.Fault("the pictures' layout \(form.layout) is not known")
    }
    guard form.color.primaries == color.primaries, form.color.transfer == color.transfer else {
      throw SampleMovie.Fault(
        "the pictures have the colours \(form.color.primaries.rawValue), \(form.color.transfer.rawValue), and the movie "
          + "\(color.primaries.rawValue), \(color.transfer.rawValue): they are not converted here")
    }
    let format = PixelFormat(layout, bitDepth: form.bitDepth)
    let (x, y) = format.shift(ofPlane: format.planeCount - 1)
    guard form.width % (1 << x) == 0, form.height % (1 << y) == 0 else {
      throw SampleMovie.Fault("pictures of \(form.width) x \(form.height) in \(form.layout) have half a sample of colour")
    }
    let (width, height) = (Double(form.width), Double(form.height))
    // Pictures of the movie's own size have its pixels.
    guard form.width != size.width || form.height != size.height else { return (format, Rect(0, 0, width, height)) }
    let aspect = coding.pixelAspect.map { Double($0.width) / Double($0.height) } ?? 1
    guard aspect == 1 || ![.resizeAspect, .fit].contains(coding.scaling) else {
      throw SampleMovie.Fault(
        "pictures of another size are laid as they are or cut off where the movie's pixels are not square: use resize or "
          + "resizeAspectFill")
    }
    guard coding.scaling == .resizeAspectFill else { return (format, Rect(0, 0, width, height)) }
    let shape = Double(size.width) * aspect / Double(size.height)
    let (w, h) = (min(width, height * shape), min(height, width / shape))
    return (format, Rect((width - w) / 2, (height - h) / 2, w, h))
  }

  func take(_ samples: [UInt8], at time: MediaTime, lasting duration: MediaTime) throws {
    let picture = try PixelBuffer(format: source, width: form.width, height: form.height, color: form.color)
    guard picture.unpack(samples) else { throw SampleMovie.Fault("the picture at \(time) s has \(samples.count) bytes") }
    if let held {
      guard time > held.time else { throw SampleMovie.Fault("the picture at \(time) s comes after the one at \(held.time) s") }
      // A picture from before the beginning is seen from there on, if the next one comes later.
      if time > .zero {
        try encode(held.picture, held.region, at: max(held.time, .zero), next: time, begins: held.begins)
      } else {
        // A border before the beginning is none.
        begins = begins || held.begins
      }
    }
    held = (picture, region, time, duration, begins)
    begins = false
  }

  /// A fragment begins with the picture that comes next.
  func begin() { begins = true }

  private func encode(_ picture: PixelBuffer, _ region: Rect, at time: MediaTime, next: MediaTime, begins: Bool) throws {
    if encoding == nil {
      let frameDuration = try next - time
      let encoder = try VideoEncoder(
        settings: settings, size: size,
        format: PixelFormat(.init(settings.chroma), bitDepth: settings.bitDepth), frameDuration: frameDuration,
        // `encode` is told of the keyframes between fragments.
        forcedKeyInterval: fragments == nil ? nil : .max, wishes: coding.wishes, color: color)
      encoding = (encoder, try sink(of: encoder, time, next), frameDuration)
    }
    guard let encoding else { return }
    let format = PixelFormat(.init(settings.chroma), bitDepth: settings.bitDepth)
    let converted =
      coding.scaling == .resizeAspect
      ? try picture.letterboxed(to: format, width: size.width, height: size.height, color: color)
      : try picture.converted(region, to: format, width: size.width, height: size.height, color: color)
    times.append(time)
    let isBorder = try isBorder(time, begins)
    switch encoding.sink {
    case .file(let writer): try encoding.encoder.encode(converted, isKey: isBorder, to: writer)
    case .live(let track):
      // The fragment that ends here has all that the encoder holds back. An average rate is kept over the fragments of an interval, so that its
      // encoder goes on.
      let isParted = isBorder && (fragments?.interval == nil || coding.wishes.averageBitRate == nil)
      if isParted { try encoding.encoder.part(track) }
      guard try track.add(time) else {
        throw SampleMovie.Fault(
          "the picture at \(time) s lies in the same tick of its track as the one before: set a finer mediaTimeScale")
      }
      if isParted { track.settle() }
      try encoding.encoder.encode(converted, isKey: isBorder, to: track)
    }
    encoding.encoder.takePackets()
  }

  /// - Parameters:
  ///   - time: the time of the first picture.
  ///   - next: the time at which it ends.
  private func sink(of encoder: VideoEncoder, _ time: MediaTime, _ next: MediaTime) throws -> Sink {
    switch destination {
    case .file(let path): return .file(try SegmentWriter(path: path, parameters: encoder.parameters))
    case .live(let clock):
      let timescale = LiveTrack.timescale(for: [clock, time.timescale, next.timescale])
      return .live(try LiveTrack(of: encoder, timescale: timescale, times: (time, next)))
    }
  }

  /// The number of pictures that were encoded.
  var frameCount: Int { times.count }

  /// The track of a movie whose fragments are made meanwhile; nil before the first picture was encoded.
  var track: LiveTrack? { if case .live(let track) = encoding?.sink { track } else { nil } }

  /// Whether a fragment begins with the picture of a time.
  private func isBorder(_ time: MediaTime, _ begins: Bool) throws -> Bool {
    guard let fragments else { return false }
    let number = try fragments.interval.map { try fragments.number(of: time, every: $0) }
    defer { interval = number }
    guard times.count > 1, begins || number != interval else { return false }
    borders.append(time)
    return true
  }

  /// - Returns: nil where no picture came.
  func finish(at end: MediaTime?) throws -> Made? {
    guard let held, held.time >= .zero || held.duration > .zero else { return nil }
    let start = max(held.time, .zero)
    if end.map({ start < $0 }) ?? true {
      let usual = try encoding?.frameDuration ?? MediaTime(1, 30)
      let next = try end ?? held.time + (held.duration > .zero ? held.duration : times.last.map { try start - $0 } ?? usual)
      try encode(held.picture, held.region, at: start, next: next, begins: held.begins)
      return try close(next)
    }
    guard let last = times.last, let end, last < end else {
      throw SampleMovie.Fault("the session ends before the picture before the last one is shown")
    }
    return try close(end)
  }

  private func close(_ end: MediaTime) throws -> Made? {
    guard let encoding else { return nil }
    switch encoding.sink {
    case .file(let writer):
      guard case .file(let path) = destination else { return nil }
      try encoding.encoder.finish(to: writer)
      let segment = SegmentInput(path: path, facts: try writer.finish())
      return (segment, try .of(times, end: end), encoding.frameDuration)
    case .live(let track):
      try encoding.encoder.finish(to: track)
      try track.close(end)
      return nil
    }
  }
}
