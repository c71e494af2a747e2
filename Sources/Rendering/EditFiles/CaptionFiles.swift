internal import Captions
internal import Document
internal import Glibc
internal import Media
internal import Scenes
internal import Timeline

/// The caption files of a document, read. Their cues travel with the edit.
struct CaptionFiles {
  private(set) var cues: [String: [CaptionCue]] = [:]
  private(set) var scripts: [String: CaptionScript] = [:]
  private(set) var faults: [SideFileFault] = []
  private(set) var warnings: [DocumentWarning] = []

  /// - Parameter policy: says which files may be read.
  init(_ document: DocumentFile, _ policy: SourcePolicy) {
    for file in document.document.captionFiles {
      let place = "\(file.place).file"
      do throws(SideFileFault) {
        if file.isDrawnAsScript {
          // The edit tells the script's remarks, as it does for a script that is written in the document.
          scripts[file.place] = try Self.script(file, at: place, policy)
        } else {
          let read = try Self.read(file, at: place, policy)
          cues[file.place] = read.cues
          warn(read.remarks, read.omittedRemarks, at: place)
        }
      } catch { faults.append(error) }
    }
  }

  private mutating func warn(_ remarks: [CaptionRemark], _ omitted: Int, at place: String) {
    for words in remarks.map(\.description) + (omitted > 0 ? ["and \(omitted) more remarks"] : []) {
      warnings.append(DocumentWarning(path: place, message: words, kind: .captions))
    }
  }

  private static func script(
    _ file: CaptionFileName, at place: String, _ policy: SourcePolicy
  ) throws(SideFileFault) -> CaptionScript {
    let text = try text(of: file, at: place, policy)
    do throws(CaptionFault) { return try CaptionScript(text) } catch { throw fault(file, place, error.description) }
  }

  private static func fault(
    _ file: CaptionFileName, _ place: String, _ reason: String, isMissing: Bool = false
  ) -> SideFileFault {
    SideFileFault(place: place, reason: "'\(file.path)': \(reason)", isMissing: isMissing)
  }

  private static func read(
    _ file: CaptionFileName, at place: String, _ policy: SourcePolicy
  ) throws(SideFileFault) -> CaptionFile {
    guard let format = CaptionFormat(fileName: file.path) else {
      throw fault(file, place, "the name of a caption file ends with \(CaptionFormat.extensions)")
    }
    let text = try text(of: file, at: place, policy)
    do throws(CaptionFault) { return try CaptionFile(text, format) } catch { throw fault(file, place, error.description) }
  }

  private static func text(of file: CaptionFileName, at place: String, _ policy: SourcePolicy) throws(SideFileFault) -> String {
    let bytes: [UInt8]
    do throws(MediaError) { bytes = try SideFile.bytes(at: file.path, atMost: CaptionLimits.byteCount, policy) } catch {
      throw fault(file, place, error.words, isMissing: true)
    }
    guard bytes.count <= CaptionLimits.byteCount else {
      throw fault(file, place, "is larger than \(CaptionLimits.byteCount >> 20) MiB, the most of a caption file")
    }
    if let encoding = file.encoding {
      guard let read = CharacterSet(encoding).text(of: bytes) else { throw fault(file, place, "is not in \(encoding)") }
      return read
    }
    guard let read = CaptionText.decoded(bytes) else {
      throw fault(file, place, "is not in UTF-8: declare its encoding, such as \"encoding\": \"windows-1252\"")
    }
    return read
  }
}

/// A character set that is converted by iconv(3).
private struct CharacterSet {
  let name: String

  init(_ encoding: String) {
    // Files that are called Shift_JIS have Windows's characters, and so have those in EUC-KR.
    name = encoding == "shift_jis" ? "CP932" : encoding == "euc-kr" ? "CP949" : encoding
  }

  /// The text of the bytes, without a byte order mark; nil when they are not in this character set.
  func text(of bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty else { return "" }
    let converter = unsafe iconv_open("UTF-8", name)
    guard unsafe converter != iconv_t(bitPattern: -1) else { return nil }
    defer { unsafe iconv_close(converter) }
    var input = bytes.map { CChar(bitPattern: $0) }
    // No character takes more than four bytes, and none comes from less than one.
    var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
    let (inputCount, outputCount) = (input.count, output.count)
    let rest: Int? = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var (from, to) = (input.baseAddress, output.baseAddress)
        var (left, free) = (inputCount, outputCount)
        guard unsafe iconv(converter, &from, &left, &to, &free) != -1, left == 0,
          unsafe iconv(converter, nil, nil, &to, &free) != -1
        else { return nil }
        return free
      }
    }
    guard let rest else { return nil }
    let text = String(decoding: output[..<(outputCount - rest)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.hasPrefix("\u{feff}") ? String(text.dropFirst()) : text
  }
}
