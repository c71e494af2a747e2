import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `A frame that an AVI lost` {
  private static let frameCount = 60
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  static let kinds = [
    "-c:v mpeg4 -q:v 3 -g 12", "-c:v mpeg4 -q:v 3 -g 12 -bf 2", "-c:v libx264 -qp 12 -g 12 -bf 0", "-c:v mjpeg -q:v 3",
    "-c:v ffv1 -g 1",
  ]

  private func reader(_ path: String, _ damage: AssetTreatment.Damage) throws -> VideoReader {
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    return try VideoReader(path: path, track: track, policy: policy, treatment: AssetTreatment(damage: damage))
  }

  /// The time in the middle of a frame.
  private func time(_ index: Int) throws -> Rational { try Rational(Int128(2 * index + 1), over: 50) }

  /// Writes a file in which the chunks of some frames are replaced by zeros, and returns its path. Frames are counted in the
  /// order of the file.
  private func write(_ kind: String, without lost: [Int]) throws -> String {
    let (whole, path) = (directory.file("whole.avi"), directory.file("a.avi"))
    try SyntheticSource(width: 160, height: 128, frameCount: Self.frameCount).write(
      to: whole, kind.split(separator: " ").map(String.init))
    let table = try MediaTools.probe(whole, "v", "packet=pos,size")
    var bytes = try read(whole)
    for frame in lost {
      let numbers = table[frame].split(separator: ",").compactMap { Int($0) }
      // ffprobe prints the size first. The eight bytes before the content are the chunk's name and size.
      let (size, start) = (numbers[0], numbers[1] - 8)
      bytes.replaceSubrange(start..<start + 8 + size, with: [UInt8](repeating: 0, count: 8 + size))
    }
    try MediaTests.write(bytes, to: path)
    return path
  }

  @Test(arguments: kinds, [[30], [20, 21, 41]])
  func `is told, and those after it keep their times, in any order of reading`(_ kind: String, _ lost: [Int]) throws {
    let path = try write(kind, without: lost)
    // In AVI, pictures may be shown a frame or two late. The whole file tells when each is shown.
    let whole = try reader(directory.file("whole.avi"), .refuse)
    let numbers = try (0..<Self.frameCount).map { SyntheticSource.number(in: try whole.frame(at: time($0))) }
    let forwards = try reader(path, .conceal)
    var (shown, standIns): ([Int], [Bool]) = ([], [])
    for index in 0..<Self.frameCount {
      shown.append(SyntheticSource.number(in: try forwards.frame(at: time(index))))
      standIns.append(forwards.isStandIn)
    }
    for index in 0..<Self.frameCount {
      if standIns[index] {
        #expect(shown[index] < numbers[index], "frame \(index)")
      } else {
        #expect(shown[index] == numbers[index], "frame \(index)")
      }
    }
    #expect(standIns.contains(true) && standIns.filter { !$0 }.count > Self.frameCount / 3)
    var random = SeededRandom(seed: 11)
    let anywhere = try reader(path, .conceal)
    for index in Array((0..<Self.frameCount).reversed()) + (0..<60).map({ _ in Int.random(in: 0..<60, using: &random) }) {
      #expect(SyntheticSource.number(in: try anywhere.frame(at: time(index))) == shown[index], "frame \(index)")
      #expect(anywhere.isStandIn == standIns[index], "frame \(index)")
    }
    let strict = try reader(path, .refuse)
    for index in 0..<Self.frameCount where standIns[index] {
      #expect(throws: MediaError.self) { try strict.frame(at: time(index)) }
    }
  }

  @Test(arguments: kinds)
  func `is not seen in a whole file`(_ kind: String) throws {
    let path = try write(kind, without: [])
    let oracle = try FrameOracle(path).frames.map(\.md5)
    let reader = try reader(path, .refuse)
    let shown = try (0..<Self.frameCount).map { try reader.frame(at: time($0)).md5() }
    #expect(Set(shown).isSubset(of: oracle) && Set(shown).count >= Self.frameCount - 2)
    for index in (0..<Self.frameCount).reversed() {
      #expect(try reader.frame(at: time(index)).md5() == shown[index] && !reader.isStandIn, "frame \(index)")
    }
  }
}
