package import MediaTime

/// The bounds of a document. They stand far above real edits; they keep a hostile or broken document from costing
/// memory or time before anybody looks at it.
package enum DocumentLimits {
  /// 16 MiB: some 100 000 clips. Checked before the text is parsed.
  package static let byteCount = 16 << 20
  /// A document nests 10 levels; recursion must end well before the stack does.
  package static let depth = 32
  /// 100 000 clips have a million values; each takes up to 100 bytes of memory.
  package static let values = 2_000_000
  /// A number of more digits than any `Double` or time has is not a number that was meant.
  package static let numberLength = 64
  /// More than anybody reads at once.
  package static let faults = 200

  /// Each asset is probed, and its facts stored with the job.
  package static let assets = 10_000
  package static let compositions = 1_000
  /// Each level renders its own frames.
  package static let nesting = 8
  /// Segments when every nested composition is written out: ten in ten in ten grow fast.
  package static let unfoldedSegments = 1_000_000
  package static let tracks = 1_000
  package static let segments = 100_000
  package static let instructions = 100_000
  /// Each layer of an instruction is a decoder open at the same time.
  package static let layerInstructions = 64
  /// Bytes of what a document says to a compositor, in canonical form: it goes with every attempt's order.
  package static let compositorParameters = 65_536
  /// Each is looked at for each frame.
  package static let layers = 10_000
  package static let keyframes = 10_000

  /// Bytes of a name: an asset's, a track's, a font's.
  package static let nameLength = 256
  /// Names in a text's list of fonts.
  package static let fonts = 8
  /// Bytes of a language's tag: the longest that BCP 47 (RFC 5646, 4.4.1) asks a program to take.
  package static let languageLength = 35
  /// Linux's PATH_MAX.
  package static let pathLength = 4_096
  /// Bytes of a text layer: more than fits a picture.
  package static let textLength = 16_384

  /// 100 hours, which is where timecode starts again.
  package static let hours: Int64 = 100
  package static let latest = MediaTime(seconds: hours * 3600)
  package static let framesPerSecond: Int64 = 1_000
  /// A longer frame is a rate that was taken for a duration.
  package static let frameSeconds: Int64 = 10
  /// Times faster or slower than the source: beyond it a mapping is a slip of the pen, and resampling costs too much.
  package static let speed: Int64 = 100

  /// Pixels each way: the greatest frame that H.264 has a level for is 8192 wide; a macroblock is 16.
  package static let renderSide = 16...8_192
  /// Of the movie's size to the render size.
  package static let renderScale = 0.01...1.0
  /// Of the progress of an easing's control points.
  package static let overshoot = -10.0...10.0
  /// Pixels, and terms of a transform.
  package static let coordinate = -1_000_000.0...1_000_000.0
  /// Of the frame's height: a wider blur shows nothing but colours.
  package static let blurRadius = 0.001...0.5
  /// Of the way that a wipe's edge goes; a border of no width is left out.
  package static let borderWidth = 0.0001...1.0
  /// cd/m², in 16 bits.
  package static let contentLight = 65_535
  package static let fontSize = 1.0...4_096.0
  /// +24 dB; more is a slip of the pen.
  package static let volume = 0.0...16.0
}
