@_exported public import Foundation

public struct UTTagClass: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let filenameExtension = UTTagClass(rawValue: "public.filename-extension")
  public static let mimeType = UTTagClass(rawValue: "public.mime-type")
}

/// A kind of file, by its identifier. The kinds are those of this table; others are known by their identifiers alone.
public struct UTType: Hashable, Sendable, Codable, CustomStringConvertible {
  public let identifier: String

  private struct Kind {
    let identifier: String
    let parents: [String]
    var extensions: [String] = []
    var mimeType: String?
  }

  /// Makes a kind of an identifier; nil for one that is not known.
  public init?(_ identifier: String) {
    guard Self.table[identifier] != nil else { return nil }
    self.identifier = identifier
  }

  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) { self.identifier = identifier }
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) { self.identifier = identifier }

  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    let wanted = filenameExtension.lowercased()
    guard let kind = Self.kinds.first(where: { $0.extensions.contains(wanted) }) else { return nil }
    identifier = kind.identifier
  }

  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    guard let kind = Self.kinds.first(where: { $0.mimeType == mimeType.lowercased() }) else { return nil }
    identifier = kind.identifier
  }

  fileprivate init(known identifier: String) { self.identifier = identifier }

  public var preferredFilenameExtension: String? { Self.table[identifier]?.extensions.first }
  public var preferredMIMEType: String? { Self.table[identifier]?.mimeType }
  public var tags: [UTTagClass: [String]] {
    var made: [UTTagClass: [String]] = [:]
    if let extensions = Self.table[identifier]?.extensions, !extensions.isEmpty { made[.filenameExtension] = extensions }
    if let type = preferredMIMEType { made[.mimeType] = [type] }
    return made
  }
  public var localizedDescription: String? { nil }
  public var isDynamic: Bool { false }
  public var isDeclared: Bool { Self.table[identifier] != nil }
  public var isPublic: Bool { identifier.hasPrefix("public.") }
  public var supertypes: Set<UTType> {
    var found: Set<UTType> = []
    var next = Self.table[identifier]?.parents ?? []
    while let parent = next.popLast() {
      if found.insert(UTType(known: parent)).inserted { next += Self.table[parent]?.parents ?? [] }
    }
    return found
  }

  public func conforms(to type: UTType) -> Bool { self == type || isSubtype(of: type) }
  public func isSubtype(of type: UTType) -> Bool { supertypes.contains(type) }
  public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
  public var description: String { identifier }

  private static let kinds: [Kind] = [
    Kind(identifier: "public.item", parents: []), Kind(identifier: "public.content", parents: []),
    Kind(identifier: "public.data", parents: ["public.item"]),
    Kind(identifier: "public.directory", parents: ["public.item"]),
    Kind(identifier: "public.folder", parents: ["public.directory"]),
    Kind(identifier: "public.url", parents: ["public.data"]), Kind(identifier: "public.file-url", parents: ["public.url"]),
    Kind(identifier: "public.audiovisual-content", parents: ["public.data", "public.content"]),
    Kind(identifier: "public.movie", parents: ["public.audiovisual-content"]),
    Kind(identifier: "public.video", parents: ["public.movie"]),
    Kind(identifier: "public.audio", parents: ["public.audiovisual-content"]),
    Kind(
      identifier: "com.apple.quicktime-movie", parents: ["public.movie"], extensions: ["mov", "qt"], mimeType: "video/quicktime"),
    Kind(identifier: "public.mpeg-4", parents: ["public.movie"], extensions: ["mp4", "mpg4"], mimeType: "video/mp4"),
    Kind(identifier: "com.apple.m4v-video", parents: ["public.movie"], extensions: ["m4v"], mimeType: "video/x-m4v"),
    Kind(identifier: "public.avi", parents: ["public.movie"], extensions: ["avi"], mimeType: "video/avi"),
    Kind(identifier: "public.mpeg", parents: ["public.movie"], extensions: ["mpg", "mpeg"], mimeType: "video/mpeg"),
    Kind(identifier: "public.3gpp", parents: ["public.movie"], extensions: ["3gp"], mimeType: "video/3gpp"),
    Kind(identifier: "public.mp3", parents: ["public.audio"], extensions: ["mp3"], mimeType: "audio/mpeg"),
    Kind(identifier: "public.mpeg-4-audio", parents: ["public.audio"], extensions: ["mp4a"], mimeType: "audio/mp4"),
    Kind(identifier: "com.apple.m4a-audio", parents: ["public.audio"], extensions: ["m4a"], mimeType: "audio/x-m4a"),
    Kind(
      identifier: "com.microsoft.waveform-audio", parents: ["public.audio"], extensions: ["wav", "wave"],
      mimeType: "audio/vnd.wave"),
    Kind(identifier: "public.aiff-audio", parents: ["public.audio"], extensions: ["aiff", "aif"], mimeType: "audio/aiff"),
    Kind(identifier: "public.midi-audio", parents: ["public.audio"], extensions: ["mid", "midi"], mimeType: "audio/midi"),
    Kind(identifier: "public.image", parents: ["public.data", "public.content"]),
    Kind(identifier: "public.jpeg", parents: ["public.image"], extensions: ["jpeg", "jpg", "jpe"], mimeType: "image/jpeg"),
    Kind(identifier: "public.png", parents: ["public.image"], extensions: ["png"], mimeType: "image/png"),
    Kind(identifier: "public.tiff", parents: ["public.image"], extensions: ["tiff", "tif"], mimeType: "image/tiff"),
    Kind(identifier: "com.compuserve.gif", parents: ["public.image"], extensions: ["gif"], mimeType: "image/gif"),
    Kind(identifier: "com.microsoft.bmp", parents: ["public.image"], extensions: ["bmp"], mimeType: "image/bmp"),
    Kind(identifier: "public.heic", parents: ["public.heif-standard"], extensions: ["heic"], mimeType: "image/heic"),
    Kind(identifier: "public.heif-standard", parents: ["public.image"], extensions: ["heif"], mimeType: "image/heif"),
    Kind(identifier: "org.webmproject.webp", parents: ["public.image"], extensions: ["webp"], mimeType: "image/webp"),
    Kind(identifier: "public.camera-raw-image", parents: ["public.image"]),
    Kind(identifier: "public.svg-image", parents: ["public.image"], extensions: ["svg"], mimeType: "image/svg+xml"),
    Kind(identifier: "com.apple.live-photo", parents: ["public.item"]),
    Kind(identifier: "public.text", parents: ["public.data", "public.content"]),
    Kind(identifier: "public.plain-text", parents: ["public.text"], extensions: ["txt", "text"], mimeType: "text/plain"),
    Kind(identifier: "public.json", parents: ["public.text"], extensions: ["json"], mimeType: "application/json"),
    Kind(identifier: "public.xml", parents: ["public.text"], extensions: ["xml"], mimeType: "application/xml"),
    Kind(identifier: "public.html", parents: ["public.text"], extensions: ["html", "htm"], mimeType: "text/html"),
    Kind(
      identifier: "com.adobe.pdf", parents: ["public.data", "public.content"], extensions: ["pdf"], mimeType: "application/pdf"),
    Kind(identifier: "public.zip-archive", parents: ["public.data"], extensions: ["zip"], mimeType: "application/zip"),
  ]

  private static let table = Dictionary(uniqueKeysWithValues: kinds.map { ($0.identifier, $0) })

  public static let item = UTType(known: "public.item")
  public static let content = UTType(known: "public.content")
  public static let data = UTType(known: "public.data")
  public static let directory = UTType(known: "public.directory")
  public static let folder = UTType(known: "public.folder")
  public static let url = UTType(known: "public.url")
  public static let fileURL = UTType(known: "public.file-url")
  public static let audiovisualContent = UTType(known: "public.audiovisual-content")
  public static let movie = UTType(known: "public.movie")
  public static let video = UTType(known: "public.video")
  public static let audio = UTType(known: "public.audio")
  public static let quickTimeMovie = UTType(known: "com.apple.quicktime-movie")
  public static let mpeg4Movie = UTType(known: "public.mpeg-4")
  public static let appleProtectedMPEG4Video = UTType(known: "com.apple.m4v-video")
  public static let avi = UTType(known: "public.avi")
  public static let mpeg = UTType(known: "public.mpeg")
  public static let mp3 = UTType(known: "public.mp3")
  public static let mpeg4Audio = UTType(known: "public.mpeg-4-audio")
  public static let wav = UTType(known: "com.microsoft.waveform-audio")
  public static let aiff = UTType(known: "public.aiff-audio")
  public static let midi = UTType(known: "public.midi-audio")
  public static let image = UTType(known: "public.image")
  public static let jpeg = UTType(known: "public.jpeg")
  public static let png = UTType(known: "public.png")
  public static let tiff = UTType(known: "public.tiff")
  public static let gif = UTType(known: "com.compuserve.gif")
  public static let bmp = UTType(known: "com.microsoft.bmp")
  public static let heic = UTType(known: "public.heic")
  public static let heif = UTType(known: "public.heif-standard")
  public static let webP = UTType(known: "org.webmproject.webp")
  public static let rawImage = UTType(known: "public.camera-raw-image")
  public static let svg = UTType(known: "public.svg-image")
  public static let livePhoto = UTType(known: "com.apple.live-photo")
  public static let text = UTType(known: "public.text")
  public static let plainText = UTType(known: "public.plain-text")
  public static let json = UTType(known: "public.json")
  public static let xml = UTType(known: "public.xml")
  public static let html = UTType(known: "public.html")
  public static let pdf = UTType(known: "com.adobe.pdf")
  public static let zip = UTType(known: "public.zip-archive")
}

extension URL {
  public mutating func appendPathExtension(for contentType: UTType) {
    if let ending = contentType.preferredFilenameExtension { appendPathExtension(ending) }
  }
  public func appendingPathExtension(for contentType: UTType) -> URL {
    contentType.preferredFilenameExtension.map { appendingPathExtension($0) } ?? self
  }
  public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
    self = appendingPathComponent(partialName, conformingTo: contentType)
  }
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    appendingPathComponent(partialName).appendingPathExtension(for: contentType)
  }
}
