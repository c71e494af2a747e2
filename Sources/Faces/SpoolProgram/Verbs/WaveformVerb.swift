import Arguments
import Formats
import Operations
import Terminal

struct WaveformVerb: Verb {
  static let page = Page(
    "waveform", "write the waveform of a medium, as a picture or as numbers",
    description: [
      """
      The name of the file says in which form: .png and .svg are pictures, drawn as layers of kind "waveform" are; .json and .dat are \
      peaks as audiowaveform writes them (version 2), which web players such as peaks.js read: the smallest and the largest sample \
      of each pixel, of the mean of all channels.
      """,
      "The sound is that of the medium's first track of sound, from its beginning to its end.",
    ],
    examples: [
      .init("spool waveform song.m4a -o song.png --floor -48", "A picture of 200 bars whose heights are decibels."),
      .init("spool waveform song.m4a -o song.json --samples-per-pixel 512 --bits 8", "Peaks for a player on a web page."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the medium is damaged, or has no sound that can be decoded"),
      .init(ExitCode.noInput, "the medium is missing, cannot be read or lies outside the media roots"),
      .init(ExitCode.cannotCreate, "the file cannot be written, or exists already"),
    ])

  @Positional("MEDIUM", .file, "The media file, or a URL.") var medium: String
  @Option("output", short: "o", .file, "The file: its name ends with .png, .svg, .json or .dat.") var output: String
  @Option("width", .integer(16...8192), default: 1280, shown: "1280", "The picture's width, an even number.") var width: Int
  @Option("height", .integer(16...8192), default: 240, shown: "240", "The picture's height, an even number.") var height: Int
  @Option("bars", .integer(2...2000), default: 200, shown: "200", "The number of bars, or of points of an outline.") var bars: Int
  @Option("style", .text("STYLE"), default: "bars", shown: "bars", "bars, area or line.") var style: String
  @Option("floor", .integer(-120 ... -1, "DB"), "Heights in decibels; DB has none. Without it they are proportional to samples.")
  var floor: Int?
  @Option("color", .text("COLOR"), default: "#ffffff", shown: "#ffffff", "The colour, as #rrggbb.") var color: String
  @Option("background", .text("COLOR"), default: "#000000", shown: "#000000", "The colour behind it, as #rrggbb.")
  var background: String
  @Option("samples-per-pixel", .integer(1...1 << 24), default: 256, shown: "256", "The samples for each pair of peaks.")
  var samplesPerPixel: Int
  @Option("bits", .integer(8...16), default: 16, shown: "16", "The bits of each peak, 8 or 16.") var bits: Int
  @Flag("overwrite", "Replace the file if it exists.") var overwrite: Bool
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try write() }
  }

  private func write() throws {
    var request = WaveformRequest(medium: medium, output: output)
    (request.width, request.height, request.bars, request.style) = (width, height, bars, style)
    (request.color, request.background, request.floor) = (color, background, floor.map(Double.init))
    (request.samplesPerPixel, request.bits, request.overwrites) = (samplesPerPixel, bits, overwrite)
    let names = ["style", "bits", "width", "height", "color", "background"]
    let arguments = Dictionary(uniqueKeysWithValues: names.map { ($0, "--\($0)") })
    let written = try Complaint.naming(arguments) { [request] () throws(Complaint) in
      try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).waveform(request)
    }
    if json { try StandardStream.output.json(written) }
  }
}
