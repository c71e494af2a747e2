internal import Timeline

extension Scene {
  /// The bytes of all that decides the scene's picture: equal bytes are equal pictures, as long as the assets and the fonts that it
  /// names are the same files, and the same program draws it. It leaves out only the tracks that lead to pictures. It is nil where
  /// a compositor of the user's own has a part in the picture, since such code may read anything.
  ///
  /// - Throws: `UnwritableValue`, which is a fault of a type in the scene.
  package var rendition: [UInt8]? {
    get throws {
      var bytes: [UInt8] = []
      return try appendRendition(to: &bytes) ? bytes : nil
    }
  }

  /// Appends the bytes of `rendition`, and returns whether there are any.
  package func appendRendition(to bytes: inout [UInt8]) throws -> Bool {
    if asksCompositorWithin { return false }
    try ValueWriter.append(self, to: &bytes)
    return true
  }
}

extension Scene.Composed: Encodable {
  /// Throws: a frame by a compositor of the user's own is not decided by values.
  package func encode(to encoder: any Encoder) throws {
    throw UnwritableValue(description: "a frame by the compositor \(statement.name) cannot be written: it may depend on anything")
  }
}
