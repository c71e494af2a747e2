/// A setting that only some codecs have, as documents name it.
package struct CodecKey: Hashable, Sendable {
  /// The values that the setting may have.
  package enum Form: Hashable, Sendable {
    case number(ClosedRange<Double>)
    case word([String])
    /// A measure of quality, and the value that it is to have.
    case quality
  }

  package enum Value: Hashable, Sendable {
    case number(Double)
    case word(String)
    case quality(QualityTarget)
  }

  package let name: String
  package let form: Form

  /// The keys of codecs whose bit rate can be bounded, in bits a second and in bits.
  static let rateCap = [
    CodecKey(name: "maxBitRate", form: .number(50_000...1_000_000_000)),
    CodecKey(name: "bufferSize", form: .number(50_000...4_000_000_000)),
  ]
}
