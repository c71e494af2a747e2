package import Formats
internal import Linux
internal import Media
package import Messages
package import Transfer

// A movie in pieces and a sequence of pictures are folders of objects. S3 cannot make many of them appear at once, but players begin with the master
// playlist or the manifest, and who waits for pictures looks for the last one: the movie is there once these are. They come last, and go first where
// another movie is replaced. See `docs/decisions/0274-pieces-go-to-s3-before-their-playlists.md`.
extension S3Movie {
  /// The header that says which job has put an object: the leftovers of its attempts are known by it.
  private static let jobHeader = "x-amz-meta-spool-job"
  /// The files that players begin with.
  private static let playlists = [PieceNames.manifest, PieceNames.master]
  /// The header of the last picture of a sequence, which tells that all are there: their number.
  private static let countHeader = "x-amz-meta-spool-pictures"
  /// How often pieces are put that somebody else removes meanwhile.
  private static let mostRounds = 3
  /// How many objects are tried in vain before a server is taken for one that removes nothing now.
  private static let mostFailures = 2

  private func key(inFolder name: String) -> String { "\(url.path)/\(name)" }

  /// The bytes of each object in the folder, by their names there.
  private func sizes() throws(TransferError) -> [String: Int64] {
    let start = url.path.utf8.count + 1
    var sizes: [String: Int64] = [:]
    for object in try bucket.objects(below: url.path + "/") where object.key.utf8.count > start {
      sizes[String(decoding: object.key.utf8.dropFirst(start), as: UTF8.self)] = object.byteCount
    }
    return sizes
  }

  /// The files that tell that the movie is there once they are, the last one of all.
  ///
  /// - Parameter last: the last picture of a sequence.
  private static func entries(_ files: FolderFiles, last: String) -> [String] {
    files == .pieces ? playlists : [last]
  }

  /// The files that tell of the movie that is here, whichever it is.
  private static func entries(_ files: FolderFiles, among names: some Sequence<String>) -> [String] {
    switch files {
    case .pieces: playlists.filter(Set(names).contains)
    case .pictures(let pattern):
      names.max { (pattern.number(of: $0) ?? -1) < (pattern.number(of: $1) ?? -1) }.map { [$0] } ?? []
    }
  }

  /// The name of an object in the folder that is no file of such a movie; nil where there is none.
  private static func stranger(_ files: FolderFiles, among names: some Sequence<String>) -> String? {
    names.filter { !files.matches($0) }.min()
  }

  /// Checks that the objects of a movie that is a folder can be written here: begins one, and drops it. Nobody sees it.
  ///
  /// - Parameters:
  ///   - files: the files of the folder.
  ///   - checksum: the method of the checksums that come beside the folder.
  /// - Returns: what is there already and must be kept; nil where nothing is.
  /// - Throws: `TransferError`; `missing` when there is no such bucket, `refused` when these credentials may not do it.
  package func objection(
    to files: FolderFiles, overwrites: Bool, _ checksum: ChecksumMethod?
  ) throws(TransferError) -> Objection? {
    try bucket.abort(bucket.begin(key(inFolder: files.firstName), []))
    let names = try sizes().keys
    if let stranger = Self.stranger(files, among: names) {
      return Objection(place: url.text, words: Self.objection(to: stranger, files))
    }
    guard !overwrites else { return nil }
    if let entry = Self.entries(files, among: names).last {
      return Objection(place: "\(url.text)/\(entry)", words: "exists already")
    }
    guard let key = checksum?.fileName(of: url.path), try bucket.head(of: key) != nil else { return nil }
    return Objection(place: "s3://\(url.host)/\(key)", words: "exists already")
  }

  private static func objection(to stranger: String, _ files: FolderFiles) -> String {
    "has \(stranger), which is none of \(files.words): only a folder of such files is replaced"
  }

  /// Whether the movie that a mux proved is here.
  ///
  /// - Parameter last: the name of the file that tells it: the master playlist, or the last picture of a sequence.
  func hasFolder(_ muxed: Winner<FileProof>, last: String) throws(TransferError) -> Bool {
    try bucket.head(of: key(inFolder: last))?.headers[Self.digestHeader] == muxed.proof.byteDigest
  }

