import FarmTesting
import Testing

/// Tests of the lossy movie as ffprobe reads it.
@Suite struct `Movies` {
  @Test(arguments: ["mp4", "mov"])
  func `counts, durations, sound length and colour tags are exact`(fileType: String) throws {
    let studio = try Studio()
    let export = #"{"preset": "medium", "fileType": "\#(fileType)", "optimizeForNetworkUse": true}"#
    let movie = try studio.render(
      studio.document(EditDocument.everything(export: export)), to: "movie.\(fileType)", ["--chunk-frames", "17"])

    let stream = try probe(
      movie, ["-count_frames", "-select_streams", "v", "-show_entries"],
      [
        "stream=codec_name,width,height,avg_frame_rate,nb_read_frames,color_space,color_transfer,color_primaries,color_range"
      ])
    #expect(stream == ["h264,160,96,tv,bt709,bt709,bt709,30000/1001,90"])

    let packets = try probe(movie, ["-select_streams", "v", "-show_entries"], ["packet=pts,dts,duration"])
    let fields = packets.map { $0.split(separator: ",").compactMap { Int($0) } }
    #expect(Set(fields.map { $0[2] }).count == 1, "frame durations differ")
    #expect(zip(fields, fields.dropFirst()).allSatisfy { $0[1] < $1[1] }, "decode times do not grow")
    #expect(fields.map { $0[0] }.sorted() == (0..<90).map { $0 * fields[0][2] })

    // The sound has 3 s at 48 kHz.
    let samples = try MediaTools.ffmpeg(["-i", movie, "-map", "0:a", "-f", "framehash", "-"])
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(0) {
        $0 + (Int($1.split(separator: ",")[3].drop { $0 == " " }) ?? 0)
      }
    #expect(samples == 144_000)
    #expect(try isIndexFirst(movie))
  }

  /// The range, matrix, transfer function and primaries of each named colour.
  private static let namedColors = [
    ("bt709", "tv,bt709,bt709,bt709"), ("bt601-625", "tv,bt470bg,bt709,bt470bg"),
    ("bt601-525", "tv,smpte170m,smpte170m,smpte170m"), ("display-p3", "tv,bt709,iec61966-2-1,smpte432"),
    ("bt2020", "tv,bt2020nc,bt2020-10,bt2020"), ("bt2020-pq", "tv,bt2020nc,smpte2084,bt2020"),
    ("bt2020-hlg", "tv,bt2020nc,arib-std-b67,bt2020"),
  ]

  @Test func `tell their colour in the stream and in the container, and white is where it belongs`() throws {
    let studio = try Studio()
    for (name, tags) in Self.namedColors {
      let document = try studio.document(
        #"""
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
         "composition": {"tracks": [
           {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "0.2"}}]}]},
         "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25", "color": "\#(name)", "instructions": [
           {"timeRange": {"start": "0", "duration": "0.2"}, "background": "#ffffff", "layerInstructions": []}]},
         "export": {"preset": "highest", "video": {"bitDepth": 10}}}
        """#)
      let movie = try studio.render(document, to: "\(name).mp4")
      let selection = ["-select_streams", "v", "-show_entries"]
      let entries = ["stream=profile,pix_fmt,color_range,color_space,color_transfer,color_primaries"]
      #expect(try probe(movie, selection, entries) == ["High 10,yuv420p10le,\(tags)"])
      // These are the tags in the stream itself, without its container.
      try MediaTools.ffmpeg(["-i", movie, "-c", "copy", studio.file("\(name).h264")])
      #expect(try probe(studio.file("\(name).h264"), selection, entries) == ["High 10,yuv420p10le,\(tags)"])
      let bytes = try [UInt8](contentsOf: movie)
      #expect(bytes.contains(Array("colrnclx".utf8)), "\(name): no colr box")

      let raw = studio.file("\(name).raw")
      try MediaTools.ffmpeg(["-i", movie, "-frames:v", "1", "-f", "rawvideo", raw])
      let sample = try [UInt8](contentsOf: raw).prefix(2)
      let white = Double(UInt16(sample[1]) << 8 | UInt16(sample[0]))
      // By BT.2408 this white is at 58 % of PQ, and at 75 % of HLG.
      let level = name == "bt2020-pq" ? 0.5807 : name == "bt2020-hlg" ? 0.75 : 1
      #expect(abs(white - (64 + 876 * level)) <= 1.5, "\(name)")
    }
  }

  private func probe(_ movie: String, _ selection: [String], _ entries: [String]) throws -> [String] {
    try MediaTools.ffprobe(selection + entries + ["-of", "csv=p=0", movie]).split(separator: "\n").map { line in
      String(line.hasSuffix(",") ? line.dropLast() : line)
    }
  }

  /// Whether the box `moov` comes before `mdat` in the file.
  private func isIndexFirst(_ movie: String) throws -> Bool {
    let bytes = try [UInt8](contentsOf: movie)
    var (offset, kinds) = (0, [String]())
    while offset + 8 <= bytes.count {
      let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      kinds.append(String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self))
      guard size >= 8 else { break }
      offset += size
    }
    guard let index = kinds.firstIndex(of: "moov"), let media = kinds.firstIndex(of: "mdat") else { return false }
    return index < media
  }
}
