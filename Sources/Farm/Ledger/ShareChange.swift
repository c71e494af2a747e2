/// A change of a submitter's share.
package struct ShareChange: Hashable, Sendable {
  package enum Slots: Hashable, Sendable, Codable {
    case unlimited
    /// The number of attempts that may run at once.
    case atMost(Int)

    package var limit: Int? { if case .atMost(let limit) = self { limit } else { nil } }

    /// Reads a number, or "none" for `unlimited`.
    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // A value that is no number has to be the word.
      if let limit = try? container.decode(Int.self) {
        self = .atMost(limit)
      } else {
        _ = try container.decode(Word.self)
        self = .unlimited
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let limit { try container.encode(limit) } else { try container.encode(Word.none) }
    }

    private enum Word: String, Codable { case none }
  }

  /// The new weight; nil keeps the old one.
  package var weight: Int?
  /// The new quota; nil keeps the old one.
  package var slots: Slots?
  /// Whether an unknown submitter is entered, with the share that everybody begins with.
  package var entersNew: Bool

  package init(weight: Int? = nil, slots: Slots? = nil, entersNew: Bool = false) {
    (self.weight, self.slots, self.entersNew) = (weight, slots, entersNew)
  }

  /// The share that everybody begins with: weight 1 and no quota.
  package static let reset = ShareChange(weight: 1, slots: .unlimited)
}
