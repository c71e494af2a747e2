import FarmTesting
import Testing

/// The lossy movie as ffprobe reads it.
@Suite("Movies")
struct MovieTests {
  @Test("counts, durations, sound length and colour tags are exact", arguments: ["mp4", "mov"])
  func exactMovie(fileType: String) throws {
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

    // 3 s at 48 kHz.
    let samples = try MediaTools.ffmpeg(["-i", movie, "-map", "0:a", "-f", "framehash", "-"])
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(0) {
        $0 + (Int($1.split(separator: ",")[3].drop { $0 == " " }) ?? 0)
      }
    #expect(samples == 144_000)
    #expect(try isIndexFirst(movie))
  }

  private func probe(_ movie: String, _ selection: [String], _ entries: [String]) throws -> [String] {
    try MediaTools.ffprobe(selection + entries + ["-of", "csv=p=0", movie]).split(separator: "\n").map { line in
      String(line.hasSuffix(",") ? line.dropLast() : line)
    }
  }

  /// Whether `moov` comes before `mdat` among the file's boxes.
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
