internal import CFFmpeg
internal import Glibc
internal import Linux

/// Writes a segment file: one encoded track in a NUT container, with positions that start at zero.
///
/// NUT holds any codec with an exact time base, and is written and read from front to back. A packet's time in the file is its
/// position (frame or sample, priming included) plus the reorder depth, so that no time is negative. The file appears under its
/// name only when it is whole and on the disk. One owner, one thread.
@safe package final class SegmentWriter {
  /// The file name extension of segment files.
  package static let fileExtension = "nut"
  /// The metadata key for the priming, in samples. NUT has no field for it.
  static let primingKey = "SPOOL_PRIMING"

  private let path: String
  private let parameters: CodecParameters
  private let container: ContainerWriter
  private var packetCount: Int64 = 0
  private var endPosition: Int64 = 0

  /// Starts to write `path` under a temporary name beside it. The directory must exist.
  ///
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`, `outOfMemory`.
  package init(path: String, parameters: CodecParameters) throws(MediaError) {
    self.path = path
    self.parameters = parameters
    container = try ContainerWriter(OutputFile(path + ".part", .sequential(FileHash())), format: "nut")
    try unsafe container.addStream(parameters.codec, timeBase: parameters.timeBase, tag: parameters.tagInNUT)
    try container.start(
      // NUT holds what lies beside packets from its fourth version on, which FFmpeg calls experimental. It is asked for by leaving
      // out what only seeking needs.
      options: parameters.hasAlphaBeside ? ["syncpoints": "none", "strict": "experimental"] : [:],
      metadata: parameters.priming > 0 ? [Self.primingKey: String(parameters.priming)] : [:])
  }

  /// Adds the next packet in decode order. Its `pts` counts frames or samples from the segment's start.
  ///
  /// - Parameter length: the number of frames or samples in the packet.
  /// - Throws: `MediaError`.
  func append(_ packet: UnsafeMutablePointer<AVPacket>, length: Int64) throws(MediaError) {
    let position = unsafe packet.pointee.pts
    unsafe packet.pointee.pts = position + parameters.reorderDepth
    unsafe packet.pointee.dts = parameters.isPicture ? packetCount : position
    unsafe packet.pointee.duration = length
    try unsafe container.write(packet, unit: parameters.timeBase, to: 0)
    packetCount += 1
    endPosition = max(endPosition, position + length)
  }

  /// Completes the file, hands it to the disk and gives it its name.
  ///
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`. No file is left under either name.
  package func finish() throws(MediaError) -> SegmentFacts {
    guard let digest = try container.finish() else {
      throw MediaError(.internal, at: path, "a sequential file has a digest")
    }
    guard unsafe rename(container.file.path, path) == 0 else {
      let code = errno
      unsafe unlink(container.file.path)
      throw MediaError(-code, from: "rename", at: path, while: .writing)
    }
    do {
      try syncFolder()
    } catch {
      unsafe unlink(path)
      throw error
    }
    return SegmentFacts(
      digest: digest, length: endPosition - Int64(parameters.priming), parameterSetDigest: parameters.parameterSetDigest)
  }

  /// Waits until the new name is on the disk too.
  private func syncFolder() throws(MediaError) {
    let folder = FilePath.folder(of: path)
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MediaError(-errno, from: "open", at: folder, while: .writing) }
    defer { close(descriptor) }
    // EINVAL means that the file system cannot sync a folder.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw MediaError(-errno, from: "fsync", at: folder, while: .writing) }
  }
}

/// The facts of a whole segment file. They are checked when the file is used.
package struct SegmentFacts: Hashable, Sendable {
  package let digest: FileDigest
  /// The length in frames, or in samples a channel after priming.
  package let length: Int64
  /// The XXH3-128 of the codec's parameter sets, hexadecimal. It is equal for all picture segments of a movie.
  package let parameterSetDigest: String

  package init(digest: FileDigest, length: Int64, parameterSetDigest: String) {
    (self.digest, self.length, self.parameterSetDigest) = (digest, length, parameterSetDigest)
  }
}

/// A segment file to be muxed, and the facts that it must have.
package struct SegmentInput: Hashable, Sendable {
  package let path: String
  package let facts: SegmentFacts

  package init(path: String, facts: SegmentFacts) {
    (self.path, self.facts) = (path, facts)
  }
}
