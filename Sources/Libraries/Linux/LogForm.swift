internal import PlainText

/// The form of the lines of the log.
package enum LogForm: String, CaseIterable, Sendable {
  /// `time=… level=… event=… name=value`, as readers of logfmt know it.
  case text
  /// A JSON object a line, whose values are all texts.
  case json
}

/// The weight of a line of the log. Lines below the chosen one are not written.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }

  /// The level of an event. What no list has is info: the life of jobs, attempts, workers and coordinators.
  package init(event: Substring) {
    self =
      switch event {
      case "asked", "sweeps": .debug
      case "expired", "failed", "forged", "font_search_failed", "font_search_stalled", "full", "join_failed", "lacks_roles",
        "lead_lost",
        "ledger_away", "locked_out", "lost", "metrics_without_farm", "misnamed", "not_amended", "refused", "refused_key",
        "refused_keys",
        "stalled", "store_unusable", "sweep_failed", "sweep_stalled", "unanswered", "unreadable", "unsendable", "warning",
        "webhooks_stand", "worker_set_aside":
        .warning
      case "allow_list_unreadable", "crash", "descriptors_shared", "ledger_refused", "refusal_not_written", "unreadable_report":
        .error
      default: .info
      }
  }
}

/// A line of the log, taken apart: `event=joined worker=a reason="no key"`.
package struct LogLine {
  package private(set) var fields: [(name: String, value: String)] = []

  /// - Parameter text: names and values as `writeLog` takes them. A word without a name belongs to the value before it.
  package init(_ text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == " " }
      let word = rest.prefix { $0 != " " && $0 != "=" && $0 != "\"" }
      if !word.isEmpty, rest.dropFirst(word.count).first == "=" {
        rest = rest.dropFirst(word.count + 1)
        fields.append((String(word), rest.first == "\"" ? Self.quoted(&rest) : Self.bare(&rest)))
      } else {
        let more = Self.bare(&rest)
        guard !more.isEmpty else { continue }
        if fields.isEmpty { fields.append(("event", more)) } else { fields[fields.count - 1].value += " \(more)" }
      }
    }
  }

  /// The line as a JSON object, whose values are all texts.
  package var json: String {
    "{" + fields.map { "\"\(Self.escaped($0.name))\":\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func bare(_ rest: inout Substring) -> String {
    let word = rest.prefix { $0 != " " }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  /// The text up to the closing quote, with JSON's short escapes resolved.
  private static func quoted(_ rest: inout Substring) -> String {
    var (value, isEscaped) = ("", false)
    rest = rest.dropFirst()
    while let letter = rest.popFirst() {
      if isEscaped {
        switch letter {
        case "n": value.append("\n")
        case "r": value.append("\r")
        case "t": value.append("\t")
        case "\"", "\\": value.append(letter)
        default: value += "\\\(letter)"
        }
        isEscaped = false
      } else if letter == "\\" {
        isEscaped = true
      } else if letter == "\"" {
        break
      } else {
        value.append(letter)
      }
    }
    return value
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: String(scalar).plainJSON
      }
    }.joined()
  }
}
