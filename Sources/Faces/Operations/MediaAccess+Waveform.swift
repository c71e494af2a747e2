internal import EditFiles
internal import Examination
internal import Formats
internal import FoundationEssentials
internal import Linux
internal import Media
internal import Scenes
internal import Timeline

/// The waveform of a medium that somebody wants as a picture or as numbers.
package struct WaveformRequest: Hashable, Sendable, Codable {
  /// A path or a URL.
  package var medium: String
  /// The file. Its name ends with .png, .svg, .json or .dat.
  package var output: String
  /// The size of the picture, in pixels.
  package var width = 1280
  package var height = 240
  /// The number of bars, or of points of an outline.
  package var bars = 200
  package var style = "bars"
  /// The level in dB that has no height; nil where heights are proportional to samples.
  package var floor: Double?
  /// Colours as documents write them.
  package var color = "#ffffff"
  package var background = "#000000"
  /// The number of samples for which each pair of numbers stands.
  package var samplesPerPixel = 256
  /// The bits of each number, 8 or 16.
  package var bits = 16
  package var overwrites = false

  package init(medium: String, output: String) { (self.medium, self.output) = (medium, output) }
}

/// A waveform that was written.
package struct WrittenWaveform: Hashable, Sendable, Codable {
  /// The absolute path of the file.
  package var output: String
  /// The form of the file: "png", "svg", "json" or "dat".
  package var form: String
  /// The number of bars, or of pairs of numbers.
  package var length: Int
}

extension MediaAccess {
  /// Writes the waveform of a medium's first track of sound.
  package func waveform(_ request: WaveformRequest) throws(Complaint) -> WrittenWaveform {
    try complaining {
      try request.requireSense()
      let destination = try Destination(request.output, overwrites: request.overwrites)
      try destination.requireNone(of: [request.medium])
      let name = FilePath.name(of: destination.path)
      let form = name.lastIndex(of: ".").map { String(name[$0...].dropFirst()).lowercased() } ?? ""
      guard ["png", "svg", "json", "dat"].contains(form) else {
        throw Complaint(request.output, "a waveform's name ends with .png, .svg, .json or .dat", .usage)
      }
      let setting = try setting(nil)
      let (length, bytes): (Int, [UInt8])
      switch form {
      case "json", "dat":
        let peaks = try peaks(request, setting)
        (length, bytes) = (peaks.pixelCount, form == "json" ? peaks.json(bits: request.bits) : peaks.data(bits: request.bits))
      default:
        let drawn = try drawn(request, setting)
        length = request.bars
        bytes = try form == "svg" ? drawn.svg(request) : PNGImage(drawn.picture()).bytes
      }
      do { try Data(bytes).write(to: URL(filePath: destination.path), options: .atomic) } catch {
        throw Complaint(destination.path, "\(error)", .cannotCreate)
      }
      return WrittenWaveform(output: destination.path, form: form, length: length)
    }
  }

  private func peaks(_ request: WaveformRequest, _ setting: ExaminationSetting) throws -> SoundPeaks {
    do {
      return try SoundPeaks(of: request.medium, samplesPerPixel: request.samplesPerPixel, setting)
    } catch let broken as EditExamination.Broken { throw Complaint(request.medium, broken.reason, .badDocument) }
  }

  /// The waveform as an edit that shows it alone.
  private func drawn(_ request: WaveformRequest, _ setting: ExaminationSetting) throws -> DrawnWaveform {
    guard try !AssetExamination.facts(of: request.medium, setting).playableTracks(.audio).isEmpty else {
      throw Complaint(request.medium, "has no sound that can be decoded", .badDocument)
    }
    // Anything that is not a URL is a path.
    let isURL = (try? MediaURL(request.medium)) != nil
    let place = isURL ? ["url": request.medium] : ["path": DocumentFile.absolute(request.medium, in: ".")]
    let text = try WaveformDocument(request, place).text
    let file = try EditFile(DocumentFile(Array(text.utf8), path: request.medium), setting)
    let edit = try file.measured(setting)
    return DrawnWaveform(edit: edit, examination: EditExamination(of: edit, fonts: file.fonts, setting))
  }
}

