internal import Operations
internal import Synchronization

/// The pieces of movies that were made for players lately. Players of one movie share them, so that many cost no more than one. Their files
/// are on the disk; readers hold descriptors.
final class PieceShelf: Sendable {
  struct Name: Hashable, Sendable {
    let job: String
    let track: PlayPlan.Track
    /// The number of the piece; nil for the track's opening. All pieces of a part of the sound are one, which has the part's number.
    let number: Int?
  }

  enum Finding {
    case piece(PlayedPiece)
    /// Somebody makes it just now, or too many others are being made.
    case busy
    /// Its source is not there: the answer of who would make it.
    case missing(PieceState)
  }

  private struct State {
    var pieces: [(name: Name, piece: PlayedPiece)] = []
    var making: Set<Name> = []
  }

  private let state = Mutex(State())

  /// The most bytes and files that are kept. Both leave some minutes of a few movies.
  private static let (mostBytes, mostPieces): (Int64, Int) = (1 << 30, 256)
  /// The most pieces that are made at once. Each has a process of its own.
  private static let mostMakings = 2

  /// The piece of that name: one that is kept, or a new one.
  func find(
    _ name: Name, source: () throws(Complaint) -> PieceState, make: (PieceSource) throws(Complaint) -> PlayedPiece
  ) throws(Complaint) -> Finding {
    if let kept = kept(name) { return .piece(kept) }
    let state = try source()
    guard case .there(let found) = state else { return .missing(state) }
    let isOurs = self.state.withLock { state in
      guard state.making.count < Self.mostMakings else { return false }
      return state.making.insert(name).inserted
    }
    guard isOurs else { return .busy }
    defer { self.state.withLock { _ = $0.making.remove(name) } }
    // Somebody else may have made it since it was looked for.
    if let kept = kept(name) { return .piece(kept) }
    let piece = try make(found)
    keep(piece, as: name)
    return .piece(piece)
  }

  /// The piece, which becomes the newest one.
  func kept(_ name: Name) -> PlayedPiece? {
    state.withLock { state in
      guard let place = state.pieces.firstIndex(where: { $0.name == name }) else { return nil }
      let entry = state.pieces.remove(at: place)
      state.pieces.append(entry)
      return entry.piece
    }
  }

  private func keep(_ piece: PlayedPiece, as name: Name) {
    state.withLock { state in
      state.pieces.append((name, piece))
      var byteCount = state.pieces.reduce(0) { $0 + $1.piece.byteCount }
      while state.pieces.count > 1, byteCount > Self.mostBytes || state.pieces.count > Self.mostPieces {
        byteCount -= state.pieces.removeFirst().piece.byteCount
      }
    }
  }
}
