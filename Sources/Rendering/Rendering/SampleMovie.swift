internal import Compositing
internal import FoundationEssentials
internal import Formats
internal import Glibc
internal import Linux
internal import Media
package import MediaTime
package import SampleStream

/// Writes a movie of pictures and sound that come one after the other, each with its time.
///
/// Pictures are encoded as they come. Sound is kept in a file beside the movie until its length is known, because its encoder must
/// know that (decision 0031). The movie appears under its name when it is whole. One owner, one thread.
package final class SampleMovie {
  /// A fault in what came.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ words: String) { description = words }
  }

  private let order: WritingOrder
  private let fileType: FileType
  /// The borders between fragments, of which records may say more; nil for a movie in one piece.
  private var fragments: WritingOrder.Fragments?
  private var pictures: PictureTrackMaker?
  /// The tracks of sound by their places in the order.
  private var sounds: [Int: SoundTrackMaker] = [:]
  /// The texts by the places of their tracks in the order.
  private var texts: [Int: [MovieCaptions.Cue]] = [:]
  /// The places of the sounds that the movie has.
  private var heard: [Int] = []
  /// The times at which fragments begin behind a border, where there are no pictures.
  private var soundBorders: [MediaTime] = []
  /// The folder of the movie's parts, beside the movie.
  private let folder: String

  /// - Throws: a `Fault` for an order that cannot be carried out; `MediaError`.
  package init(_ order: WritingOrder) throws {
    (self.order, fragments) = (order, order.fragments)
    guard let fileType = FileType(rawValue: order.fileType) else { throw Fault("fileType: \(order.fileType) is not known") }
    guard fileType.holdsAnyTimes else { throw Fault("\(fileType) holds no pictures that last differently: use mov, mp4 or mkv") }
    guard order.fragments == nil || fileType.holdsFragments else { throw Fault("\(fileType) is not written in fragments") }
    guard order.words.isEmpty || fileType == .mov else { throw Fault("\(fileType) has no words with keys: use mov") }
    self.fileType = fileType
    guard order.output.hasPrefix("/") else { throw Fault("output: \(order.output) is no absolute path") }
    let pictureCount = order.tracks.count { if case .pictures = $0 { true } else { false } }
    let soundCount = order.tracks.count { if case .sound = $0 { true } else { false } }
    guard pictureCount <= 1 else { throw Fault("tracks: a movie has at most one track of pictures") }
    guard soundCount <= 1 || fileType.describesSounds else { throw Fault("tracks: \(fileType) holds one sound") }
    guard pictureCount + soundCount > 0 else { throw Fault("tracks: a movie has pictures or sound") }
    guard pictureCount + soundCount == order.tracks.count || [.mp4, .mov].contains(fileType) && order.fragments == nil else {
      throw Fault("tracks: texts stand in mp4 and mov that are written in one piece")
    }
    let (parent, name) = FilePath.parts(of: order.output)
    folder = "\(parent).\(name).\(getpid()).parts"
    guard unsafe mkdir(folder, 0o700) == 0 else { throw MediaError(.cannotWrite, at: folder, SystemWords.of(errno)) }
  }

  deinit {
    let ofSounds = order.tracks.indices.flatMap { index in ["nut", "nut.part", "raw"].map { "sound\(index).\($0)" } }
    for name in ["pictures.nut", "pictures.nut.part", "movie"] + ofSounds { _ = unsafe unlink("\(folder)/\(name)") }
    _ = unsafe rmdir(folder)
  }

  /// Takes the next record: the form of a track's samples, or samples.
  package func take(_ record: SampleRecord, _ samples: [UInt8]) throws {
    guard order.tracks.indices.contains(record.track) else { throw Fault("track \(record.track) is not in the order") }
    switch (record.kind, order.tracks[record.track]) {
    case (.form, let coding): try begin(coding, form(samples), record.track)
    case (.border, _): try border(record.time)
    case (.samples, .pictures):
      guard let pictures else { throw Fault("track \(record.track): samples came before their form") }
      try pictures.take(samples, at: record.time, lasting: record.duration)
    case (.samples, .sound):
      guard let sound = sounds[record.track] else { throw Fault("track \(record.track): samples came before their form") }
      try sound.take(samples, at: record.time)
    case (.samples, .text): try take(text: samples, record)
    case (.end, _): break
    }
  }

  /// Takes a text. What is shown before the beginning is left out.
  private func take(text: [UInt8], _ record: SampleRecord) throws {
    let range = try MediaTimeRange(start: record.time, duration: record.duration)
    guard range.end > .zero else { return }
    let (last, start) = (texts[record.track]?.last, max(range.start, .zero))
    guard last.map({ $0.range.start <= start }) ?? true else {
      throw Fault("the text at \(record.time) s comes after a later one")
    }
    let cue = MovieCaptions.Cue(
      String(decoding: text, as: UTF8.self), try MediaTimeRange(start: start, end: range.end))
    // Nothing is a time without text.
    if !text.isEmpty { texts[record.track, default: []].append(cue) }
  }

  private func form(_ json: [UInt8]) throws -> SampleTrack {
    // Bytes that are no form are refused like all that is damaged.
    guard let form = try? JSONDecoder().decode(SampleTrack.self, from: Data(json)), form.isPlausible else {
      throw Fault("a track has no form that is known")
    }
    return form
  }

  /// - Parameter time: the time from which borders count, where they have an interval.
  private func border(_ time: MediaTime) throws {
    guard fragments?.interval == nil else {
      guard pictures == nil else { throw Fault("the borders of fragments change midway") }
      fragments?.origin = time
      return
    }
    if let pictures { return pictures.begin() }
    let end = try soundEnd
    if end > .zero, end != soundBorders.last { soundBorders.append(end) }
  }

  private func begin(_ coding: WritingOrder.Coding, _ form: SampleTrack, _ track: Int) throws {
    switch (coding, form) {
    case (.pictures(let coding), .pictures(let form)):
      if let pictures { return try pictures.take(form) }
      pictures = try PictureTrackMaker(
        form, coding, in: fileType, fragments: fragments, path: folder + "/pictures.nut")
    case (.sound(let coding), .sound(let form)):
      guard sounds[track] == nil else { throw Fault("the sound's form changes midway") }
      sounds[track] = try SoundTrackMaker(form, coding, in: fileType, path: "\(folder)/sound\(track)")
    default: throw Fault("a track has the form of another kind")
    }
  }

  /// Writes the movie.
  ///
  /// - Parameter end: the time at which it ends; nil for the end of what came.
  package func finish(at end: MediaTime?) throws -> WrittenMovie {
    let made = try pictures?.finish(at: end)
    var inputs: [SoundInput] = []
    var sampleCount: Int64 = 0
    heard = []
    for (track, maker) in sounds.sorted(by: { $0.key < $1.key }) {
      guard case .sound(let coding) = order.tracks[track], let sound = try maker.finish(at: end) else { continue }
      inputs.append(
        SoundInput([sound.segment], language: coding.language, title: coding.title, isDefault: coding.isDefault))
      sampleCount = max(sampleCount, sound.sampleCount)
      heard.append(track)
    }
    guard made != nil || !inputs.isEmpty else { throw Fault("nothing was written: there is no picture and no sound") }
    let part = folder + "/movie"
    var form = MovieForm(fileType, frameDuration: made?.frameDuration ?? .oneSecond, color: pictures?.color ?? .bt709)
    (form.video, form.times, form.orientation) = (pictures?.settings, made?.times, pictures?.orientation ?? .up)
    form.pictureLanguage = pictures?.language
    form.optimizeForNetworkUse = order.optimizeForNetworkUse && fileType.hasMovableIndex
    (form.tags, form.words) = (tags, order.words)
    try describeTracks(&form, hasPicture: made != nil, end: end)
    if let fragments {
      form.fragmentStarts =
        try made == nil
        ? fragments.interval.map { try fragments.borders(every: $0, until: soundEnd) } ?? soundBorders
        : pictures?.borders
    }
    try MovieMux.write(
      MovieSegments(pictures: made.map { [$0.segment] } ?? [], sounds: inputs), as: form, to: part
    ) { _, _ in }
    // A link is refused where there is a file already, unlike a new name.
    guard unsafe link(part, order.output) == 0 else {
      throw MediaError(.cannotWrite, at: order.output, SystemWords.of(errno))
    }
    return WrittenMovie(
      output: order.output, frameCount: made?.times.ticks.count ?? 0, sampleCount: sampleCount)
  }

  /// Says which texts the movie has, and which of its tracks are played where nobody chooses.
  private func describeTracks(_ form: inout MovieForm, hasPicture: Bool, end: MediaTime?) throws {
    var shown: [Int] = []
    for (track, cues) in texts.sorted(by: { $0.key < $1.key }) {
      guard case .text(let coding) = order.tracks[track] else { continue }
      let kept = try cues.compactMap { cue -> MovieCaptions.Cue? in
        guard let end, cue.range.end > end else { return cue }
        return cue.range.start < end ? MovieCaptions.Cue(cue.text, try MediaTimeRange(start: cue.range.start, end: end)) : nil
      }
      guard !kept.isEmpty else { continue }
      form.captions.append(MovieCaptions(kept, language: coding.language))
      shown.append(track)
    }
    guard [.mp4, .mov, .m4a].contains(fileType) else { return }
    let pictured = hasPicture ? order.tracks.indices.filter { if case .pictures = order.tracks[$0] { true } else { false } } : []
    form.enabledTracks = (pictured + heard + shown).map { !order.disabled.contains($0) }
  }

  /// The time at which the sound that came so far ends.
  private var soundEnd: MediaTime {
    get throws { try sounds.values.map { try $0.end }.max() ?? .zero }
  }

  private var tags: MovieTags {
    var tags = MovieTags()
    for (key, text) in order.tags { if let key = MovieTags.Key(rawValue: key) { tags.texts[key] = text } }
    if let place = order.place, place.count == 2 { tags.location = MovieTags.Location(latitude: place[0], longitude: place[1]) }
    return tags
  }
}

