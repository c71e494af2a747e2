import FarmTesting
import FoundationEssentials
import LocalFarm
import Operations
import Testing

/// The refusals of the render operation. The tests of the program render movies with it.
@Suite struct `The render operation` {
  /// A farm that must not be started.
  private static var farm: PrivateFarm {
    PrivateFarm(
      dataPath: { () throws(Complaint) in throw Complaint("data", "is asked for", .unavailable) },
      roles: { _ in LocalFarm.Roles(coordinator: { _, _ in [] }, worker: { _, _, _ in [] }) },
      interruption: { () throws(Complaint) in throw Complaint("signals", "are asked for", .unavailable) }, notice: { _ in })
  }

  private func refusal(_ request: RenderRequest, _ edit: EditBench) throws -> Complaint? {
    try complaint { _ = try Self.farm.render(request, reading: edit.media) { _ in } }
  }

  @Test func `what can be seen to be wrong is refused before the farm's data are looked for`() throws {
    let edit = try EditBench()
    let good = RenderRequest(document: edit.document, output: edit.movie)
    var request = good
    request.output = edit.path("movie.mp4")
    #expect(try refusal(request, edit)?.exit == .usage, "the name promises another kind of file")
    request = good
    request.output = edit.path("none/movie.mkv")
    #expect(try refusal(request, edit)?.exit == .cannotCreate)
    request = good
    request.document = edit.path("none.json")
    #expect(try refusal(request, edit)?.exit == .noInput)
    request = good
    request.workers = 0
    #expect(try refusal(request, edit)?.told.map(\.path) == ["workers"])
    request.workers = 257
    #expect(try refusal(request, edit)?.exit == .usage)
    #expect(try JSONDecoder().decode(RenderRequest.self, from: JSONEncoder().encode(request)) == request)
  }
}
