import Operations

extension Complaint {
  /// The complaint in a user's words: the names of a request's values become those of the verb's arguments, both as the place
  /// and, in backquotes, in the reason.
  private func naming(_ names: [String: String]) -> Complaint {
    var complaint = self
    for place in told.indices {
      if exit == .usage, let argument = names[told[place].path] { complaint.told[place].path = argument }
      for (name, argument) in names {
        complaint.told[place].text = complaint.told[place].text.replacing("`\(name)`", with: argument)
      }
    }
    return complaint
  }

  /// Performs an operation whose values have other names as arguments.
  static func naming<Result>(
    _ names: [String: String], _ body: () throws(Complaint) -> Result
  ) throws(Complaint) -> Result {
    do throws(Complaint) { return try body() } catch { throw error.naming(names) }
  }
}