  /// Makes objects of the files of a movie that is a folder, after checking that its roll is the one that was proved.
  ///
  /// - Parameters:
  ///   - path: the roll on this machine.
  ///   - files: the files of the folder.
  ///   - last: the name of the file that tells that the movie is there: the master playlist, or the last picture of a sequence.
  ///   - job: the job whose movie it is.
  ///   - companions: the files that come beside the folder, after it.
  ///   - progress: called with the number of bytes that have been put.
  /// - Throws: `Failure` that names the mux attempt as damaged when its roll is gone or not what its proof says; of the class `content`
  ///   when something is there that must be kept; `TransferError`. What was put is removed again then, as far as the server answers.
  package func publish(
    _ path: String, as files: FolderFiles, last: String, of muxed: Winner<FileProof>, job: String, overwrites: Bool,
    _ companions: Companions, progress: (Int64) -> Void
  ) throws {
    let missing = try missing(companions.captions, overwrites)
    let sums = try companions.checksum.map { ($0, $0.fileName(of: url.path), try companions.checksumDigest(muxed)) }
    let areSumsThere = try sums.map { try isThere($0.1, $0.2, overwrites) } ?? true
    let isMovieThere = try isThere(key(inFolder: last), muxed.proof.byteDigest, overwrites)
    if !isMovieThere || !areSumsThere {
      try opened(path, muxed)
      let roll = try PictureRoll(path, in: OutputFolder(FilePath.folder(of: path), for: path))
      if !isMovieThere { try put(roll, as: files, last: last, of: muxed, job: job, overwrites: overwrites, progress) }
      if let (method, key, digest) = sums, !areSumsThere {
        let text = try ChecksumFile(method, of: FilePath.name(of: url.path)).text(of: roll, files, others: companions.captions)
        try put(SmallObject(key: key, bytes: text, mediaType: "text/plain", digest: digest), overwrites: overwrites)
      }
    }
    for object in missing { try put(object, overwrites: overwrites) }
  }

  private func put(
    _ roll: PictureRoll, as kind: FolderFiles, last: String, of muxed: Winner<FileProof>, job: String, overwrites: Bool,
    _ progress: (Int64) -> Void
  ) throws {
    let found = try sizes()
    if let stranger = Self.stranger(kind, among: found.keys) {
      throw Failure(.content, at: url.text, Self.objection(to: stranger, kind))
    }
    let (files, names) = (try roll.names(kind), Self.entries(kind, last: last))
    let entries = try names.map { name in
      guard let file = files.first(where: { $0.name == name }) else { throw Failure(.bug, at: name, "is not in the roll") }
      return file
    }
    let others = files.filter { !names.contains($0.name) }
    let former = Self.entries(kind, among: found.keys)
    // An earlier attempt may have put the first of them, and died.
    if !overwrites { for name in former { try requireOwn(name, kind, of: muxed, job: job) } }
    // Another movie is gone before the first of its files is another one.
    for name in former.reversed() { try bucket.remove(key(inFolder: name)) }
    var (put, sent) = ([String](), Int64(0))
    let crowd = S3Crowd(self)
    do {
      func send(_ some: [(name: String, index: Int)], overwrites: Bool) throws {
        for run in S3Crowd.runs(of: some, { roll.byteCount(of: $0.index) }) {
          let objects = try run.map { file in
            SmallObject(
              key: key(inFolder: file.name), bytes: try roll.picture(file.index), mediaType: Self.mediaType(of: file.name),
              digest: muxed.proof.byteDigest,
              headers: [(Self.jobHeader, job)]
                + (file.name == last && kind != .pieces ? [(Self.countHeader, String(files.count))] : []))
          }
          // One that fails may be there all the same.
          put += run.map(\.name)
          try crowd.each(objects) { movie, object in try movie.put(object, overwrites: overwrites) }
          sent += run.reduce(0) { $0 + roll.byteCount(of: $1.index) }
          progress(sent)
        }
      }
      var missing = others
      for _ in 0..<Self.mostRounds where !missing.isEmpty {
        try send(missing, overwrites: true)
        missing = try self.missing(others, of: roll)
      }
      guard missing.isEmpty else { throw removed(missing) }
      for file in entries { try send([file], overwrites: overwrites) }
      // Whoever removed the leftovers of an earlier job at the same time may have taken a piece of this one.
      let lost = try self.missing(files, of: roll)
      guard lost.isEmpty else { throw removed(lost) }
    } catch {
      // What cannot be removed now is overwritten by the next attempt, or removed when the job's files are swept.
      remove(put.reversed(), crowd)
      throw error
    }
    // Nothing names a piece that is left of the movie that was replaced.
    remove(Set(found.keys).subtracting(files.map(\.name)).sorted(), crowd)
  }

