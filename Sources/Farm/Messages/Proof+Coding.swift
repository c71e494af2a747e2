internal import Formats

// A proof is one flat JSON object. Its `kind` says which other fields it has. Proofs come from other machines and from processes
// that decoded strangers' bytes, so each field is checked where it is read.

extension Proof: Codable {
  /// The fields of a proof that not every kind has.
  private enum Fact: String, CodingKey, CaseIterable {
    case frames, key, found, firstSample, sampleCount, parameterSetDigest, contentDigest, concealed, loudness, further,
      renditions, quality, milliseconds, target, copies, stills

    func belongs(to kind: TaskKind) -> Bool {
      switch self {
      case .frames, .renditions, .quality, .milliseconds: kind == .picture
      case .firstSample, .sampleCount, .loudness, .further: kind == .sound
      case .target: kind == .mux
      case .copies: kind == .publish
      case .stills: kind == .mux || kind == .publish
      case .key, .found, .parameterSetDigest, .contentDigest, .concealed: kind == .picture || kind == .sound
      }
    }
  }

  private enum CodingKeys: String, CodingKey { case kind }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let kind = TaskKind(rawValue: try container.decode(String.self, forKey: .kind)) else {
      throw DecodingError.dataCorruptedError(forKey: .kind, in: container, debugDescription: "is no kind of task")
    }
    let facts = try decoder.container(keyedBy: Fact.self)
    for fact in Fact.allCases where facts.contains(fact) && !fact.belongs(to: kind) {
      throw DecodingError.dataCorruptedError(
        forKey: fact, in: facts, debugDescription: "does not belong to a proof of kind \(kind)")
    }
    self =
      switch kind {
      case .picture: .picture(try PictureProof(from: decoder))
      case .sound: .sound(try SoundProof(from: decoder))
      case .mux: .mux(try FileProof(from: decoder))
      case .publish: .publish(try FileProof(from: decoder))
      }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    switch self {
    case .picture(let picture): try picture.encode(to: encoder)
    case .sound(let sound): try sound.encode(to: encoder)
    case .mux(let file), .publish(let file): try file.encode(to: encoder)
    }
  }
}

extension PictureProof: Codable {
  private enum CodingKeys: String, CodingKey {
    case frames, renditions, quality, key
    case isFound = "found"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      frames: try container.decode(FrameRange.self, forKey: .frames), segment: try SegmentProof(from: decoder),
      renditions: try container.checkedIfPresent(
        [FurtherPicture].self, .renditions, complaint: "are more than \(FurtherPicture.most) renditions",
        isFit: { $0.count <= FurtherPicture.most }
      )
        ?? [],
      key: try container.checkedIfPresent(String.self, .key, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      isFound: try container.decodeIfPresent(Bool.self, forKey: .isFound) ?? false)
    quality = try container.decodeIfPresent(ReachedQuality.self, forKey: .quality)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(frames, forKey: .frames)
    try container.encodeIfPresent(quality, forKey: .quality)
    if !renditions.isEmpty { try container.encode(renditions, forKey: .renditions) }
    try container.encodeIfPresent(key, forKey: .key)
    if isFound { try container.encode(isFound, forKey: .isFound) }
    try segment.encode(to: encoder)
  }
}

extension SoundProof: Codable {
  private enum CodingKeys: String, CodingKey {
    case firstSample, sampleCount, loudness, further, key
    case isFound = "found"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      firstSample: try container.checkedIfPresent(Int64.self, .firstSample, complaint: "is no sample of a movie") { $0 >= 0 },
      sampleCount: try container.checked(Int64.self, .sampleCount, complaint: "is no number of samples") { $0 >= 0 },
      segment: try SegmentProof(from: decoder),
      loudness: try container.decodeIfPresent(SoundLoudness.self, forKey: .loudness),
      key: try container.checkedIfPresent(String.self, .key, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      isFound: try container.decodeIfPresent(Bool.self, forKey: .isFound) ?? false)
    further =
      try container.checkedIfPresent(
        [FurtherSound].self, .further, complaint: "are more than \(FurtherSound.most) sounds",
        isFit: { $0.count <= FurtherSound.most }) ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(firstSample, forKey: .firstSample)
    try container.encode(sampleCount, forKey: .sampleCount)
    try container.encodeIfPresent(loudness, forKey: .loudness)
    if !further.isEmpty { try container.encode(further, forKey: .further) }
    try container.encodeIfPresent(key, forKey: .key)
    if isFound { try container.encode(isFound, forKey: .isFound) }
    try segment.encode(to: encoder)
  }
}

