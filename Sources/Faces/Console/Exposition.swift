/// Numbers in Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct Exposition {
  enum Kind: String { case counter, gauge, histogram }

  struct Sample {
    /// The end of the name, such as `_bucket`.
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    var value: Double
  }

  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  /// Adds a metric with its samples. Nothing is added where there are none.
  ///
  /// - Parameter help: a sentence without line breaks and backslashes.
  mutating func add(_ name: String, _ kind: Kind, help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      text += "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(sample.value))\n"
    }
  }

  mutating func add(_ name: String, _ kind: Kind, help: String, _ value: Double?) {
    add(name, kind, help: help, value.map { [Sample(value: $0)] } ?? [])
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
