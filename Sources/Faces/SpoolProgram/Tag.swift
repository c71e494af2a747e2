import Arguments
import Messages
import PlainText

extension Format where Value == String {
  /// A tag of a worker, which jobs may require.
  static let tag = Format("TAG", expectation: "printable ASCII without spaces, quotes, commas and slashes") { text in
    Capabilities.isTag(text) ? text : nil
  }

  /// The name of a submitter or a coordinator. It is shown to others.
  static let name = Format("NAME", expectation: "a name of 1 to 255 bytes without control characters") { text in
    1...255 ~= text.utf8.count && text.isPlain ? text : nil
  }
}
