internal import Timeline

/// The bounds of a Lottie file. They are far above real files. They keep a hostile or broken one from using much memory or time.
package enum LottieLimits {
  /// The bytes of a file. The layers that are made of it must fit into a document.
  package static let byteCount = 8 << 20
  /// The levels of nesting in its JSON. Groups in groups take two each.
  static let depth = 64
  /// The layers that are made, with those of compositions that are shown several times.
  static let layers = 5_000
  /// The layers and shapes that are looked at, with those of compositions that are shown several times.
  static let visits = 100_000
  /// The parents that stand on each other.
  static let parents = 24
  /// The levels to which compositions, and groups of shapes, stand in each other.
  static let nesting = 12
  /// The keyframes of all properties, and the values that are sampled.
  static let keyframes = 200_000
  /// The elements of all outlines.
  static let pathElements = 1_000_000
  /// The length and the rate.
  static let frames = 1_000_000.0
  static let frameRate = 0.1...1_000.0
  /// The sides of a composition.
  static let side = 1.0...8_192.0
  /// The images in a file. Each is probed, and its facts are stored with the job.
  static let images = 1_000
  /// The entries of an archive.
  static let entries = 2_000
  /// The bytes of an archive's manifest.
  static let manifestBytes = 1 << 20
  /// The bytes of a picture of an archive. As a URL it has as many as a picture in a document may have.
  static let imageBytes = DocumentLimits.embeddedLength / 4 * 3 - 64
  /// The bytes of all pictures of an archive together. With more of them no edit is accepted.
  static let allImageBytes = DocumentLimits.byteCount / 4 * 3
  /// The copies of a repeater, and the steps by which they are moved.
  static let copies = 200
  static let copyOffset = -1_000.0...1_000.0
  /// The pieces into which a time that is remapped is divided.
  static let timePieces = 200
  /// The remarks that are told of a file. Nobody reads more.
  package static let remarks = 100
}
