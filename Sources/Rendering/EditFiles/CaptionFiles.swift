internal import Captions
internal import CharacterSets
internal import Document
internal import Media
internal import Scenes
internal import Timeline

/// The caption files of a document, read. Their cues travel with the edit.
struct CaptionFiles {
  private(set) var cues: [String: [CaptionCue]] = [:]
  private(set) var scripts: [String: CaptionScript] = [:]
  private(set) var faults: [SideFileFault] = []
  private(set) var warnings: [DocumentWarning] = []

  /// - Parameters:
  ///   - policy: says which files may be read.
  ///   - detect: finds the encoding of bytes that do not say it.
  /// - Throws: what `detect` throws.
  init(
    _ document: DocumentFile, _ policy: SourcePolicy, detecting detect: ([UInt8]) throws -> EncodingFinding = { .init(of: $0) }
  ) throws {
    for file in document.document.captionFiles {
      let place = "\(file.place).file"
      do {
        if file.isDrawnAsScript {
          // The edit tells the script's remarks, as it does for a script that is written in the document.
          scripts[file.place] = try script(file, at: place, policy, detect)
        } else {
          let read = try read(file, at: place, policy, detect)
          cues[file.place] = read.cues
          warn(read.remarks, read.omittedRemarks, at: place)
        }
      } catch let fault as SideFileFault { faults.append(fault) }
    }
  }

  private mutating func warn(_ remarks: [CaptionRemark], _ omitted: Int, at place: String) {
    warn(remarks.map(\.description) + (omitted > 0 ? ["and \(omitted) more remarks"] : []), at: place)
  }

  private mutating func warn(_ messages: [String], at place: String) {
    for words in messages {
      warnings.append(DocumentWarning(path: place, message: words, kind: .captions))
    }
  }

  private mutating func script(
    _ file: CaptionFileName, at place: String, _ policy: SourcePolicy, _ detect: ([UInt8]) throws -> EncodingFinding
  ) throws -> CaptionScript {
    let text = try text(of: file, at: place, policy, detect)
    do throws(CaptionFault) { return try CaptionScript(text) } catch { throw Self.fault(file, place, error.description) }
  }

  private static func fault(
    _ file: CaptionFileName, _ place: String, _ reason: String, isMissing: Bool = false
  ) -> SideFileFault {
    SideFileFault(place: place, reason: "'\(file.path)': \(reason)", isMissing: isMissing)
  }

  private mutating func read(
    _ file: CaptionFileName, at place: String, _ policy: SourcePolicy, _ detect: ([UInt8]) throws -> EncodingFinding
  ) throws -> CaptionFile {
    guard let format = CaptionFormat(fileName: file.path) else {
      throw Self.fault(file, place, "the name of a caption file ends with \(CaptionFormat.extensions)")
    }
    let text = try text(of: file, at: place, policy, detect)
    do throws(CaptionFault) { return try CaptionFile(text, format) } catch { throw Self.fault(file, place, error.description) }
  }

  private mutating func text(
    of file: CaptionFileName, at place: String, _ policy: SourcePolicy, _ detect: ([UInt8]) throws -> EncodingFinding
  ) throws -> String {
    let bytes: [UInt8]
    do throws(MediaError) { bytes = try SideFile.bytes(at: file.path, atMost: CaptionLimits.byteCount, policy) } catch {
      throw Self.fault(file, place, error.words, isMissing: true)
    }
    guard bytes.count <= CaptionLimits.byteCount else {
      throw Self.fault(file, place, "is larger than \(CaptionLimits.byteCount >> 20) MiB, the most of a caption file")
    }
    if let encoding = file.encoding {
      guard let read = CharacterSet(encoding).text(of: bytes) else { throw Self.fault(file, place, "is not in \(encoding)") }
      return read
    }
    let plain = CaptionText.decoded(bytes)
    if plain == nil, let read = try declaredText(bytes, file, place) { return read }
    var finding: EncodingFinding?
    if plain?.utf8.contains(0) ?? true, let name = EncodingFinding.utf16(bytes) {
      finding = EncodingFinding(name, isCertain: true)
    } else if plain == nil || EncodingFinding.hasEscapes(bytes) {
      finding = try detect(bytes)
    }
    guard let finding, finding.isCertain, let name = finding.name, let read = CharacterSet(name).text(of: bytes) else {
      guard let plain else { throw Self.fault(file, place, Self.uncertain(finding)) }
      return plain
    }
    let advice = "write \"encoding\": \"\(name)\" if that is right, or the right one"
    warn(["'\(file.path)' does not say its encoding, and was read as \(name): \(advice)"], at: place)
    return read
  }

  /// The text of a file that says its encoding itself, as XML does; nil of another.
  private func declaredText(_ bytes: [UInt8], _ file: CaptionFileName, _ place: String) throws -> String? {
    guard let label = CaptionEncoding.declared(inXML: bytes) else { return nil }
    guard let name = CaptionEncoding.name(of: label) else {
      let shown = label.prefix(40)
      throw Self.fault(file, place, "says that it is in '\(shown)', which is not known: declare its encoding by one of the names")
    }
    guard let read = CharacterSet(name).text(of: bytes) else {
      throw Self.fault(
        file, place, "says that it is in \(name), and is not: declare its encoding, such as \"encoding\": \"windows-1252\"")
    }
    return read
  }

  /// The reason for which a file is refused whose encoding cannot be told.
  private static func uncertain(_ finding: EncodingFinding?) -> String {
    guard let name = finding?.name, CaptionEncoding.names.contains(name) else {
      return "is not in UTF-8: declare its encoding, such as \"encoding\": \"windows-1252\""
    }
    return "is not in UTF-8, and may be in \(name), which is not certain: declare its encoding, such as \"encoding\": \"\(name)\""
  }
}
