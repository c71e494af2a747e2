internal import Examination
internal import Glibc
internal import Media
internal import Messages
internal import Rendering
internal import Subprocess

/// A piece of a movie's track that was made for players: the track's opening, or fragments. Its file has no name, and is gone with the last
/// descriptor.
package final class PlayedPiece: Sendable {
  private let file: Int32
  /// The bytes of each fragment, in order, or of the opening.
  package let byteCounts: [Int64]
  /// The codec of the track whose opening it is; nil for fragments.
  package let codec: String?
  /// The digest of the codec's parameter sets, which are the same in all pieces of a track.
  package let parameterSetDigest: String

  fileprivate init(_ file: Descriptor, _ byteCounts: [Int64], of track: PlayedTrack, codec: String? = nil) throws {
    self.file = try file.copy()
    (self.byteCounts, self.codec) = (byteCounts, codec)
    parameterSetDigest = track.files.first?.parameterSetDigest ?? ""
  }

  deinit { close(file) }

  package var byteCount: Int64 { byteCounts.reduce(0, +) }

  /// The place of a fragment in the file.
  package func bytes(of index: Int) -> Range<Int64> {
    let start = byteCounts[..<index].reduce(0, +)
    return start..<start + byteCounts[index]
  }

  /// A descriptor of the file, which the caller closes; -1 when there are too many.
  package func duplicate() -> Int32 { fcntl(file, F_DUPFD_CLOEXEC, 0) }
}

/// The source of a piece: segment files, and what is made of them.
package struct PieceSource: Sendable {
  let track: PlayedTrack
  let order: Order

  enum Order: Sendable {
    case opening(JobSpec)
    case fragments(PlayedTrack.Division)
  }
}

extension MediaAccess {
  /// Makes a piece, in a contained process: other processes made the segment files.
  ///
  /// - Parameter folder: the folder of the piece's file, which has no name there.
  /// - Throws: a complaint of the class `unavailable` where a segment file is missing or not what was proved.
  package func piece(of source: PieceSource, in folder: String) throws(Complaint) -> PlayedPiece {
    let setting = try setting(nil)
    do {
      let file = try Descriptor.unnamed(in: folder)
      switch source.order {
      case .opening(let spec):
        let byteCount = try source.track.writeOpening(for: spec, to: file, setting)
        let codec = CodecName.of(opening: try file.contents(limit: Int(byteCount)))
        return try PlayedPiece(file, [byteCount], of: source.track, codec: codec)
      case .fragments(let division):
        return try PlayedPiece(
          file, source.track.writeFragments(division, to: file, setting), of: source.track)
      }
    } catch let error as MediaError {
      throw Complaint(error.place, "a segment file of the movie cannot be played: \(error.words)", .unavailable)
    } catch let broken as EditExamination.Broken {
      throw Complaint("segment files", broken.reason, .software)
    } catch { throw Complaint(about: error) }
  }
}
