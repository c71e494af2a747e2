internal import Formats

extension Work: Codable {
  /// The JSON of a work: one key, which is its kind. The pictures of a mux, which may be a hundred thousand, are columns.
  private enum Coded: Codable {
    case picture(FrameRange)
    case sound
    case soundPart(SampleRange)
    case mux(pictures: PictureColumns, sound: [Winner<SoundProof>])
    case publish(muxed: Winner<FileProof>)
  }

  package init(from decoder: any Decoder) throws {
    self =
      switch try Coded(from: decoder) {
      case .picture(let frames): .picture(frames)
      case .sound: .sound
      case .soundPart(let samples): .soundPart(samples)
      case .mux(let pictures, let sound): .mux(pictures: pictures.winners, sound: sound)
      case .publish(let muxed): .publish(muxed: muxed)
      }
  }

  package func encode(to encoder: any Encoder) throws {
    let coded: Coded =
      switch self {
      case .picture(let frames): .picture(frames)
      case .sound: .sound
      case .soundPart(let samples): .soundPart(samples)
      case .mux(let pictures, let sound): .mux(pictures: PictureColumns(winners: pictures), sound: sound)
      case .publish(let muxed): .publish(muxed: muxed)
      }
    try coded.encode(to: encoder)
  }
}

/// The winners among a movie's pictures, as an array for each field. All arrays are equally long, and the same place in them
/// means the same picture. JSON of objects would repeat the names of all fields for each picture, and every object is decoded by
/// itself.
private struct PictureColumns: Codable {
  /// The media that were damaged in one picture.
  struct Damage: Codable {
    /// The picture's place in the columns.
    var picture: Int
    var concealed: [Concealment]
  }

  /// The quality that one picture reached.
  struct MeasuredPicture: Codable {
    /// The picture's place in the columns.
    var picture: Int
    var quality: ReachedQuality
  }

  private enum CodingKeys: String, CodingKey {
    case tasks, attempts, firstFrames, frameCounts, files, byteCounts, byteDigests, parameterSetDigests, contentDigests, damaged,
      renditions, keys, measured
  }

  let winners: [Winner<PictureProof>]

  init(winners: [Winner<PictureProof>]) { self.winners = winners }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let tasks = try container.decode([Int64].self, forKey: .tasks)
    func column<Value: Decodable>(
      _ key: CodingKeys, _ complaint: String = "", where isFit: (Value) -> Bool = { _ in true }
    ) throws -> [Value] {
      let values = try container.decode([Value].self, forKey: key)
      func complain(_ words: String) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: words)
      }
      guard values.count == tasks.count else { throw complain("has \(values.count) values beside \(tasks.count) tasks") }
      if let place = values.firstIndex(where: { !isFit($0) }) { throw complain("\(complaint), at place \(place)") }
      return values
    }
    let attempts: [Int] = try column(.attempts)
    let firstFrames: [Int] = try column(.firstFrames)
    let frameCounts: [Int] = try column(.frameCounts)
    if let place = tasks.indices.first(where: { !FrameRange.isRange(first: firstFrames[$0], count: frameCounts[$0]) }) {
      throw DecodingError.dataCorruptedError(
        forKey: .frameCounts, in: container, debugDescription: "\(FrameRange.noRange), at place \(place)")
    }
    let files: [String] = try column(.files, FileProof.noPath, where: FileProof.isPath)
    let byteCounts: [Int64] = try column(.byteCounts, FileProof.noByteCount, where: FileProof.isByteCount)
    let byteDigests: [String] = try column(.byteDigests, FileProof.noDigest, where: FileProof.isDigest)
    let parameterSets: [String] = try column(.parameterSetDigests, FileProof.noDigest, where: FileProof.isDigest)
    let contents: [String] = try column(.contentDigests, FileProof.noDigest, where: FileProof.isDigest)
    var winners = tasks.indices.map { place in
      let file = FileProof(path: files[place], byteCount: byteCounts[place], byteDigest: byteDigests[place])
      let segment = SegmentProof(file: file, parameterSetDigest: parameterSets[place], contentDigest: contents[place])
      return Winner(
        key: AttemptKey(task: tasks[place], attempt: attempts[place]),
        proof: PictureProof(frames: FrameRange(first: firstFrames[place], count: frameCounts[place]), segment: segment))
    }
    if container.contains(.keys) {
      let keys: [String?] = try column(.keys, FileProof.noDigest) { $0.map(FileProof.isDigest) ?? true }
      for (place, key) in keys.enumerated() { winners[place].proof.key = key }
    }
    if container.contains(.renditions), try !container.decodeNil(forKey: .renditions) {
      let renditions: [[FurtherPicture]] = try column(.renditions, "are more than \(FurtherPicture.most) renditions") {
        $0.count <= FurtherPicture.most
      }
      for (place, pictures) in renditions.enumerated() { winners[place].proof.renditions = pictures }
    }
    for damage in try container.decodeIfPresent([Damage].self, forKey: .damaged) ?? [] {
      guard winners.indices.contains(damage.picture) else {
        throw DecodingError.dataCorruptedError(
          forKey: .damaged, in: container, debugDescription: "names picture \(damage.picture) of \(winners.count)")
      }
      winners[damage.picture].proof.segment.concealed = damage.concealed
    }
    for chunk in try container.decodeIfPresent([MeasuredPicture].self, forKey: .measured) ?? [] {
      guard winners.indices.contains(chunk.picture) else {
        throw DecodingError.dataCorruptedError(
          forKey: .measured, in: container, debugDescription: "names picture \(chunk.picture) of \(winners.count)")
      }
      winners[chunk.picture].proof.quality = chunk.quality
    }
    self.winners = winners
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func encode<Value: Encodable>(_ key: CodingKeys, _ value: (Winner<PictureProof>) -> Value) throws {
      try container.encode(winners.map(value), forKey: key)
    }
    try encode(.tasks, \.key.task)
    try encode(.attempts, \.key.attempt)
    try encode(.firstFrames, \.proof.frames.first)
    try encode(.frameCounts, \.proof.frames.count)
    try encode(.files, \.proof.segment.file.path)
    try encode(.byteCounts, \.proof.segment.file.byteCount)
    try encode(.byteDigests, \.proof.segment.file.byteDigest)
    try encode(.parameterSetDigests, \.proof.segment.parameterSetDigest)
    try encode(.contentDigests, \.proof.segment.contentDigest)
    if winners.contains(where: { $0.proof.key != nil }) { try encode(.keys, \.proof.key) }
    if winners.contains(where: { !$0.proof.renditions.isEmpty }) { try encode(.renditions, \.proof.renditions) }
    let damaged = winners.enumerated().compactMap { place, winner in
      winner.proof.segment.concealed.isEmpty ? nil : Damage(picture: place, concealed: winner.proof.segment.concealed)
    }
    if !damaged.isEmpty { try container.encode(damaged, forKey: .damaged) }
    let measured = winners.enumerated().compactMap { place, winner in
      winner.proof.quality.map { MeasuredPicture(picture: place, quality: $0) }
    }
    if !measured.isEmpty { try container.encode(measured, forKey: .measured) }
  }
}
