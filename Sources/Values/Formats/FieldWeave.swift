/// The fields of which each frame of a movie is made. Its even lines, counted from 0, are the top field and its odd lines the bottom field. One of
/// them shows the frame's own moment, and the other the moment half a frame later.
package struct FieldWeave: Hashable, Sendable, Codable {
  /// The change of a picture before every second line of it is left out.
  package enum Filter: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each line is mixed with those above and below, so that fine horizontal detail does not flicker.
    case lowPass
    /// The lines stay as they are.
    case none
  }

  /// The orders by the names that documents have for them.
  package enum Name: String, Sendable, CaseIterable {
    case topFirst, bottomFirst

    package init(_ order: FieldOrder) { self = order == .topFirst ? .topFirst : .bottomFirst }

    package var order: FieldOrder { self == .topFirst ? .topFirst : .bottomFirst }
  }

  /// The field that shows the frame's own moment.
  package var order: FieldOrder
  package var filter: Filter

  package init(_ order: FieldOrder, filter: Filter = .lowPass) { (self.order, self.filter) = (order, filter) }
}
