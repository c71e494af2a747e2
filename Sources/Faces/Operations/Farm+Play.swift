internal import Examination
internal import Formats
internal import Glibc
package import Ledger
internal import Linux
internal import MediaTime
package import Messages
internal import Rendering

/// The farm's answer about a piece of a movie.
package enum PieceState: Sendable {
  case there(PieceSource)
  /// It is not rendered yet. The job's state says whether it will be.
  case awaited(JobStatus)
  /// Its files were removed, since the job is over.
  case gone(JobStatus)
}

extension Farm {
  /// The number of chunks that are moved forward together: the one that somebody waits for, and those that he sees next.
  package static let wantedChunks = 4

  /// The specification of a job, the first frames of its chunks, and the first samples of its sound's parts, of which a plan of its pieces is made.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job, and of `notPermitted` when the database's role may not read it.
  package func playable(job id: String) throws(Complaint) -> (spec: JobSpec, starts: [Int], parts: [Int64]) {
    try complaining {
      guard let spec = try ledger.spec(job: id) else { throw Self.unknown(job: id) }
      return (spec, try ledger.plannedChunks(job: id), try ledger.plannedSound(job: id))
    }
  }

  /// The source of a track's opening: any file of the track.
  ///
  /// - Parameter store: the folder of segment files.
  package func opening(of track: PlayPlan.Track, job id: String, _ plan: PlayPlan, store: String) throws(Complaint) -> PieceState
  {
    try complaining {
      // The first part of the sound begins with the priming, which the opening states.
      let part = track == .sound ? try ledger.sound(job: id).first : try ledger.anyChunk(job: id)
      return try state([part].compactMap(\.self), of: id, track: track, plan: plan, root: store) { played in
        guard let spec = try ledger.spec(job: id) else { throw Self.unknown(job: id) }
        return PieceSource(track: played, order: .opening(spec))
      }
    }
  }

  /// The source of all pieces of a part of the sound. The first part says how long the priming is, and so when the others begin.
  package func sound(part: Int, job id: String, _ plan: PlayPlan, store: String) throws(Complaint) -> PieceState {
    try complaining {
      guard let sound = plan.sound else { preconditionFailure("the movie has sound") }
      let parts = try ledger.sound(job: id)
      guard parts.count == sound.parts.count else {
        throw Complaint(id, "its sound has other parts than were planned", .software)
      }
      let (begin, pieces) = (sound.parts[part], sound.pieces(of: part))
      let needed = part == 0 ? [parts[0]] : [parts[0], parts[part]]
      return try state(needed, of: id, track: .sound, plan: plan, root: store) { played in
        let starts = sound.starts[pieces].dropFirst().map { $0 - begin }
        let track = part == 0 ? played : played.behindFirst
        return PieceSource(track: track, order: .fragments(.init(first: begin, starts: starts, number: pieces.lowerBound + 1)))
      }
    }
  }

  /// The source of a piece of the picture.
  package func picture(_ piece: Int, job id: String, _ plan: PlayPlan, store: String) throws(Complaint) -> PieceState {
    let frames = plan.frames(of: piece)
    return try complaining {
      try state(ledger.chunks(job: id, beginningIn: frames), of: id, track: .picture, plan: plan, root: store) { played in
        PieceSource(track: played, order: .fragments(.init(first: Int64(frames.lowerBound), number: piece + 1)))
      }
    }
  }

  /// Has the pieces of a job from this one on rendered before all else of the job; of the sound, the part that holds it. Who waits for a picture
  /// hears what belongs to it, too, and some players ask for that once they have the picture.
  package func want(_ piece: Int, of track: PlayPlan.Track, job id: String, _ plan: PlayPlan) throws(Complaint) {
    try complaining {
      switch (track, plan.sound) {
      case (.sound, let sound?):
        let part = sound.part(of: piece)
        // Whoever hears a part's end needs the next one right after it.
        let isLast = sound.pieces(of: part).last == piece
        _ = try ledger.want(job: id, .sound, from: sound.parts[part], most: isLast ? 2 : 1)
      case (.sound, nil): break
      case (.picture, let sound):
        _ = try ledger.want(job: id, .picture, from: Int64(plan.frames(of: piece).lowerBound), most: Self.wantedChunks)
        if let part = try sound?.part(at: plan.time(of: piece)) { _ = try ledger.want(job: id, .sound, from: part, most: 1) }
      }
    }
  }

  private func state(
    _ parts: [MoviePart], of id: String, track: PlayPlan.Track, plan: PlayPlan, root: String,
    source: (PlayedTrack) throws -> PieceSource
  ) throws -> PieceState {
    let winners = parts.compactMap(\.winner)
    guard !winners.isEmpty, winners.count == parts.count else {
      guard let job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
      return .awaited(job)
    }
    let store = SegmentStore(root: root)
    var files: [PlayedTrack.File] = []
    for winner in winners {
      guard let file = try PlayedTrack.File(winner, of: id, in: store, stream: plan.sound?.stream ?? 0) else {
        guard let job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
        guard job.state.isFinal else {
          throw Complaint(
            "attempt \(winner.key)",
            "its segment file is not in the store of this server: another store was named, or it is lost",
            .unavailable)
        }
        return .gone(job)
      }
      files.append(file)
    }
    return .there(try source(PlayedTrack(files, frameDuration: track == .picture ? plan.picture?.frameDuration : nil)))
  }
}

extension PlayedTrack.File {
  /// The file of a winner, where it is: in its job's folder, or among the segments that later jobs find; nil where it is in neither.
  ///
  /// - Parameter stream: the place among the movie's sounds of the one that is played.
  fileprivate init?(
    _ winner: Winner<Proof>, of job: String, in store: SegmentStore, stream: Int
  ) throws(Complaint) {
    let (segment, length, key): (SegmentProof, Int64, String?)
    var (own, parameterSets) = (0, String?.none)
    switch winner.proof {
    case .picture(let proof): (segment, length, key) = (proof.segment, Int64(proof.frames.count), proof.key)
    case .sound(let proof) where stream > 0:
      guard stream <= proof.further.count else {
        throw Complaint("attempt \(winner.key)", "has no sound \(stream)", .software)
      }
      let further = proof.further[stream - 1]
      (segment, length, key) = (proof.segment, further.sampleCount, proof.key)
      (own, parameterSets) = (stream, further.parameterSetDigest)
    case .sound(let proof): (segment, length, key) = (proof.segment, proof.sampleCount, proof.key)
    case .mux, .publish: throw Complaint("attempt \(winner.key)", "is no part of a movie", .software)
    }
    guard SegmentStore.isJobName(job) else { throw Complaint(job, "is no name of a job", .software) }
    let written = store.path(store.name(job: job, key: winner.key, extension: SegmentStore.segmentExtension))
    let kept = key.flatMap { SegmentCache(of: store, .own).path(of: $0) }
    guard let path = [written, kept].compactMap(\.self).first(where: { unsafe access($0, R_OK) == 0 }) else { return nil }
    self.init(
      path: path, byteCount: segment.file.byteCount, byteDigest: segment.file.byteDigest,
      parameterSetDigest: parameterSets ?? segment.parameterSetDigest, length: length, stream: own)
  }
}
