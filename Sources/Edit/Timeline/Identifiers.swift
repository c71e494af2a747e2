/// The name of an asset in a document.
package struct AssetID: RawRepresentable, Hashable, Sendable, Encodable, Comparable, CustomStringConvertible {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(_ name: String) { rawValue = name }
  package var description: String { rawValue }
  package static func < (a: AssetID, b: AssetID) -> Bool { a.rawValue < b.rawValue }
}

/// The name of a nested composition in a document.
package struct CompositionID: RawRepresentable, Hashable, Sendable, Encodable, Comparable, CustomStringConvertible {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(_ name: String) { rawValue = name }
  package var description: String { rawValue }
  package static func < (a: CompositionID, b: CompositionID) -> Bool { a.rawValue < b.rawValue }
}

/// The name of a composition track in a document.
package struct TrackID: RawRepresentable, Hashable, Sendable, Encodable, Comparable, CustomStringConvertible {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  package init(_ name: String) { rawValue = name }
  package var description: String { rawValue }
  package static func < (a: TrackID, b: TrackID) -> Bool { a.rawValue < b.rawValue }
}