extension FurtherSound: Decodable {
  /// The most sounds after the first one: as many as streams that any movie has. An edit has fewer.
  static let most = 64

  private enum Key: String, CodingKey { case sampleCount, parameterSetDigest, contentDigest, loudness }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      sampleCount: try container.checked(Int64.self, .sampleCount, complaint: "is no number of samples") { $0 >= 0 },
      parameterSetDigest: try container.checked(
        String.self, .parameterSetDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      contentDigest: try container.checked(String.self, .contentDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      loudness: try container.decodeIfPresent(SoundLoudness.self, forKey: .loudness))
  }
}

extension FurtherPicture: Decodable {
  /// The most renditions of a picture. An edit has fewer.
  static let most = 64

  private enum Key: String, CodingKey { case parameterSetDigest, contentDigest }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      parameterSetDigest: try container.checked(
        String.self, .parameterSetDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      contentDigest: try container.checked(String.self, .contentDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest))
  }
}

extension SegmentProof: Codable {
  private enum CodingKeys: String, CodingKey {
    case parameterSetDigest, contentDigest, concealed
    case times = "milliseconds"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      file: try FileProof(from: decoder),
      parameterSetDigest: try container.checked(
        String.self, .parameterSetDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      contentDigest: try container.checked(String.self, .contentDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest),
      concealed: try container.decodeIfPresent([Concealment].self, forKey: .concealed) ?? [],
      times: try container.decodeIfPresent(RenderingTimes.self, forKey: .times))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try file.encode(to: encoder)
    try container.encode(parameterSetDigest, forKey: .parameterSetDigest)
    try container.encode(contentDigest, forKey: .contentDigest)
    if !concealed.isEmpty { try container.encode(concealed, forKey: .concealed) }
    try container.encodeIfPresent(times, forKey: .times)
  }
}

extension RenderingTimes: Decodable {
  /// The longest part: a year. No sum over the chunks of a job overflows then.
  static let longest: Int64 = 366 * 86_400_000

  private enum Key: String, CodingKey { case opening, reading, compositing, encoding }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func part(_ key: Key) throws -> Int64 {
      try container.checked(Int64.self, key, complaint: "is no number of milliseconds") { 0...Self.longest ~= $0 }
    }
    self.init(
      opening: try part(.opening), reading: try part(.reading), compositing: try part(.compositing), encoding: try part(.encoding)
    )
  }
}

extension FileProof: Codable {
  /// The most bytes of a file: 16 TiB, the most that ext4 holds. The sum of all segments of an order does not overflow then.
  static let mostBytes: Int64 = 1 << 44
  /// The words for a path and a number of bytes that are none, and for a digest that is not one.
  static let noPath = "is not a file's path"
  static let noByteCount = "is no number of bytes"
  static let noDigest = "is not a digest of 32 lower-case hexadecimal digits"