extension FrameTimes {
  /// The times of frames, the last of which ends at `end`.
  fileprivate static func of(_ times: [MediaTime], end: MediaTime) throws -> FrameTimes {
    do { return try FrameTimes(times, end: end) } catch {
      throw SampleMovie.Fault("the times of the pictures have no common clock of 32 bits")
    }
  }
}

/// Encodes the pictures of a movie.
final class PictureTrackMaker {
  typealias Made = (segment: SegmentInput, times: FrameTimes, frameDuration: MediaTime)

  let settings: VideoCodecSettings
  let color: ColorTags
  let orientation: Orientation
  var language: String? { coding.language }
  private var form: SampleTrack.PictureForm
  private let coding: WritingOrder.PictureCoding
  private let fragments: WritingOrder.Fragments?
  private let path: String
  private let size: PixelSize
  private var source: PixelFormat
  private var region: Rect
  private var encoding: (encoder: VideoEncoder, writer: SegmentWriter, frameDuration: MediaTime)?
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
    fragments: WritingOrder.Fragments?,
    path: String
  ) throws {
    guard let codec = VideoCodec(rawValue: coding.codec), codec.fileTypes.contains(fileType) else {
      throw SampleMovie.Fault("\(coding.codec) does not go into \(fileType.rawValue)")
    }
    var video = codec.usual
    for (key, word) in coding.words { video.set(key, to: .word(word)) }
    for (key, number) in coding.numbers { video.set(key, to: .number(number)) }
    settings = VideoCodecSettings(video, bitDepth: coding.bitDepth)
    guard settings.coding.coder.bitDepths.contains(settings.bitDepth), let orientation = Orientation(rawValue: coding.orientation)
    else { throw SampleMovie.Fault("\(coding.codec) has no pictures of \(settings.bitDepth) bits") }
    (self.form, self.coding, self.path, self.orientation) = (form, coding, path, orientation)
    self.fragments = fragments
    size = coding.size ?? PixelSize(form.width, form.height)
    color = coding.color ?? form.color.inYCbCr
    (source, region) = try Self.laid(form, into: size, coding, color)
    guard size.width > 0, size.height > 0, size.width % 2 == 0, size.height % 2 == 0 else {
      throw SampleMovie.Fault("\(size.width) x \(size.height): a movie has even sides")
    }
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
    guard coding.scaling == .resizeAspectFill else { return (format, Rect(0, 0, width, height)) }
    let shape = Double(size.width) / Double(size.height)
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
      encoding = (encoder, try SegmentWriter(path: path, parameters: encoder.parameters), frameDuration)
    }
    guard let encoding else { return }
    let converted = try picture.converted(
      region, to: PixelFormat(.init(settings.chroma), bitDepth: settings.bitDepth), width: size.width, height: size.height,
      color: color)
    times.append(time)
    try encoding.encoder.encode(converted, isKey: try isBorder(time, begins), to: encoding.writer)
    encoding.encoder.takePackets()
  }

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
    try encoding.encoder.finish(to: encoding.writer)
    let segment = SegmentInput(path: path, facts: try encoding.writer.finish())
    return (segment, try .of(times, end: end), encoding.frameDuration)
  }
}
