import Messages
import Rendering
import Testing

@Suite("Names in the store")
struct SegmentStoreTests {
  @Test(
    "a movie's hidden file stands beside it",
    arguments: [
      ("/movies/a.mp4", "/movies/.a.mp4.job.3.part"), ("/a.mp4", "/.a.mp4.job.3.part"),
    ])
  func partPath(output: String, part: String) {
    #expect(SegmentStore.partPath(output: output, job: "job", key: AttemptKey(task: 9, attempt: 3)) == part)
  }

  @Test("two attempts at one task never share a file")
  func attemptAddressed() {
    let store = SegmentStore(root: "/store")
    let names = (1...3).map { store.name(job: "job", key: AttemptKey(task: 9, attempt: $0), extension: "nut") }
    #expect(names == ["job/9/1.nut", "job/9/2.nut", "job/9/3.nut"])
  }
}
