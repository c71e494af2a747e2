internal import CFFmpeg
internal import Glibc
internal import Linux

/// Writes a segment file: one encoded track in a NUT container, or several side by side: the sounds of a movie, or its picture and the renditions
/// of that. Positions start at zero.
///
/// NUT holds any codec with an exact time base, and is written and read from front to back. A packet's time in the file is its
/// position (frame or sample, priming included) plus the reorder depth, so that no time is negative. The file appears under its
/// name only when it is whole and on the disk. One owner, one thread.
@safe package final class SegmentWriter: PacketReceiver {
  /// The file name extension of segment files.
  package static let fileExtension = "nut"
  /// The metadata key for the priming of a stream, in samples. NUT has no field for it.
  static func primingKey(of stream: Int) -> String { stream == 0 ? "SPOOL_PRIMING" : "SPOOL_PRIMING_\(stream)" }

  /// The metadata key that is there where a stream is E-AC-3. NUT has one number for it and for AC-3.
  static func enhancedKey(of stream: Int) -> String { "SPOOL_EAC3_\(stream)" }

  private let path: String
  private let tracks: [CodecParameters]
  private let container: ContainerWriter
  /// The ends of the tracks so far.
  private var endPositions: [Int64]
  /// The packets of the tracks so far.
  package private(set) var loads: [Load]

  /// The number and size of a track's packets.
  package struct Load: Hashable, Sendable {
    package fileprivate(set) var byteCount: Int64 = 0
    package fileprivate(set) var packetCount: Int64 = 0
  }

  /// Starts to write `path` under a temporary name beside it. The directory must exist.
  ///
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`, `outOfMemory`.
  package convenience init(path: String, parameters: CodecParameters) throws(MediaError) {
    try self.init(path: path, tracks: [parameters])
  }

  /// Starts to write a file of several tracks, or of one.
  ///
  /// - Precondition: there is a track, and all are pictures or all are sounds.
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`, `outOfMemory`.
  package init(path: String, tracks: [CodecParameters]) throws(MediaError) {
    precondition(Set(tracks.map(\.isPicture)).count == 1, "tracks of one kind lie side by side")
    (self.path, self.tracks, endPositions) = (path, tracks, Array(repeating: 0, count: tracks.count))
    loads = Array(repeating: Load(), count: tracks.count)
    container = try ContainerWriter(OutputFile(path + ".part", .sequential(FileHash())), format: "nut")
    for parameters in tracks {
      try unsafe container.addStream(parameters.codec, timeBase: parameters.timeBase, tag: parameters.tagInNUT)
    }
    var metadata: [String: String] = [:]
    for (stream, parameters) in tracks.enumerated() where parameters.priming > 0 {
      metadata[Self.primingKey(of: stream)] = String(parameters.priming)
    }
    for (stream, parameters) in tracks.enumerated() where parameters.isEnhancedAC3 {
      metadata[Self.enhancedKey(of: stream)] = "1"
    }
    try container.start(
      // NUT holds what lies beside packets from its fourth version on, which FFmpeg calls experimental. It is asked for by leaving
      // out what only seeking needs.
      options: tracks[0].hasAlphaBeside ? ["syncpoints": "none", "strict": "experimental"] : [:], metadata: metadata)
  }

  /// Adds the next packet in decode order. Its `pts` counts frames or samples from the segment's start.
  ///
  /// - Parameters:
  ///   - stream: the place of its track. Packets of several tracks come about in the order of their times.
  ///   - length: the number of frames or samples in the packet.
  /// - Throws: `MediaError`.
  func append(_ packet: UnsafeMutablePointer<AVPacket>, to stream: Int, length: Int64) throws(MediaError) {
    let (position, parameters) = unsafe (packet.pointee.pts, tracks[stream])
    unsafe packet.pointee.pts = position + parameters.reorderDepth
    unsafe packet.pointee.dts = parameters.isPicture ? loads[stream].packetCount : position
    unsafe packet.pointee.duration = length
    unsafe loads[stream].byteCount += Int64(packet.pointee.size)
    loads[stream].packetCount += 1
    try unsafe container.write(packet, unit: parameters.timeBase, to: stream)
    endPositions[stream] = max(endPositions[stream], position + length)
  }

  /// Completes the file, hands it to the disk and gives it its name.
  ///
  /// - Returns: the facts of the first track.
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`. No file is left under either name.
  package func finish() throws(MediaError) -> SegmentFacts { try finishAll()[0] }

  /// Completes the file in the same way.
  ///
  /// - Returns: the facts of each track. The file's digest is in all of them.
  /// - Throws: `MediaError` `cannotWrite`, `noSpace`. No file is left under either name.
  package func finishAll() throws(MediaError) -> [SegmentFacts] {
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
    return zip(tracks, endPositions).map { parameters, end in
      SegmentFacts(digest: digest, length: end - Int64(parameters.priming), parameterSetDigest: parameters.parameterSetDigest)
    }
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

/// A track of a segment file to be muxed, and the facts that it must have.
package struct SegmentInput: Hashable, Sendable {
  package let path: String
  package let facts: SegmentFacts
  /// The place of the track in the file. Files of several sounds, and of a picture with renditions, have more than one.
  package let stream: Int

  package init(path: String, facts: SegmentFacts, stream: Int = 0) {
    (self.path, self.facts, self.stream) = (path, facts, stream)
  }
}
