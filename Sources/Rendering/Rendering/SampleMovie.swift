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
  private var pictures: PictureTrackMaker?
  /// The tracks of sound by their places in the order.
  private var sounds: [Int: SoundTrackMaker] = [:]
  /// The texts by the places of their tracks in the order.
  private var texts: [Int: [MovieCaptions.Cue]] = [:]
  /// The samples of metadata by the places of their tracks in the order.
  private var metadata: [Int: MetadataTrackMaker] = [:]
  /// The places of the sounds that the movie has.
  private var heard: [Int] = []
  /// The folder of the movie's parts, beside the movie.
  private let folder: String

  /// - Throws: a `Fault` for an order that cannot be carried out; `MediaError`.
  package init(_ order: WritingOrder) throws {
    self.order = order
    guard !order.givesPieces else { throw Fault("pieces are given, and not written") }
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
      throw Fault("tracks: texts and metadata stand in mp4 and mov that are written in one piece")
    }
    for (index, track) in order.tracks.enumerated() {
      guard case .metadata(let coding) = track else { continue }
      guard fileType == .mov else { throw Fault("tracks: \(fileType) has no metadata that changes with time: use mov") }
      metadata[index] = MetadataTrackMaker(coding)
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
    case (.form, let coding): try begin(coding, SampleTrack.read(samples), record.track)
    case (.border, _), (.trackEnd, _): break
    case (.samples, .pictures):
      guard let pictures else { throw Fault("track \(record.track): samples came before their form") }
      try pictures.take(samples, at: record.time, lasting: record.duration)
    case (.samples, .sound):
      guard let sound = sounds[record.track] else { throw Fault("track \(record.track): samples came before their form") }
      try sound.take(samples, at: record.time)
    case (.samples, .text): try take(text: samples, record)
    case (.samples, .metadata): try metadata[record.track]?.take(samples, at: record.time, lasting: record.duration)
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

  private func begin(_ coding: WritingOrder.Coding, _ form: SampleTrack, _ track: Int) throws {
    switch (coding, form) {
    case (.pictures(let coding), .pictures(let form)):
      if let pictures { return try pictures.take(form) }
      pictures = try PictureTrackMaker(
        form, coding, in: fileType, fragments: order.fragments, to: .file(folder + "/pictures.nut"))
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
    (form.pictureLanguage, form.cleanAperture) = (pictures?.language, pictures?.aperture)
    form.optimizeForNetworkUse = order.optimizeForNetworkUse && fileType.hasMovableIndex
    (form.tags, form.words) = (order.movieTags, order.words)
    let last = try made.map { try MediaTime($0.times.end, $0.times.timescale) } ?? .zero
    try describeTracks(&form, hasPicture: made != nil, end: end, last: max(last, soundEnd))
    if let fragments = order.fragments {
      form.firstFragment = fragments.first
      form.fragmentStarts =
        try made == nil
        ? fragments.interval.map { try fragments.borders(every: $0, until: soundEnd) } ?? [] : pictures?.borders
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

  /// Says which texts and which metadata the movie has, and which of its tracks are played where nobody chooses.
  ///
  /// - Parameter last: the end of pictures and sound.
  private func describeTracks(_ form: inout MovieForm, hasPicture: Bool, end: MediaTime?, last: MediaTime) throws {
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
    for (track, maker) in metadata.sorted(by: { $0.key < $1.key }) {
      guard let made = try maker.finish(at: end, last) else { continue }
      form.metadata.append(made)
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

}

extension WritingOrder {
  /// The words of the movie.
  var movieTags: MovieTags {
    var made = MovieTags()
    for (key, text) in tags { if let key = MovieTags.Key(rawValue: key) { made.texts[key] = text } }
    if let place, place.count == 2 { made.location = MovieTags.Location(latitude: place[0], longitude: place[1]) }
    return made
  }
}

extension SampleTrack {
  /// Reads a form.
  ///
  /// - Throws: a `Fault` for bytes that are none.
  static func read(_ json: [UInt8]) throws -> SampleTrack {
    // Bytes that are no form are refused like all that is damaged.
    guard let form = try? JSONDecoder().decode(SampleTrack.self, from: Data(json)), form.isPlausible else {
      throw SampleMovie.Fault("a track has no form that is known")
    }
    return form
  }
}
