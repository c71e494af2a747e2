internal import Timeline

extension Scene {
  /// The bytes of all that decides the scene's picture: equal bytes are equal pictures, as long as the assets and the fonts that it
  /// names are the same files, and the same program draws it. It leaves out only the tracks that lead to pictures. It is nil where
  /// a compositor of the user's own has a part in the picture, since such code may read anything.
  ///
  /// - Parameter shares: the bytes of what the scene before had in common with this one. They are written again as they are.
  /// - Throws: `UnwritableValue`, which is a fault of a type in the scene.
  package func rendition(sharing shares: WrittenShares? = nil) throws -> [UInt8]? {
    asksCompositorWithin ? nil : try ValueWriter.bytes(of: self, sharing: shares)
  }
}

extension Scene.Composed: Encodable {
  /// Throws: a frame by a compositor of the user's own is not decided by values.
  package func encode(to encoder: any Encoder) throws {
    throw UnwritableValue(description: "a frame by the compositor \(statement.name) cannot be written: it may depend on anything")
  }
}
