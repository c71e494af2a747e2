internal import FoundationEssentials

extension StandardStream {
  /// Writes one JSON object, or array, on a line of its own. Its keys are sorted, so equal values give equal lines.
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
