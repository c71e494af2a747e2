import Arguments
import Messages

extension Format where Value == String {
  /// What a worker has and a job needs.
  static let tag = Format("TAG", expectation: "printable ASCII without spaces, quotes, commas and slashes") { text in
    Capabilities.isTag(text) ? text : nil
  }
}
