internal import Compositing
internal import EditFiles
internal import Examination
internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import MediaTime
internal import Rendering
package import SampleStream
internal import Scenes
internal import Timeline

/// The samples of an edit that somebody wants.
package struct SamplesRequest: Hashable, Sendable {
  package enum Wish: String, Hashable, Sendable, CaseIterable {
    /// The edit's frames.
    case frames
    /// The pictures of the first video track, each once, when it begins.
    case trackPictures = "track-pictures"
    /// The mixed sound, or the default one where the movie has several.
    case sound
  }

  /// The path of the edit's document.
  package var document: String
  package var wish: Wish
  /// Whether pictures are given in RGB; else in the layout in which they are composited.
  package var isRGB = false
  /// The frames; nil means all.
  package var range: Range<Int>?

  package init(document: String, wish: Wish) { (self.document, self.wish) = (document, wish) }
}

extension MediaAccess {
  /// Writes samples of an edit to a descriptor: a stream of `SampleRecord`s, before any encoding.
  package func samples(_ request: SamplesRequest, to output: Int32) throws(Complaint) {
    try locating { assets in
      let (edit, examination) = try examined(request.document, &assets)
      let wish: SampleWish
      let track: SampleTrack
      if request.wish == .sound {
        guard edit.audio != nil, let audio = edit.sounds[edit.defaultSound].audio else {
          throw Complaint(request.document, "the edit has no sound", .badDocument)
        }
        track = .sound(.init(sampleRate: audio.sampleRate, channelCount: audio.channelLayout.channelCount))
        wish = .sound
      } else {
        guard let form = edit.pictureForm(isRGB: request.isRGB) else {
          throw Complaint(request.document, "the edit has no picture", .badDocument)
        }
        track = .pictures(form)
        let range = try request.frames(of: edit)
        wish = request.wish == .frames ? .frames(.init(range), isRGB: request.isRGB) : .trackPictures(isRGB: request.isRGB)
      }
      let beginning = try SampleInput.beginning(SampleHeader(tracks: [track]))
      do {
        let code = SystemCall.write(beginning, to: output)
        guard code == 0 else { throw Complaint("samples", SystemWords.of(code), .cannotCreate) }
        try examination.samples(wish, to: output)
      } catch let broken as EditExamination.Broken {
        throw Complaint("samples", broken.reason, .badDocument)
      } catch let lost as Relay.Lost { throw Complaint("samples", lost.description, .cannotCreate) }
    }
  }
}

extension SamplesRequest {
  fileprivate func frames(of edit: ResolvedTimeline) throws -> Range<Int> {
    let count = try edit.frameCount
    guard let range else { return 0..<count }
    guard range.upperBound <= count else {
      throw Complaint("range", "\(range.lowerBound)..\(range.upperBound) is beyond the edit's \(count) frames", .usage)
    }
    return range
  }
}

extension ResolvedTimeline {
  /// The form in which frames are given; nil where the edit has no picture.
  fileprivate func pictureForm(isRGB: Bool) -> SampleTrack.PictureForm? {
    guard let size = videoComposition?.outputSize else { return nil }
    let format = renderFormat
    guard isRGB else {
      return .init(
        width: size.width, height: size.height, layout: format.layout.rawValue, bitDepth: format.bitDepth, color: color)
    }
    return .init(
      width: size.width, height: size.height, layout: "gbr", bitDepth: format.bitDepth > 8 ? 16 : 8,
      color: ColorTags(color.primaries, color.transfer, .rgb, .full))
  }
}

/// A movie that is made of samples.
private protocol MovieOfSamples {
  func take(_ record: SampleRecord, _ samples: [UInt8]) throws
  func finish(at end: MediaTime?) throws -> WrittenMovie
}

extension SampleMovie: MovieOfSamples {}
extension PieceMovie: MovieOfSamples {}

/// The writing of a movie of samples.
package enum SampleWriting {
  /// Reads a stream with a `WritingOrder` from a descriptor, and writes the movie.
  ///
  /// - Returns: the movie; nothing of it is left where it fails.
  package static func write(from input: Int32) throws(Complaint) -> WrittenMovie {
    try complaining {
      do {
        let stream = SampleInput { count in try bytes(count, from: input) }
        let order = try stream.header(WritingOrder.self)
        let destination = try Destination(order.output, overwrites: false)
        var settled = order
        settled.output = destination.path
        let movie: any MovieOfSamples =
          settled.givesPieces ? try PieceMovie(settled) { try give($0, to: input) } : try SampleMovie(settled)
        while let (record, samples) = try stream.next() {
          guard record.kind != .end else { return try movie.finish(at: record.time > .zero ? record.time : nil) }
          try movie.take(record, samples)
        }
        throw Complaint("samples", "the stream ended before the movie was to be finished", .unavailable)
      } catch let fault as SampleMovie.Fault {
        throw Complaint("samples", fault.description, .badDocument)
      } catch let damage as SampleInput.Damage { throw Complaint("samples", damage.description, .usage) }
    }
  }

  /// Gives a piece of the movie to whoever sends the samples.
  private static func give(_ piece: [UInt8], to output: Int32) throws {
    guard piece.count <= SampleRecord.mostBytes else {
      throw Complaint("pieces", "one has \(piece.count) bytes: let pieces be shorter", .badDocument)
    }
    for bytes in [SampleRecord(.samples, byteCount: piece.count).head, piece] {
      let code = SystemCall.write(bytes, to: output)
      guard code == 0 else { throw Complaint("pieces", "nobody takes them: \(SystemWords.of(code))", .cannotCreate) }
    }
  }

  private static func bytes(_ count: Int, from input: Int32) throws -> [UInt8] {
    var code: Int32 = 0
    let found = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      (filled, code) = SystemCall.read(count) { unsafe read(input, buffer.baseAddress! + $0, count - $0) }
    }
    guard code == 0 else { throw Complaint("samples", SystemWords.of(code), .noInput) }
    return found
  }
}
