import FarmTesting
import Media
import Testing

@Suite struct `HEVC that is numbered anew` {
  private let directory = TemporaryDirectory()

  /// A stream of x265 with start codes, in which something moves, fades and stands.
  private func stream(_ name: String, _ parameters: String, _ format: String = "yuv420p") throws -> [UInt8] {
    let path = directory.file("\(name).hevc")
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=192x120:rate=25,fade=out:10:15", "-frames:v", "30", "-pix_fmt", format, "-c:v",
      "libx265",
      "-preset", "faster", "-x265-params", "log-level=none:pools=none:frame-threads=1" + parameters, path,
    ])
    return try [UInt8](contentsOf: path)
  }

  private func renumbered(_ bytes: [UInt8], _ numbers: HEVCNumbers = HEVCNumbers.all[1]) throws -> [UInt8] {
    try unsafe bytes.withUnsafeBufferPointer { try unsafe numbers.renumber($0) }
  }

  private func frames(_ bytes: [UInt8], _ name: String = "shown") throws -> [Substring] {
    let path = directory.file("\(name).hevc")
    try write(bytes, to: path)
    let lines = try MediaTools.ffmpeg(["-err_detect", "+crccheck+explode", "-i", path, "-f", "framemd5", "-"], isStrict: true)
    return lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
  }

  @Test(arguments: [
    ("", "yuv420p"), (":hash=1", "yuv420p10le"), (":hash=1", "yuv422p10le"), (":hash=1", "yuv444p"),
    (":hash=1:slices=2:wpp=1:pools=2", "yuv420p"),
    (":hash=1:wpp=1:pools=2", "yuv420p"), (":hash=1:weightp=1:weightb=1:bframes=4", "yuv420p10le"),
    (":hash=1:scaling-list=default", "yuv420p"), (":hash=1:open-gop=1:keyint=10:min-keyint=10", "yuv420p"),
    (":hash=1:open-gop=0:keyint=10:min-keyint=10:aud=1", "yuv420p"), (":hash=1:ref=6:bframes=8:b-pyramid=1", "yuv420p"),
    (":hash=1:lossless=1:tskip=1", "yuv420p"), (":hash=1:temporal-layers=1", "yuv420p"), (":hash=1:intra-refresh=1", "yuv420p"),
    (":hash=1:opt-qp-pps=1:opt-ref-list-length-pps=1", "yuv420p"), (":ctu=16:rect=1:amp=1", "yuv420p"),
    (":hash=1:sao=0:deblock=0:signhide=0:cu-lossless=1", "yuv420p"), (":hash=1:log2-max-poc-lsb=16", "yuv420p"),
    (
      ":hash=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400",
      "yuv420p10le"
    ),
  ])
  func `shows the same pictures, beside another stream as well`(parameters: String, format: String) throws {
    let original = try stream("a", parameters, format)
    let renumbered = try renumbered(original)
    #expect(renumbered != original)
    let shown = try frames(original)
    #expect(shown.count == 30)
    #expect(try frames(renumbered) == shown)
    // The sets of one do not replace the other's: the last picture of the first stream is read with its own.
    let other = try stream("b", ":ctu=32:keyint=5", format)
    let shownBeside = try frames(other)
    #expect(try frames(other + renumbered + other) == shownBeside + shown + shownBeside)
  }

  @Test(arguments: HEVCNumbers.all) func `shows the same pictures with each number`(numbers: HEVCNumbers) throws {
    let original = try stream("a", ":hash=1:keyint=10")
    let renumbered = try renumbered(original, numbers)
    #expect(try frames(renumbered) == frames(original))
    // What has numbers already is not taken for x265's.
    #expect(throws: HEVCNumbers.Objection.self) { try self.renumbered(renumbered) }
  }

  @Test func `grows by a byte a slice at most, but for its sets`() throws {
    let original = try stream("a", ":info=0:keyint=30:slices=1")
    let renumbered = try renumbered(original)
    // Thirty slices, three sets, and start codes that may become longer.
    #expect((30...100).contains(renumbered.count - original.count))
  }

  @Test func `is refused where a message names a parameter set`() throws {
    let hrd = try stream("a", ":hrd=1:vbv-maxrate=500:vbv-bufsize=500")
    #expect(throws: HEVCNumbers.Objection.self) { try renumbered(hrd) }
  }

  @Test func `is refused where it is no stream, or damaged`() throws {
    #expect(throws: HEVCNumbers.Objection.self) { try renumbered([1, 2, 3]) }
    #expect(throws: HEVCNumbers.Objection.self) { try renumbered([0, 0, 1, 0x42, 1, 0]) }
    #expect(throws: HEVCNumbers.Objection.self) { try renumbered([0, 0, 1, 0x44, 1, 0x40]) }
  }
}
