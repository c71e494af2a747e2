internal import Formats
internal import Glibc
internal import Linux
internal import Media
package import MediaTime
package import SampleStream

/// Makes a movie in pieces of samples that come one after the other, and gives each piece as soon as all that belongs to it has come.
///
/// Pictures and sound are encoded as they come (decision 0264). A piece waits for the sounds that lie beside its pictures, until their tracks are
/// said to have ended. One owner, one thread.
package final class PieceMovie {
  private let order: WritingOrder
  private let fileType: FileType
  private let give: ([UInt8]) throws -> Void
  private var fragments: WritingOrder.Fragments
  /// The place of the track of pictures in the order; nil for sound alone.
  private let pictureTrack: Int?
  private var pictures: PictureTrackMaker?
  /// The tracks of sound by their places in the order.
  private var sounds: [Int: LiveSoundMaker] = [:]
  /// The places of the tracks of which no more samples come.
  private var ended: Set<Int> = []
  private var movie: LiveMovie?
  private var isFinishing = false
  /// The number of the pictures' borders that the movie knows.
  private var knownBorders = 0
  /// The last border, where there are no pictures.
  private var soundBorder = MediaTime.zero

  /// - Parameter give: takes the opening, and then the pieces.
  /// - Throws: a `Fault` for an order that cannot be carried out.
  package init(_ order: WritingOrder, giving give: @escaping ([UInt8]) throws -> Void) throws {
    guard order.givesPieces, let fragments = order.fragments, let fileType = FileType(rawValue: order.fileType), fileType == .mp4
    else { throw SampleMovie.Fault("pieces are fragments of mp4") }
    guard order.output.hasPrefix("/") else { throw SampleMovie.Fault("output: \(order.output) is no absolute path") }
    (self.order, self.fragments, self.fileType, self.give) = (order, fragments, fileType, give)
    let pictured = order.tracks.indices.filter { if case .pictures = order.tracks[$0] { true } else { false } }
    let heard = order.tracks.indices.filter { if case .sound = order.tracks[$0] { true } else { false } }
    guard pictured.count <= 1 else { throw SampleMovie.Fault("tracks: a movie has at most one track of pictures") }
    guard pictured.count + heard.count == order.tracks.count, !order.tracks.isEmpty else {
      throw SampleMovie.Fault("tracks: pieces have pictures and sound")
    }
    pictureTrack = pictured.first
  }

  /// Takes the next record: the form of a track's samples, samples, a border, or the end of a track.
  package func take(_ record: SampleRecord, _ samples: [UInt8]) throws {
    guard order.tracks.indices.contains(record.track) else {
      throw SampleMovie.Fault("track \(record.track) is not in the order")
    }
    switch (record.kind, order.tracks[record.track]) {
    case (.form, .pictures(let coding)): try begin(coding, record, .read(samples))
    case (.form, .sound(let coding)): try begin(coding, record.track, .read(samples))
    case (.border, _): try border(record.time)
    case (.samples, .pictures):
      guard let pictures else { throw SampleMovie.Fault("track \(record.track): samples came before their form") }
      try pictures.take(samples, at: record.time, lasting: record.duration)
    case (.samples, _):
      guard let sound = sounds[record.track] else {
        throw SampleMovie.Fault("track \(record.track): samples came before their form")
      }
      try sound.take(samples, at: record.time)
    case (.trackEnd, _):
      ended.insert(record.track)
      try sounds[record.track]?.finish()
    case (.form, _), (.end, _): break
    }
    try giveReady()
  }

  private func begin(_ coding: WritingOrder.PictureCoding, _ record: SampleRecord, _ form: SampleTrack) throws {
    guard case .pictures(let form) = form else { throw SampleMovie.Fault("a track has the form of another kind") }
    if let pictures { return try pictures.take(form) }
    let clock = record.duration.value == 1 ? record.duration.timescale : 1
    pictures = try PictureTrackMaker(form, coding, in: fileType, fragments: fragments, to: .live(clock))
  }

  private func begin(_ coding: WritingOrder.SoundCoding, _ track: Int, _ form: SampleTrack) throws {
    guard case .sound(let form) = form else { throw SampleMovie.Fault("a track has the form of another kind") }
    guard sounds[track] == nil, movie == nil else { throw SampleMovie.Fault("the sound's form changes midway") }
    sounds[track] = try LiveSoundMaker(form, coding, in: fileType)
  }

  /// - Parameter time: the time from which borders count, where they have an interval.
  private func border(_ time: MediaTime) throws {
    guard fragments.interval == nil else {
      guard pictures == nil, sounds.isEmpty else { throw SampleMovie.Fault("the borders of fragments change midway") }
      return fragments.origin = time
    }
    guard pictureTrack == nil else { return pictures?.begin() ?? () }
    let end = try soundEnd
    guard end > soundBorder, let movie else { return }
    try movie.divide(at: end)
    soundBorder = end
  }

  /// The time at which the sound that came so far ends.
  private var soundEnd: MediaTime {
    get throws { try sounds.values.map { try $0.end }.max() ?? .zero }
  }

  /// Gives what is whole.
  private func giveReady() throws {
    if movie == nil { try open() }
    guard let movie else { return }
    try tellBorders(movie)
    while let piece = movie.next() { try give(piece) }
  }

  /// Gives the opening once each track has begun or ended.
  private func open() throws {
    let isKnown = order.tracks.indices.allSatisfy { index in
      guard index == pictureTrack else { return sounds[index] != nil || ended.contains(index) }
      return pictures?.track != nil || isFinishing || pictures == nil && ended.contains(index)
    }
    guard isKnown else { return }
    var (tracks, words, places): ([LiveTrack], [TrackWords], [Int]) = ([], [], [])
    if let pictureTrack, let track = pictures?.track {
      (tracks, words, places) = ([track], [TrackWords(language: pictures?.language)], [pictureTrack])
    }
    for (index, maker) in sounds.sorted(by: { $0.key < $1.key }) {
      guard case .sound(let coding) = order.tracks[index] else { continue }
      var said = TrackWords(language: coding.language)
      (said.title, said.isDefault) = (coding.title, coding.isDefault)
      tracks.append(maker.track)
      words.append(said)
      places.append(index)
    }
    guard !tracks.isEmpty else { return }
    let made = LiveMovie(tracks, words, first: fragments.first)
    movie = made
    var form = MovieForm(fileType, frameDuration: .oneSecond, color: pictures?.color ?? .bt709)
    (form.video, form.orientation) = (pictures?.settings, pictures?.orientation ?? .up)
    (form.tags, form.words) = (order.movieTags, order.words)
    form.enabledTracks = places.map { !order.disabled.contains($0) }
    try give(made.opening(form, by: order.output + ".opening"))
  }

  private func tellBorders(_ movie: LiveMovie) throws {
    if let pictures, pictureTrack != nil {
      for border in pictures.borders.dropFirst(knownBorders) { try movie.divide(at: border) }
      return knownBorders = pictures.borders.count
    }
    guard let interval = fragments.interval, case let end = try soundEnd else { return }
    while case let next = try fragments.border(after: soundBorder, every: interval), next < end {
      try movie.divide(at: next)
      soundBorder = next
    }
  }

  /// Gives the rest.
  ///
  /// - Parameter end: the time at which the movie ends; nil for the end of what came. What earlier pieces have stays.
  package func finish(at end: MediaTime?) throws -> WrittenMovie {
    // It gives no segment: the pictures are in their track.
    _ = try pictures?.finish(at: end)
    var sampleCount: Int64 = 0
    for sound in sounds.values {
      try sound.finish()
      sampleCount = max(sampleCount, try sound.cut(at: end))
    }
    (ended, isFinishing) = (Set(order.tracks.indices), true)
    try giveReady()
    guard movie != nil else { throw SampleMovie.Fault("nothing was written: there is no picture and no sound") }
    return WrittenMovie(output: order.output, frameCount: pictures?.frameCount ?? 0, sampleCount: sampleCount)
  }
}