  private enum CodingKeys: String, CodingKey {
    case byteCount, byteDigest, stamp, target, copies, stills
    case path = "file"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      path: try container.checked(String.self, .path, complaint: Self.noPath, isFit: Self.isPath),
      byteCount: try container.checked(Int64.self, .byteCount, complaint: Self.noByteCount, isFit: Self.isByteCount),
      byteDigest: try container.checked(String.self, .byteDigest, complaint: Self.noDigest, isFit: Self.isDigest),
      stamp: try container.checkedIfPresent(String.self, .stamp, complaint: "is not a file's stamp", isFit: Self.isStamp),
      target: try container.decodeIfPresent(TargetMeasure.self, forKey: .target))
    stills = try container.decodeIfPresent(StillsProof.self, forKey: .stills)
    copies = try container.checkedIfPresent([CopiedMovie].self, .copies, complaint: "are no places of a movie") { copies in
      1...CopiedMovie.most ~= copies.count
        && copies.allSatisfy {
          Self.isPath($0.output) && $0.error?.count ?? 0 <= CopiedMovie.longestError && $0.error?.contains("\0") != true
        }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
    try container.encode(byteCount, forKey: .byteCount)
    try container.encode(byteDigest, forKey: .byteDigest)
    try container.encodeIfPresent(stamp, forKey: .stamp)
    try container.encodeIfPresent(target, forKey: .target)
    try container.encodeIfPresent(stills, forKey: .stills)
    try container.encodeIfPresent(copies, forKey: .copies)
  }

  static func isPath(_ text: String) -> Bool { !text.isEmpty && text.utf8.count < 4096 && !text.utf8.contains(0) }

  /// Whether `text` may be a stamp: a line of at most 128 printable characters.
  static func isStamp(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
  }

  static func isByteCount(_ count: Int64) -> Bool { 0...mostBytes ~= count }

  /// Whether `text` has the form of an XXH3-128, as a font file's digest has.
  static func isDigest(_ text: String) -> Bool { FontFace.isDigest(text) }
}

extension StillsProof: Decodable {
  private enum Key: String, CodingKey { case byteCount, byteDigest }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      byteCount: try container.checked(Int64.self, .byteCount, complaint: FileProof.noByteCount, isFit: FileProof.isByteCount),
      byteDigest: try container.checked(String.self, .byteDigest, complaint: FileProof.noDigest, isFit: FileProof.isDigest))
  }
}

extension Concealment {
  /// The most frames or samples that one proof may tell: 2^40 samples are 66 days at 192 kHz. No sum over the segments of an
  /// order overflows then.
  static let most: Int64 = 1 << 40

  enum CodingKeys: String, CodingKey { case asset, frames, samples, frameSpan, sampleSpan }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let range = 0...Self.most
    self.init(
      // The database's functions read no NUL out of JSON.
      asset: try container.checked(String.self, .asset, complaint: "is not an asset's name") { !$0.utf8.contains(0) },
      frames: Int(try container.checked(Int64.self, .frames, complaint: "is no number of frames", isFit: range.contains)),
      samples: try container.checked(Int64.self, .samples, complaint: "is no number of samples", isFit: range.contains))
    frameSpan = try container.decodeIfPresent(Span.self, forKey: .frameSpan)
    sampleSpan = try container.decodeIfPresent(Span.self, forKey: .sampleSpan)
  }
}

extension Concealment.Span {
  enum CodingKeys: String, CodingKey { case first, end }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let first = try container.checked(Int64.self, .first, complaint: "is not a place in a movie") { $0 >= 0 }
    self.init(first..<(try container.checked(Int64.self, .end, complaint: "comes before the span's first") { $0 >= first }))
  }
}

extension KeyedDecodingContainer {
  /// Decodes a value that must satisfy `isFit`.
  /// - Parameter complaint: what is said of one that does not, after its place: "is no number of bytes".
  func checked<Value: Decodable>(
    _ type: Value.Type, _ key: Key, complaint: String, isFit: (Value) -> Bool
  ) throws -> Value {
    let value = try decode(type, forKey: key)
    guard isFit(value) else { throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: complaint) }
    return value
  }

  /// Decodes a value that must satisfy `isFit`, if there is one.
  func checkedIfPresent<Value: Decodable>(
    _ type: Value.Type, _ key: Key, complaint: String, isFit: (Value) -> Bool
  ) throws -> Value? {
    try contains(key) ? checked(type, key, complaint: complaint, isFit: isFit) : nil
  }
}
