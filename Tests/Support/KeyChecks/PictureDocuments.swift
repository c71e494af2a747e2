internal import EditFiles
internal import EditTesting
internal import FarmTesting
internal import Formats
internal import FoundationEssentials
internal import Media
internal import SyntheticFonts
internal import Timeline

/// The documents whose frames are drawn: the examples at an eighth of their size, with small media that really lie there, twice: files
/// of the same names whose content differs, or is the same.
struct PictureDocuments: Sendable {
  /// The two folders of media.
  static let folders = ["one", "two"]

  let trees: [JSON]
  let pool: MutationPool
  let policy: SourcePolicy
  let folder: String
  /// The facts of all media, by their paths.
  private let facts: [String: AssetFacts]

  init(in folder: String) throws {
    self.folder = folder
    policy = SourcePolicy(roots: [folder])
    var facts: [String: AssetFacts] = [:]
    for name in Self.folders {
      try Self.write("\(folder)/\(name)", isSecond: name == "two")
      for file in Self.media {
        let path = "\(folder)/\(name)/\(file)"
        let asset = ProbedAssets.Asset(id: AssetID("a"), path: path, isFont: file.hasSuffix(".ttf"))
        let probed = ProbedAssets([asset], policy: policy)
        if let fault = probed.faults.first { throw fault.error }
        facts[path] = probed.facts[asset.id]
      }
    }
    self.facts = facts
    let all = try Examples.documents().filter { $0.text.count < 10_000 }
      .map { Self.small(try JSON(parsing: String(decoding: $0.text, as: UTF8.self))) }
    pool = MutationPool(all)
    trees = all
  }

  /// The edit of a document whose media are those of a folder.
  ///
  /// - Throws: what a user would be told of it.
  func file(_ tree: JSON, in version: Int) throws -> EditFile {
    let document = try DocumentFile(tree.bytes, path: "\(folder)/\(Self.folders[version])/edit.json")
    var known: [AssetID: AssetFacts] = [:]
    for asset in document.assets {
      guard let facts = facts[asset.path] else { throw MediaError(.unreadable, at: asset.path, "is no medium of the check") }
      known[asset.id] = facts
    }
    return try EditFile(document, ProbedAssets(facts: known, faults: []), policy)
  }

  // MARK: - Media

  private static let media = ["a.mp4", "b.mp4", "still.png", "logo.png", "sound.wav", "font.ttf"]

  private static func write(_ folder: String, isSecond: Bool) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The second file has other pictures and another tone.
    let sound = ["-f", "lavfi", "-i", "sine=\(isSecond ? 550 : 440):r=16000:d=20"]
    let clip = ["-c:v", "libx264", "-qp", "0", "-g", "10", "-bf", "2", "-c:a", "pcm_s16le", "-f", "mov"]
    try SyntheticSource(width: 96, height: 64, frameCount: 500)
      .write(to: "\(folder)/a.mp4", (isSecond ? ["-vf", "negate"] : []) + clip, inputs: sound)
    // The second clip, the logo and the sound of the first folder are those of the second one, byte for byte.
    try SyntheticSource(width: 64, height: 64, frameRate: "30000/1001", frameCount: 600)
      .write(to: "\(folder)/b.mp4", clip + ["-fflags", "+bitexact"], inputs: ["-f", "lavfi", "-i", "sine=330:r=44100:d=20"])
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "\(isSecond ? "testsrc2" : "testsrc")=s=60x40", "-frames:v", "1", "\(folder)/still.png",
    ])
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "rgbtestsrc=s=12x12", "-frames:v", "1", "\(folder)/logo.png"])
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=220:r=48000:d=20", "-c:a", "pcm_s16le", "\(folder)/sound.wav"])
    try SyntheticFont("Boxes", letters: " abcdefghijklmnopqrstuvwxyz0123456789", height: isSecond ? 400 : 700).bytes
      .write(toFile: "\(folder)/font.ttf")
    // Their facts are the same then, which have the size of the file. Only the content tells them apart.
    for name in ["a.mp4", "still.png"] { try pad("\(folder)/\(name)") }
    for name in ["captions.srt", "captions.lrc", "reel.lrc", "karaoke.ass", "lottie/lower-third.json", "lottie/sticker.json"] {
      let path = "\(folder)/\(name)"
      try FileManager.default.createDirectory(
        atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
      try [UInt8](contentsOf: Examples.file(name)).write(toFile: path)
    }
  }

  /// Appends what no reader looks at, up to the size that all padded files have.
  private static func pad(_ path: String) throws {
    let size = path.hasSuffix(".png") ? 16 << 10 : 4 << 20
    var bytes = try [UInt8](contentsOf: path)
    precondition(bytes.count + 8 < size, "\(path) is larger than it was thought")
    // A box of an MP4 file that is free; it is behind the end of a PNG.
    let free = UInt32(size - bytes.count)
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: free >> (24 - 8 * $0)) } + Array("free".utf8)
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
    try bytes.write(toFile: path)
  }

  // MARK: - Small documents

  /// The members whose numbers are lengths in pixels.
  private static let lengths: Set<String> = [
    "renderSize", "frame", "position", "size", "crop", "cornerRadius", "radius", "width", "offset", "borderWidth", "lineHeight",
    "padding",
    "letterSpacing", "minSize", "tabs", "baselineOffset", "indent", "paragraphSpacing", "points", "bounds",
  ]

  /// A document at an eighth of its size, with the media of the check.
  private static func small(_ tree: JSON) -> JSON {
    guard case .object(var members) = scaled(tree, isLength: false) else { return tree }
    if case .object(let assets)? = members["assets"] {
      let names = assets.keys.sorted()
      members["assets"] = .object(
        Dictionary(
          uniqueKeysWithValues: names.enumerated().map { index, name in
            (name, asset(assets[name] ?? .null, isOdd: index % 2 == 1))
          }))
    }
    return .object(members)
  }

  private static func asset(_ value: JSON, isOdd: Bool) -> JSON {
    guard case .object(var members) = value, case .string(let path)? = members["path"] else { return value }
    let ending = path.split(separator: ".").last.map(String.init) ?? ""
    let file =
      switch ending {
      case "png", "jpg", "svg", "webp", "gif": isOdd ? "logo.png" : "still.png"
      case "m4a", "mp3", "wav": "sound.wav"
      case "ttf", "otf": "font.ttf"
      default: isOdd ? "b.mp4" : "a.mp4"
      }
    members["path"] = .string(file)
    return .object(members)
  }

  private static func scaled(_ value: JSON, isLength: Bool) -> JSON {
    switch value {
    case .number(let number): return .number(isLength ? number / 8 : number)
    case .array(let elements): return .array(elements.map { scaled($0, isLength: isLength) })
    case .object(let members):
      let isKeyframe = isLength && members["value"] != nil
      return .object(
        Dictionary(
          uniqueKeysWithValues: members.map { key, value in
            guard key != "renderSize", case let name = isKeyframe && key == "value" ? "frame" : key else {
              return (key, even(value))
            }
            return (key, scaled(value, isLength: lengths.contains(name)))
          }))
    default: return value
    }
  }

  /// A render size at an eighth, with even sides.
  private static func even(_ value: JSON) -> JSON {
    guard case .array(let sides) = value else { return value }
    return .array(
      sides.map { side in
        guard case .number(let number) = side else { return side }
        return .number(max(16, (number / 16).rounded() * 2))
      })
  }
}