extension WaveformRequest {
  fileprivate func requireSense() throws(Complaint) {
    func require(_ sense: Bool, _ place: String, _ reason: String) throws(Complaint) {
      guard sense else { throw Complaint(place, reason, .usage) }
    }
    let styles = WaveformContent.Style.allCases.map(\.rawValue)
    try require(styles.contains(style), "style", "'\(style)' is not one of \(styles.joined(separator: ", "))")
    try require([8, 16].contains(bits), "bits", "\(bits) is neither 8 nor 16")
    try require(samplesPerPixel > 0, "samplesPerPixel", "\(samplesPerPixel) is not above 0")
    for (place, side) in [("width", width), ("height", height)] {
      try require(
        DocumentLimits.renderSide.contains(side) && side.isMultiple(of: 2), place,
        "\(side) is not an even number in \(DocumentLimits.renderSide)")
    }
    for (place, text) in [("color", color), ("background", background)] {
      let isColor = text.count == 7 && text.first == "#" && text.dropFirst().allSatisfy(\.isHexDigit)
      try require(isColor, place, "'\(text)' is not a colour like #ffc040")
    }
  }
}

/// A document that shows a medium's waveform alone.
private struct WaveformDocument: Encodable {
  struct Segment: Encodable { var asset = "medium" }
  struct Track: Encodable {
    var id = "sound"
    var media = "audio"
    var segments = [Segment()]
  }
  struct Composition: Encodable { var tracks = [Track()] }
  struct Instruction: Encodable { var background: String }
  struct Picture: Encodable {
    var renderSize: [Int]
    var frameDuration = "1"
    var color = "bt709"
    var instructions: [Instruction]
  }
  struct Waveform: Encodable {
    var bars: Int
    var style: String
    var color: String
    var floor: Double?
  }
  struct Layer: Encodable { var waveform: Waveform }

  var spool = 1
  var assets: [String: [String: String]]
  var composition = Composition()
  var videoComposition: Picture
  var layers: [Layer]

  init(_ request: WaveformRequest, _ place: [String: String]) {
    assets = ["medium": place]
    videoComposition = Picture(
      renderSize: [request.width, request.height], instructions: [Instruction(background: request.background)])
    layers = [
      Layer(
        waveform: Waveform(bars: request.bars, style: request.style, color: request.color, floor: request.floor))
    ]
  }

  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

private struct DrawnWaveform {
  let edit: ResolvedTimeline
  let examination: EditExamination

  func picture() throws -> PixelBuffer {
    do { return try examination.picture(0) } catch let broken as EditExamination.Broken {
      throw try broken.complaint(edit, at: 0)
    }
  }

  func svg(_ request: WaveformRequest) -> [UInt8] {
    guard let waveform = edit.timeline.layers.flatMap(\.waveforms).first else { preconditionFailure("the edit shows a waveform") }
    let path = waveform.outline(in: Point(Double(request.width), Double(request.height)))?.svg ?? ""
    let paint =
      waveform.style == .line
      ? "fill=\"none\" stroke=\"\(request.color)\" stroke-width=\"\(waveform.lineWidth)\" stroke-linejoin=\"round\""
      : "fill=\"\(request.color)\""
    let size = "width=\"\(request.width)\" height=\"\(request.height)\""
    return Array(
      """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="0 0 \(request.width) \(request.height)">
      <rect \(size) fill="\(request.background)"/>
      <path d="\(path)" \(paint)/>
      </svg>

      """.utf8)
  }
}

extension SoundPeaks {
  /// The numbers with so many bits: 8 keep the upper half, rounded towards zero as audiowaveform does.
  private func numbers(bits: Int) -> [Int] { values.map { bits == 8 ? Int($0) / 256 : Int($0) } }

  /// The peaks in audiowaveform's JSON, version 2.
  func json(bits: Int) -> [UInt8] {
    let data = numbers(bits: bits).lazy.map { String($0) }.joined(separator: ",")
    let head =
      "{\"version\":2,\"channels\":1,\"sample_rate\":\(sampleRate),\"samples_per_pixel\":\(samplesPerPixel),\"bits\":\(bits)"
    return Array("\(head),\"length\":\(pixelCount),\"data\":[\(data)]}\n".utf8)
  }

  /// The peaks in audiowaveform's binary form, version 2, little-endian.
  func data(bits: Int) -> [UInt8] {
    let words = [2, bits == 8 ? 1 : 0, Int(sampleRate), samplesPerPixel, pixelCount, 1]
    let head = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    return head + numbers(bits: bits).flatMap { value in (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  }
}