  /// Refuses what another job has put where nothing may be replaced.
  private func requireOwn(_ name: String, _ files: FolderFiles, of muxed: Winner<FileProof>, job: String) throws {
    guard files != .pieces else {
      _ = try isThere(key(inFolder: name), muxed.proof.byteDigest, false)
      return
    }
    guard try bucket.head(of: key(inFolder: name))?.headers[Self.jobHeader] == job else { throw taken(key(inFolder: name)) }
  }

  /// Removes objects, as far as the server answers.
  private func remove(_ names: [String], _ crowd: S3Crowd) {
    // The first ones tell whether the server answers. All others are tried then.
    var failures = 0
    for name in names.prefix(Self.mostFailures) {
      do { try bucket.remove(key(inFolder: name)) } catch { failures += 1 }
    }
    guard failures < Self.mostFailures else { return }
    for run in S3Crowd.runs(of: Array(names.dropFirst(Self.mostFailures)), { _ in 0 }) {
      let keys = run.map { key(inFolder: $0) }
      do throws(TransferError) {
        try crowd.each(keys) { (movie, key) throws(TransferError) in try movie.bucket.remove(key) }
      } catch { return }
    }
  }

  /// The files of the roll that are not there as they are in it.
  private func missing(_ files: [(name: String, index: Int)], of roll: PictureRoll) throws -> [(name: String, index: Int)] {
    let there = try sizes()
    return files.filter { there[$0.name] != roll.byteCount(of: $0.index) }
  }

  private func removed(_ files: [(name: String, index: Int)]) -> Failure {
    Failure(
      .transient, at: "\(url.text)/\(files.first?.name ?? "")", "was removed by somebody else while the movie was put there")
  }

  /// Removes the files that attempts of a job have put of a movie that was never there as a whole.
  func dropFolder(of job: String) throws(TransferError) {
    let names = try sizes().keys
    if names.contains(where: FolderFiles.pieces.matches) { return try dropPieces(names, of: job) }
    // Which pattern the names have is not known here. The last picture is the one with the largest number.
    let pictures = names.filter { $0.contains(where: \.isNumber) }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    guard let last = pictures.first else { return }
    // A whole sequence has nothing of others: what it replaced is removed.
    if try bucket.head(of: key(inFolder: last))?.headers[Self.countHeader] != nil { return }
    let crowd = S3Crowd(self)
    for run in S3Crowd.runs(of: pictures, { _ in 0 }) {
      try crowd.each(run.map { key(inFolder: $0) }) { (movie, key) throws(TransferError) in
        if try movie.bucket.head(of: key)?.headers[Self.jobHeader] == job { try movie.bucket.remove(key) }
      }
    }
  }

  private func dropPieces(_ names: some Sequence<String>, of job: String) throws(TransferError) {
    guard !names.contains(PieceNames.master) else { return }
    for name in names.sorted(by: { Self.playlists.contains($0) && !Self.playlists.contains($1) })
    where FolderFiles.pieces.matches(name) {
      guard try bucket.head(of: key(inFolder: name))?.headers[Self.jobHeader] == job else { continue }
      try bucket.remove(key(inFolder: name))
    }
  }

  /// Fetches the first picture of a sequence into a folder of this machine; of pieces the playlists, and of each track the opening and the first
  /// piece.
  ///
  /// - Returns: the bytes of all files of the movie.
  package func fetchBeginning(of files: FolderFiles, to folder: String) throws(TransferError) -> Int64 {
    let sizes = try sizes()
    var wanted = [files.firstName]
    if files == .pieces {
      wanted += [PieceNames.manifest]
      for track in PieceNames.Track.all {
        wanted += [PieceNames.playlist(track), PieceNames.opening(track), PieceNames.piece(track, 1)]
      }
    }
    for name in wanted {
      guard let byteCount = sizes[name] else { continue }
      try bucket.get(key(inFolder: name), to: "\(folder)/\(name)", byteCount: byteCount)
    }
    return sizes.values.reduce(0, +)
  }

  /// The type of a file, by which players and browsers know what it is.
  private static func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last?.lowercased() {
    case "m3u8": "application/vnd.apple.mpegurl"
    case "mpd": "application/dash+xml"
    case "vtt": "text/vtt"
    case "jpg", "jpeg": "image/jpeg"
    case "png": "image/png"
    case "tif", "tiff": "image/tiff"
    case "m4s": "video/iso.segment"
    default: "video/mp4"
    }
  }
}
