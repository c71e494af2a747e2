/// A setting that only some codecs have, as documents name it.
package struct CodecKey: Hashable, Sendable {
  /// The values that the setting may have.
  package enum Form: Hashable, Sendable {
    case number(ClosedRange<Double>)
    case word([String])
  }

  package enum Value: Hashable, Sendable {
    case number(Double)
    case word(String)
  }

  package let name: String
  package let form: Form
}
