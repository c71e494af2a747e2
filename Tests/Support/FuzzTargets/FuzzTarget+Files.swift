internal import Formats
internal import Glibc
internal import Media
internal import MediaTime
internal import Messages
internal import Rendering

extension FuzzTarget {
  /// Checks that an accepted job name is one folder below the root, and that a movie's hidden file is in the movie's folder.
  func takeNames(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let job = String(decoding: lines[0], as: UTF8.self)
    guard SegmentStore.isJobName(job) else { return }
    let (store, key) = (SegmentStore(root: "/store"), AttemptKey(task: 9, attempt: 3))
    let path = store.path(store.name(job: job, key: key, extension: "nut"))
    precondition(path == "/store/\(job)/9/3.nut" && path.split(separator: "/").count == 4, "the path is not below the root")
    precondition(!path.utf8.contains { $0 < 0x20 } && !path.contains(".."), "the path is not a plain one")
    guard lines.count == 2 else { return }
    let output = String(decoding: lines[1], as: UTF8.self)
    guard SegmentStore.isOutput(output) else { return }
    let part = SegmentStore.partPath(output: output, job: job, key: key)
    let folder = output.utf8.prefix(through: output.utf8.lastIndex(of: UInt8(ascii: "/"))!)
    precondition(part.utf8.starts(with: folder), "the hidden file lies elsewhere")
    precondition(!part.utf8.dropFirst(folder.count).contains(UInt8(ascii: "/")), "the hidden file lies in a folder of its own")
    precondition(part.utf8.dropFirst(folder.count).first == UInt8(ascii: "."), "the hidden file is seen")
  }

  /// Checks that a file is probed or refused, and that the facts that are found can be sent.
  func takeMedia(_ bytes: [UInt8]) {
    MemoryFile.shared.hold(bytes)
    // Most files are refused.
    guard let facts = try? AssetProbe.facts(of: MemoryFile.shared.path, policy: SourcePolicy(roots: ["/"])) else { return }
    precondition(!facts.tracks.isEmpty && facts.byteCount == bytes.count)
    let spec = JobSpec(document: "{}", facts: ["a": facts], output: "/o", overwrites: false, keepsSegments: false)
    let order = AttemptOrder(job: "j", key: AttemptKey(task: 1, attempt: 1), work: .sound, spec: spec)
    do {
      let again = try AttemptOrder(line: order.line())
      precondition(again == order, "the facts are written as others")
    } catch { preconditionFailure("the facts are not written: \(error)") }
  }
}

/// Muxes any bytes as if they were a segment of a movie.
// @unchecked Sendable: one thread uses it, which is libFuzzer's or, in the tests, the only one for this target.
final class SegmentFuzzing: @unchecked Sendable {
  static let shared = SegmentFuzzing()

  /// The bytes of a segment file of three frames.
  let genuine: [UInt8]
  private let facts: SegmentFacts
  private static let frameDuration = MediaTime.oneSecond

  private init() {
    do {
      let format = PixelFormat(.yuv420, bitDepth: 8)
      let encoder = try VideoEncoder(
        settings: .h264(speed: .veryfast), size: PixelSize(32, 32), format: format, frameDuration: Self.frameDuration,
        color: .bt709)
      let writer = try SegmentWriter(path: "\(MemoryFile.shared.folder)/genuine.nut", parameters: encoder.parameters)
      for _ in 0..<3 { try encoder.encode(PixelBuffer(format: format, width: 32, height: 32, color: .bt709), to: writer) }
      try encoder.finish(to: writer)
      facts = try writer.finish()
      genuine = MemoryFile.shared.bytes(of: "genuine.nut")
    } catch { preconditionFailure("no genuine segment: \(error)") }
  }

  /// Checks that a file is muxed only when it is the genuine one, byte for byte.
  func take(_ bytes: [UInt8]) {
    MemoryFile.shared.hold(bytes)
    do {
      try MovieMux.write(
        MovieSegments(pictures: [SegmentInput(path: MemoryFile.shared.path, facts: facts)]),
        as: MovieForm(.mkv, frameDuration: Self.frameDuration, color: .bt709), to: "\(MemoryFile.shared.folder)/movie.mkv",
        progress: { _, _ in })
      precondition(bytes == genuine, "a segment was taken for another")
    } catch { precondition(bytes != genuine, "the genuine segment is refused: \(error)") }
  }
}

/// A file in memory, in a folder of its own in /dev/shm. The folder is removed when the process ends.
// @unchecked Sendable: one thread uses it, as with SegmentFuzzing.
final class MemoryFile: @unchecked Sendable {
  static let shared = MemoryFile()
  let folder: String
  private let descriptor: Int32
  var path: String { "\(folder)/file" }

  private init() {
    var template = Array("/dev/shm/spool-fuzz-XXXXXX".utf8CString)
    precondition(unsafe mkdtemp(&template) != nil, "no folder in memory")
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    descriptor = unsafe open("\(folder)/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "no file in memory")
    atexit {
      let folder = MemoryFile.shared.folder
      for name in ["file", "genuine.nut", "movie.mkv"] { unsafe unlink("\(folder)/\(name)") }
      unsafe rmdir(folder)
    }
  }

  func hold(_ bytes: [UInt8]) {
    precondition(ftruncate(descriptor, 0) == 0)
    let count = unsafe pwrite(descriptor, bytes, bytes.count, 0)
    precondition(count == bytes.count, "the file in memory is full")
  }

  /// The whole content of the file `name` in the same folder.
  func bytes(of name: String) -> [UInt8] {
    let descriptor = unsafe open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    precondition(0..<bytes.count ~= count)
    return Array(bytes.prefix(count))
  }
}
