import Drawing
import Glibc
import Media
import Messages
import Rendering
import Testing

/// Tests of what errors mean for a job.
struct ClassificationTests {
  @Test(arguments: [
    (ENOSPC, Failure.Class.store), (EDQUOT, .store), (ESTALE, .store), (EIO, .store), (EACCES, .worker), (ENOENT, .worker),
    (EEXIST, .content),
  ])
  func `a store that is full or away is everybody's trouble, one that may not be written this machine's`(
    code: Int32, class: Failure.Class
  ) {
    #expect(Failure(classifying: StoreError(path: "/store", action: "create it", code: code)).class == `class`)
  }

  @Test(arguments: [
    (ENOENT, Failure.Class.source), (ENOTDIR, .source), (EIO, .source), (ESTALE, .source), (ENOTCONN, .source), (EACCES, .worker),
    (ELOOP, .worker),
  ])
  func `a source that is away is waited for, one that may not be read is this machine's trouble`(
    code: Int32, class: Failure.Class
  ) {
    #expect(Failure(classifying: MediaError(-code, from: "open", at: "/a.mp4")).class == `class`)
  }

  @Test(arguments: [
    (MediaError.Kind.noSpace, Failure.Class.store), (.cannotWrite, .worker), (.unreadable, .worker), (.corrupt, .content),
    (.internal, .bug), (.unreachable, .source),
  ])
  func `an error of the media tells where the trouble is`(kind: MediaError.Kind, class: Failure.Class) {
    #expect(Failure(classifying: MediaError(kind, at: "/f", "reason")).class == `class`)
  }

  @Test(arguments: [
    (DrawingError.doesNotFit(text: "long"), Failure.Class.content), (.tooManyFonts(limit: 24), .content),
    (.fontNotNamed("Sans"), .content), (.fontNotInstalled("Sans", near: nil), .worker),
    (.fontUnreadable("/f.ttf", "is gone"), .worker), (.outOfMemory(call: "f"), .worker),
  ])
  func `a text that no worker can draw is the edit's fault, a font that is missing here is this machine's`(
    error: DrawingError, class: Failure.Class
  ) {
    #expect(Failure(classifying: error).class == `class`)
  }
}
