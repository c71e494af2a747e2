internal import Glibc
internal import Ledger
internal import Operations
internal import WebServer

// A job's movie for players, from its submission on (decision 0185).
extension Console {
  /// The playlist of a movie.
  func play(_ call: Call) throws(Complaint) -> WebResponse {
    try played(call) { id, plan throws(Complaint) in
      let query = try Self.query(call)
      var codecs: [PlayPlan.Track: String] = [:]
      for track in PlayPlan.Track.allCases {
        codecs[track] = shelf.kept(.init(job: id, track: track, number: nil))?.codec
      }
      return Self.playlist(plan.plan.multivariant(folder: "play", query: query, codecs: codecs))
    }
  }

  /// The playlist of a track, or its opening.
  func playFile(_ call: Call) throws(Complaint) -> WebResponse {
    let words = call.part("file").split(separator: ".", omittingEmptySubsequences: false)
    guard words.count == 2, let track = PlayPlan.Track(rawValue: String(words[0])) else { return Self.nothing }
    return try played(call) { id, screening throws(Complaint) in
      guard screening.plan.count(of: track) > 0 else { return Self.lacking(track) }
      switch words[1] {
      case "m3u8": return Self.playlist(screening.plan.playlist(of: track, query: try Self.query(call)))
      case "mp4": return try piece(nil, of: track, job: id, screening: screening, call: call)
      default: return Self.nothing
      }
    }
  }

  /// A piece of a track.
  func playPiece(_ call: Call) throws(Complaint) -> WebResponse {
    let words = call.part("piece").split(separator: ".", omittingEmptySubsequences: false)
    guard let track = PlayPlan.Track(rawValue: call.part("track")), words.count == 2, words[1] == "m4s",
      let number = Int(words[0])
    else { return Self.nothing }
    return try played(call) { id, screening throws(Complaint) in
      guard 0..<screening.plan.count(of: track) ~= number else {
        return Problem(404, "missing", "the movie has \(screening.plan.count(of: track)) pieces of \(track.rawValue)").response
      }
      return try piece(number, of: track, job: id, screening: screening, call: call)
    }
  }

  private func played(
    _ call: Call, _ body: (String, Screening) throws(Complaint) -> WebResponse
  ) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    guard store != nil else {
      return Problem(404, "missing", "this server was given no store of segments (--store)").response
    }
    if let known = screenings[id] { return try body(id, known) }
    let (spec, starts, parts) = try playing.run { farm throws(Complaint) in try farm.playable(job: id) }
    let plan: PlayPlan
    do { plan = try PlayPlan(for: spec, starts: starts, parts: parts) } catch let error as PlayPlan.Unplayable {
      return Problem(422, "unplayable", error.reason).response
    } catch { throw Complaint(about: error) }
    return try body(id, screenings.keep(Screening(plan), of: id))
  }

  /// A piece of a track, or its opening, as soon as it is there.
  private func piece(
    _ number: Int?, of track: PlayPlan.Track, job id: String, screening: Screening, call: Call
  ) throws(Complaint) -> WebResponse {
    let (shelved, place) = Self.shelved(number, of: track, screening.plan)
    let name = PieceShelf.Name(job: id, track: track, number: shelved)
    var (last, hasAsked): (JobStatus?, Bool) = (nil, false)
    let seconds = try call.integer("hold", in: Holds.limits) ?? Holds.usual
    return try holds.answer(within: seconds) { () throws(Complaint) -> WebResponse? in
      let finding = try shelf.find(name) { () throws(Complaint) in
        try source(shelved, of: track, id, screening.plan)
      } make: { source throws(Complaint) in
        try media().piece(of: source, in: folder)
      }
      switch finding {
      case .piece(let piece):
        try screening.admit(piece, of: track)
        return try Self.answer(piece, place, of: track, call)
      case .missing(.awaited(let job)) where job.state.isFinal:
        return Problem(409, "other", "it was never rendered: the job is \(job.state.rawValue)").response
      case .missing(.gone(let job)):
        return Problem(410, "gone", "the job is \(job.state.rawValue), and its segments were removed").response
      case .missing(.awaited(let job)):
        last = job
        guard !hasAsked else { return nil }
        hasAsked = true
        try playing.run { farm throws(Complaint) in try farm.want(number ?? 0, of: track, job: id, screening.plan) }
        return nil
      case .missing(.there), .busy: return nil
      }
    } expired: { isCrowded in
      Self.waiting(last, isCrowded)
    }
  }

  /// The number under which a piece is kept, and its place among those that are kept with it.
  private static func shelved(_ number: Int?, of track: PlayPlan.Track, _ plan: PlayPlan) -> (number: Int?, place: Int) {
    guard let number, track == .sound, let sound = plan.sound else { return (number, 0) }
    let part = sound.part(of: number)
    return (part, number - sound.pieces(of: part).lowerBound)
  }

  private func source(
    _ number: Int?, of track: PlayPlan.Track, _ id: String, _ plan: PlayPlan
  ) throws(Complaint) -> PieceState {
    guard let store else { throw Complaint("--store", "is missing", .software) }
    return try playing.run { farm throws(Complaint) in
      switch (track, number) {
      case (_, nil): try farm.opening(of: track, job: id, plan, store: store)
      case (.sound, let part?): try farm.sound(part: part, job: id, plan, store: store)
      case (.picture, let number?): try farm.picture(number, job: id, plan, store: store)
      }
    }
  }

  private static func answer(
    _ piece: PlayedPiece, _ place: Int, of track: PlayPlan.Track, _ call: Call
  ) throws(Complaint) -> WebResponse {
    let file = piece.duplicate()
    guard file >= 0 else { throw Complaint("piece", "cannot be opened once more", .unavailable) }
    let kind = track == .picture ? "video/mp4" : "audio/mp4"
    let type = piece.codec.map { "\(kind); codecs=\"\($0)\"" } ?? kind
    return WebResponse(200, type, file: file, piece.bytes(of: place), headers: [])
  }

  private static func playlist(_ text: String) -> WebResponse {
    WebResponse(200, "application/vnd.apple.mpegurl", Array(text.utf8))
  }

  private static func lacking(_ track: PlayPlan.Track) -> WebResponse {
    Problem(404, "missing", "the movie has no \(track.rawValue)").response
  }

  private static func waiting(_ job: JobStatus?, _ isCrowded: Bool) -> WebResponse {
    let words =
      isCrowded
      ? "\(Holds.most) requests wait for pieces already"
      : job.map { "it is not rendered yet: the job is \($0.isPaused ? "paused" : $0.state.rawValue)" } ?? "it is being made"
    return Problem(503, "busy", words).response.with("Retry-After", "1")
  }

  /// The query of the addresses in a playlist: what the request for it said.
  private static func query(_ call: Call) throws(Complaint) -> String {
    try call.integer("hold", in: Holds.limits).map { "?hold=\($0)" } ?? ""
  }
}
