import Arguments
import Formats
import MediaTime
import Operations
import Terminal

struct ProbeVerb: Verb {
  static let page = Page(
    "probe", "show what a media file holds",
    description: [
      """
      Shows the facts that an edit is checked against: container, duration and, for each track, codec, time range, size as \
      stored and as seen, orientation, frame rate, colour, or sample rate and channels. A track that cannot be decoded is shown \
      with the reason. For interlaced video it says which field comes first. For MPEG-2 and H.264 it says how many of the first \
      pictures repeat a field, as film at 30000/1001 frames a second does.
      """,
      "Times are exact: seconds as a decimal or a fraction.",
    ],
    examples: [
      .init("spool probe clip.mov", "The facts as a table."),
      .init("spool probe --json clip.mov | jq '.tracks[] | select(.media == \"video\").video.displaySize'", "For a script."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "shown"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the file is no media file, damaged, encrypted or of an unsupported kind"),
      .init(ExitCode.noInput, "the file is missing, cannot be read or lies outside the media roots"),
    ])

  @Positional("FILE", .file, "The media file, or a URL.") var file: String
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object instead of a table.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try show() }
  }

  private func show() throws {
    let facts = try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).probe(file)
    guard !json else { return try StandardStream.output.json(facts) }
    let length = facts.isStillPicture ? "none: a still picture" : Self.duration(facts.duration)
    for line in ["container  \(facts.container)", "duration   \(length)", "size       \(facts.byteCount) bytes"] {
      try StandardStream.output.line(line)
    }
    if let timecode = facts.timecode { try StandardStream.output.line("timecode   \(timecode.label)") }
    if let comment = facts.comment { try StandardStream.output.line("comment    \(comment)") }
    try StandardStream.output.line("")
    try StandardStream.output.table(Self.table(of: facts))
  }

  private static func table(of facts: MediaReport) -> TextTable {
    var table = TextTable("TRACK", "MEDIA", "CODEC", "START", "DURATION", "FACTS")
    for track in facts.tracks {
      table.add(
        String(track.index), track.media, track.codec, readable(track.timeRange.start),
        duration(track.timeRange.duration),
        track.rejection.map { "cannot be decoded: \($0)" }
          ?? description(of: track, isStill: facts.isStillPicture)
          + (track.intactEnd.map { ", cut off at \(readable($0))" } ?? "")
          + (track.isDamaged == true ? ", damaged: not all of it can be decoded" : ""))
    }
    return table
  }

  private static func duration(_ time: MediaTime) -> String { time == .zero ? "unknown" : readable(time) }

  /// The exact time. A fraction is followed by its value, rounded to milliseconds.
  private static func readable(_ time: MediaTime) -> String {
    let exact = time.description
    return exact.contains("/") ? "\(exact) (\((time.seconds * 1000).rounded() / 1000))" : exact
  }

  private static func description(of track: TrackReport, isStill: Bool) -> String {
    if let video = track.video { return description(of: video, isStill: isStill) }
    // A file with one channel often does not say which channel it is.
    return track.audio.map { "\($0.sampleRate) Hz, \($0.channelCount == 1 ? "mono" : $0.channelLayout)" } ?? ""
  }

  private static func description(of video: VideoFacts, isStill: Bool) -> String {
    let (stored, seen) = (video.naturalSize, video.displaySize)
    var facts = ["\(stored.width)x\(stored.height)"]
    if seen != stored { facts.append("seen as \(seen.width)x\(seen.height)") }
    if let clean = video.cleanAperture {
      facts.append("of which [\(clean.x), \(clean.y), \(clean.width), \(clean.height)] are shown")
    }
    if video.orientation != .up { facts.append("\(video.orientation)") }
    facts.append(isStill ? "still picture" : video.nominalFrameRate.map { "\($0) fps" } ?? "frame rate unknown")
    facts.append("\(video.pixelFormat), \(video.bitDepth) bit")
    switch video.alpha {
    case nil: break
    case .straight: facts.append("alpha")
    case .premultiplied: facts.append("premultiplied alpha")
    case .premultipliedWithWhite: facts.append("alpha premultiplied with white")
    }
    facts += video.dynamicHDR?.map(\.rawValue) ?? []
    if let order = video.fieldOrder { facts.append("interlaced, \(order == .topFirst ? "top" : "bottom") field first") }
    if let fields = video.repeatedFields {
      facts.append("\(fields.count) of the first \(fields.pictures) pictures repeat a field")
    }
    let color = video.color
    facts.append(
      [color.primaries.rawValue, color.transfer.rawValue, color.matrix.rawValue, color.range.rawValue].joined(separator: "/"))
    if let luminance = video.hdrMetadata?.masteringDisplay?.luminance {
      facts.append("mastered on \(luminance.lowerBound)...\(luminance.upperBound) cd/m²")
    }
    if let light = video.hdrMetadata?.contentLight {
      facts.append("content light \(light.maximum), \(light.frameAverage) cd/m²")
    }
    return facts.joined(separator: ", ")
  }
}
