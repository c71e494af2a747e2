internal import FoundationEssentials

extension StandardStream {
  /// One JSON object, or array, on a line of its own; keys in order, so that equal values are equal lines.
  package func json(_ value: some Encodable) throws(StreamError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      try json(line: Array(encoder.encode(value)))
    } catch let error as StreamError {
      throw error
    } catch {
      preconditionFailure("\(type(of: value)) has no JSON: \(error)")
    }
  }
}
