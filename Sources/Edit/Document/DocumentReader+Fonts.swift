internal import Formats
internal import JSON
internal import Timeline

/// The kinds of assets, as a document says them.
enum AssetKind: String, CaseIterable { case media, font }

extension DocumentReader {
  /// The face that is meant by an asset that is a font.
  func font(_ object: DocumentObject) -> FontChoice {
    for key in ["damage", "interlace"] { object[key]?.note("a font has none: only media have it") }
    guard let node = object["face"] else { return .only }
    if case .number = node.value { return node.integer(in: 0...FontFacts.mostFaces - 1).map(FontChoice.number) ?? .only }
    guard case .string = node.value else { return node.refuse("a face's number or its name") ?? .only }
    return node.string(atMost: FontFacts.longestName).map(FontChoice.name) ?? .only
  }
}
