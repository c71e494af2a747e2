internal import FoundationEssentials
internal import Operations
internal import WebServer

/// The names that the query of a request may have, as the description of the API has them. A name that is written wrongly would be as if it were not there:
/// a list would have all jobs, and a movie that was not to be replaced would be.
enum QueryNames {
  private struct Description: Decodable {
    struct Operation: Decodable {
      struct Parameter: Decodable {
        let name: String
        let place: String

        enum CodingKeys: String, CodingKey { case name, place = "in" }
      }

      let parameters: [Parameter]?
    }

    let paths: [String: [String: Operation]]
  }

  /// The names of each operation, by its method and the template of its path.
  private static let described: [String: [String]] = {
    let description: Description
    do { description = try JSONDecoder().decode(Description.self, from: Data(Page.description.bytes)) } catch {
      preconditionFailure("openapi.json does not describe the API: \(error)")
    }
    let operations = description.paths.flatMap { path, operations in
      operations.map { method, operation in
        ("\(method.uppercased()) \(path)", (operation.parameters ?? []).filter { $0.place == "query" }.map(\.name))
      }
    }
    return Dictionary(uniqueKeysWithValues: operations)
  }()

  /// Refuses a request whose query has a name that its route has not.
  ///
  /// - Throws: a complaint of the class `usage` about each such name.
  static func require(_ query: [String: String], of route: Route) throws(Complaint) {
    // Who asks whether the server lives, or scrapes its numbers, may add what he likes.
    guard route.template.hasPrefix("\(Route.api)/"), !query.isEmpty else { return }
    let names = described["\(route.method) \(route.template)"] ?? []
    let strangers = query.keys.filter { !names.contains($0) }.sorted()
    guard !strangers.isEmpty else { return }
    let known = names.isEmpty ? "the request has no query" : "there are \(names.joined(separator: ", "))"
    throw Complaint(
      told: strangers.map { FaultRecord(path: $0, kind: ExitClass.usage.word, text: "there is no such name: \(known)") }, .usage)
  }
}
