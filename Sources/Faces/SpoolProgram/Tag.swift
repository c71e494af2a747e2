import Arguments
import Messages
import Operations

extension Format where Value == String {
  /// A tag of a worker, which jobs may require.
  static let tag = Format("TAG", expectation: "printable ASCII without spaces, quotes, commas and slashes") { text in
    Capabilities.isTag(text) ? text : nil
  }

  /// The name of a submitter or a coordinator. It is shown to others.
  static let name = Format("NAME", expectation: SubmitterName.expectation) { text in
    SubmitterName.isValid(text) ? text : nil
  }
}
