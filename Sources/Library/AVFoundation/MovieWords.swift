/// The words that a file says of itself, in the forms of QuickTime, iTunes and ID3.
struct MovieWords {
  private(set) var list: [(format: AVMetadataFormat, item: AVMetadataItem)] = []

  /// Reads a movie's words, or those of an MP3 file.
  ///
  /// - Parameters:
  ///   - url: the file's URL, which errors name.
  ///   - place: the URL by which it is read.
  /// - Throws: an error for what is not read: media behind URLs, and files of other kinds.
  init(of url: URL, at place: URL) throws(AVError) {
    guard url.isFileURL else { throw AVAsset.untold("metadata", "of media behind URLs are not read", url) }
    do {
      let file = try FileHandle(forReadingFrom: place)
      defer { try? file.close() }  // Only read from.
      if let movie = try MovieAtoms.movie(of: file) {
        read(movie: movie)
        return
      }
      try file.seek(toOffset: 0)
      if let head = try file.read(upToCount: 10), let size = ID3Frames.size(head) {
        let frames = try ID3Frames(head, file.read(upToCount: size) ?? Data())
        list = frames.items.map { (.id3Metadata, $0) }
        return
      }
    } catch let error as AVError { throw error } catch {
      throw AVError(.failedToLoadMediaData, "\(url.path): \(error)", url: url)
    }
    throw AVAsset.untold("metadata", "of such a file are not read: it is no movie and no MP3", url)
  }

  private mutating func read(movie: Data) {
    if let meta = MovieAtoms.body("meta", in: movie) { read(meta: meta) }
    guard let own = MovieAtoms.body("udta", in: movie) else { return }
    for (type, body) in MovieAtoms(own) {
      if type == "meta".fourCharCode {
        read(meta: body)
      } else if type >> 24 == 0xA9, let text = Self.userText(body) {
        let item = AVMetadataItem.read(
          .quickTimeUserData, "udta/\(type.identifierWord)", NSNumber(value: type), text, "com.apple.metadata.datatype.UTF-8")
        list.append((.quickTimeUserData, item))
      }
    }
  }

  /// The text of QuickTime's user data: two bytes of its length, two of its language, and the text.
  private static func userText(_ body: Data) -> String? {
    guard let length = body.number(at: 0, bytes: 2), let language = body.number(at: 2, bytes: 2),
      Int(length) <= body.count - 4
    else { return nil }
    let bytes = body.after(4).prefix(Int(length))
    // Languages below 0x400 are those of the Macintosh, whose texts have its own characters.
    return String(data: bytes, encoding: .utf8) ?? (language < 0x400 ? String(data: bytes, encoding: .macOSRoman) : nil)
  }

  private mutating func read(meta: Data) {
    // An MPEG-4 file has a version before the atoms, and a QuickTime file has none.
    let inside = meta.number(at: 4, bytes: 4) == UInt64("hdlr".fourCharCode) ? meta : meta.after(4)
    guard let handler = MovieAtoms.body("hdlr", in: inside)?.number(at: 8, bytes: 4),
      let list = MovieAtoms.body("ilst", in: inside)
    else { return }
    let keys = handler == UInt64("mdta".fourCharCode) ? Self.keys(inside) : nil
    for (type, body) in MovieAtoms(list) {
      guard let value = MovieAtoms.body("data", in: body).flatMap(Self.value) else { continue }
      if let keys {
        guard type >= 1, type <= keys.count else { continue }
        let key = keys[Int(type) - 1]
        let item = AVMetadataItem.read(.quickTimeMetadata, "mdta/\(key)", key as NSString, value.0, value.1)
        self.list.append((.quickTimeMetadata, item))
      } else if type == "----".fourCharCode {
        let parts = ["mean", "name"].map { name in
          String(decoding: MovieAtoms.body(name, in: body)?.after(4) ?? Data(), as: UTF8.self)
        }
        let key = parts.joined(separator: ".")
        let space = AVMetadataKeySpace(rawValue: "itlk")
        self.list.append((.iTunesMetadata, AVMetadataItem.read(space, "itlk/\(key)", key as NSString, value.0, value.1)))
      } else {
        let item = AVMetadataItem.read(.iTunes, "itsk/\(type.identifierWord)", NSNumber(value: type), value.0, value.1)
        self.list.append((.iTunesMetadata, item))
      }
    }
  }

  /// The names of QuickTime's keys, in their order.
  private static func keys(_ meta: Data) -> [String] {
    guard let table = MovieAtoms.body("keys", in: meta) else { return [] }
    // Each entry has the form of an atom, whose type is the key's space.
    return MovieAtoms(table.after(8)).map { String(decoding: $0.body, as: UTF8.self) }
  }

  /// The value of a `data` atom, and the name of its type.
  private static func value(_ data: Data) -> (Any, String)? {
    guard let type = data.number(at: 0, bytes: 4) else { return nil }
    let bytes = Data(data.after(8))
    func number(_ isSigned: Bool) -> NSNumber? {
      guard [1, 2, 3, 4, 8].contains(bytes.count), let bits = bytes.number(at: 0, bytes: bytes.count) else { return nil }
      let shift = UInt64(64 - 8 * bytes.count)
      return isSigned ? NSNumber(value: Int64(bitPattern: bits << shift) >> Int64(shift)) : NSNumber(value: bits)
    }
    let space = "com.apple.metadata.datatype"
    switch type {
    case 1: return String(data: bytes, encoding: .utf8).map { ($0, "\(space).UTF-8") }
    case 2: return String(data: bytes, encoding: .utf16BigEndian).map { ($0, "\(space).UTF-16") }
    case 13: return (bytes, "\(space).JPEG")
    case 14: return (bytes, "\(space).PNG")
    case 21: return number(true).map { ($0, "\(space).int\(8 * bytes.count)") }
    case 22: return number(false).map { ($0, "\(space).uint\(8 * bytes.count)") }
    case 23:
      return bytes.number(at: 0, bytes: 4).map { (NSNumber(value: Float(bitPattern: UInt32($0))), "\(space).float32") }
    case 24: return bytes.number(at: 0, bytes: 8).map { (NSNumber(value: Double(bitPattern: $0)), "\(space).float64") }
    default: return (bytes, "\(space).raw-data")
    }
  }
}
