internal import CFFmpeg
internal import Glibc

/// Writes a segment file: one encoded track in a NUT container, with positions that start at zero.
///
/// NUT keeps any codec with an exact time base and is written and read front to back. A packet's time in it is its
/// position (frame or sample, priming included) plus the reorder depth, so that none is negative.
/// The file appears under its name only when it is whole and on the disk. One owner, one thread.
@safe package final class SegmentWriter {
  /// What segment files are called.
  package static let fileExtension = "nut"
  /// Names the priming, in samples, in the file's metadata, since NUT has no field for it.
  static let primingKey = "SPOOL_PRIMING"

  private let path: String
  private let parameters: CodecParameters
  private let container: ContainerWriter
  private var packetCount: Int64 = 0
  private var endPosition: Int64 = 0

  /// Starts writing `path` under a temporary name beside it; the directory exists.
  ///
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`, `outOfMemory`.
  package init(path: String, parameters: CodecParameters) throws(MediaError) {
    self.path = path
    self.parameters = parameters
    container = try ContainerWriter(OutputFile(path + ".part", .sequential(FileHash())), format: "nut")
    try unsafe container.addStream(parameters.codec, timeBase: parameters.timeBase)
    try container.start(metadata: parameters.priming > 0 ? [Self.primingKey: String(parameters.priming)] : [:])
  }

  /// Adds the next packet in decode order. Its `pts` counts frames or samples from the segment's start.
  ///
  /// - Parameter length: frames or samples that the packet holds.
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
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`; nothing is left under either name.
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
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MediaError(-errno, from: "open", at: folder, while: .writing) }
    defer { close(descriptor) }
    // EINVAL: a file system that has no such thing.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw MediaError(-errno, from: "fsync", at: folder, while: .writing) }
  }
}

/// What is known of a whole segment file, and checked before it is used.
package struct SegmentFacts: Hashable, Sendable {
  package let digest: FileDigest
  /// Frames, or samples a channel after priming.
  package let length: Int64
  /// XXH3-128 of the codec's parameter sets, hexadecimal; equal for all picture segments of a movie.
  package let parameterSetDigest: String

  package init(digest: FileDigest, length: Int64, parameterSetDigest: String) {
    (self.digest, self.length, self.parameterSetDigest) = (digest, length, parameterSetDigest)
  }
}

/// A segment file to be joined, and what it must be.
package struct SegmentInput: Hashable, Sendable {
  package let path: String
  package let facts: SegmentFacts

  package init(path: String, facts: SegmentFacts) {
    (self.path, self.facts) = (path, facts)
  }
}
