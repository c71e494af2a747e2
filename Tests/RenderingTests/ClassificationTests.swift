import Compositing
import Drawing
import Formats
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Subprocess
import Testing
import Timeline
import Transfer

/// Tests of what errors mean for a job.
struct ClassificationTests {
  /// All kinds of errors, by what they mean, and why.
  private static let table: [(class: Failure.Class, why: String, errors: [any Error])] = [
    (
      .content, "the edit or its media are at fault, wherever it is rendered",
      kinds(.unsupported, .corrupt, .protected, .missing, .changed) + [
        DrawingError.doesNotFit(text: "long"), DrawingError.tooManyFonts(limit: 24), DrawingError.fontNotNamed("Sans"),
        DocumentFaults("no asset"), TimeError.negativeDuration, CompositingError.media(MediaError(.corrupt, at: "/map", "")),
        StoreError(path: "/m.mp4", action: "take this name", code: EEXIST),
      ]
    ),
    (
      .source, "a source is away, for this machine or for everybody",
      kinds(.unreachable) + [ENOENT, ENOTDIR, EIO, ESTALE, ENOTCONN].map { reading($0) }
    ),
    (
      .store, "the store or the movie's folder is full or away, for everybody",
      kinds(.noSpace) + [ENOSPC, EDQUOT, ESTALE, EIO, EREMOTEIO].map { storing($0) } + [
        MediaError(-EIO, from: "write", at: "/m.mp4", while: .writing), TransferError(.transient, at: "s3://s", "busy"),
      ]
    ),
    (
      .worker, "this machine lacks something that another may have",
      kinds(.cannotWrite, .unreadable, .outOfMemory) + [EACCES, ELOOP].map { reading($0) } + [EACCES, ENOENT].map { storing($0) }
        + TransferError.Kind.allCases.filter { $0 != .transient }.map { TransferError($0, at: "s3://s", "") } + [
          MediaError(-EFBIG, from: "write", at: "/m.mp4", while: .writing), SubprocessError("posix_spawn", EAGAIN),
          DrawingError.fontNotInstalled("Sans", near: nil), DrawingError.fontUnreadable("/f.ttf", "is gone"),
          DrawingError.fontElsewhere(FontFace(family: "A", weight: 400, name: "A", index: 0, byteCount: 1, digest: "")),
          DrawingError.missingGlyphs(fonts: ["A"], characters: ["歌"], families: []),
          DrawingError.noOutlines(font: "A", text: "a"), DrawingError.cairo(call: "f", status: 1, reason: ""),
          DrawingError.outOfMemory(call: "f"), CompositingError.media(MediaError(.outOfMemory, at: "frame", "")),
        ]
    ),
    (.transient, "the trouble passes", [cancelled]),
    (
      .bug, "spool is at fault, or does not know the error",
      kinds(.internal) + [
        CompositingError.zimg(call: "f", code: 1, reason: ""), WireError.malformed("a report"), CancellationError(),
      ]
    ),
  ]

  private static var cancelled: any Error {
    let cancellation = Cancellation()
    cancellation.cancel()
    do throws(Cancellation.Cancelled) { try cancellation.check() } catch { return error }
    return CancellationError()
  }

  private static func kinds(_ kinds: MediaError.Kind...) -> [any Error] { kinds.map { MediaError($0, at: "/f", "reason") } }

  private static func reading(_ code: Int32) -> any Error { MediaError(-code, from: "open", at: "/a.mp4") }

  private static func storing(_ code: Int32) -> any Error { StoreError(path: "/store", action: "create it", code: code) }

  @Test func `each error means what the table says`() {
    for (`class`, why, errors) in Self.table {
      for error in errors { #expect(Failure(classifying: error).class == `class`, "\(error): \(why)") }
    }
  }

  @Test func `the table has every class, and every kind of error of media and transfers`() {
    #expect(Set(Self.table.map(\.class)) == Set(Failure.Class.allCases))
    let errors = Self.table.flatMap(\.errors)
    #expect(Set(errors.compactMap { ($0 as? MediaError)?.kind }) == Set(MediaError.Kind.allCases))
    #expect(Set(errors.compactMap { ($0 as? TransferError)?.kind }) == Set(TransferError.Kind.allCases))
  }

  @Test func `a failure stays what it is, and an error without a place gets one`() {
    let failure = Failure(.source, at: "clip", "away", damaged: [AttemptKey(task: 1, attempt: 2)])
    #expect(Failure(classifying: failure, at: "courier") == failure)
    #expect(Failure(classifying: WireError.malformed("x"), at: "courier").place == "courier")
    #expect(Failure(classifying: WireError.malformed("x")).place == "attempt")
  }

  @Test func `a segment that is missing or another one is made again, and waited for while the store does not answer`() {
    let winner = AttemptKey(task: 7, attempt: 2)
    func lost(_ place: String, _ reason: String) -> Failure {
      Failure(.worker, at: place, "\(reason): it is rendered again", damaged: [winner])
    }
    for kind in TransferError.Kind.allCases {
      let error = TransferError(kind, at: "s3://s", "reason")
      let isLost = kind == .missing || kind == .changed
      let expected = isLost ? lost("s3://s", "reason") : Failure(kind == .transient ? .store : .worker, at: "s3://s", "reason")
      #expect(Failure(reading: winner, error) == expected, "\(kind)")
    }
    #expect(Failure(reading: winner, MediaError(.corrupt, at: "/s", "reason")) == lost("/s", "reason"))
    let away = MediaError(-EIO, from: "open", at: "/s")
    #expect(Failure(reading: winner, away) == Failure(.store, at: "/s", away.reason))
    let gone = MediaError(-ENOENT, from: "open", at: "/s")
    #expect(Failure(reading: winner, gone) == lost("/s", gone.reason))
  }

  @Test(arguments: Failure.Class.allCases)
  func `a full folder of this machine is its own trouble, not the store's`(_ class: Failure.Class) {
    let failure = Failure(`class`, at: "/scratch", "is full")
    #expect(failure.onThisMachine.class == (`class` == .store ? .worker : `class`))
    #expect(failure.onThisMachine.description == failure.description)
  }
}
