/// A wrong command line. The user is told `error: place: reason`.
package enum UsageError: Error, Hashable, Sendable {
  case noVerb
  case unknownVerb(String, suggestion: String?)
  case unknownOption(String, suggestion: String?)
  case missing(Declaration)
  case missingValue(Declaration)
  /// A value was given to a flag.
  case surplusValue(Declaration)
  case malformed(Declaration, String, String)
  case repeated(Declaration)
  case surplus(String)
  /// An argument whose bytes are no UTF-8, with those that are not replaced by U+FFFD.
  case notUTF8(String)

  package var place: String {
    switch self {
    case .noVerb: "command"
    case .unknownVerb(let word, _), .unknownOption(let word, _), .surplus(let word), .notUTF8(let word): word
    case .missing(let what), .missingValue(let what), .surplusValue(let what), .malformed(let what, _, _), .repeated(let what):
      what.title
    }
  }

  package var reason: String {
    switch self {
    case .noVerb: "none given"
    case .unknownVerb(_, let suggestion): "unknown command" + Self.question(suggestion)
    case .unknownOption(_, let suggestion): "unknown option" + Self.question(suggestion)
    case .missing: "required, but not given"
    case .missingValue(let what): "needs a value (\(what.placeholder))"
    case .surplusValue: "takes no value"
    case .malformed(_, let text, let expectation): "'\(text)' is not \(expectation)"
    case .repeated: "given more than once"
    case .surplus: "unexpected argument"
    case .notUTF8: "is not UTF-8, as arguments and names of files must be"
    }
  }

  private static func question(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean \($0)?" } ?? ""
  }
}
