internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages

/// The segments that were rendered before, by their keys (decision 0174).
///
/// They lie beside the jobs' folders in the store: `_cache/<2 digits>/<key>.nut` is a segment, a hard link to the file that an attempt
/// wrote, and `<key>.json` its entry. `_cache/keys` has tables of keys (`KeyTable`), and `_cache/movies` records of movies. The segment
/// is linked first and the entry written last. Whoever finds an entry links the segment under the name of their own attempt, so it stays
/// theirs whatever happens to the cache, and relies on it only once its digest is the entry's. So any step may be lost, several may take
/// it at once, and a file that was damaged or removed is only rendered anew.
package struct SegmentCache: Sendable {
  /// The name of its folder, which is no job's.
  static let folder = "_cache"
  /// The name of the folder, in that, of records of movies (`KeptMovie`).
  static let moviesFolder = "movies"
  /// The most bytes of an entry.
  private static let longestEntry = 1 << 20

  /// The jobs whose segments a job finds.
  package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// The jobs of its submitter.
    case own
    /// All jobs.
    case all
  }

  private let store: SegmentStore
  let scope: Scope
  /// The path of its folder.
  var root: String { Self.root(of: store) }

  static func root(of store: SegmentStore) -> String { store.path(folder) }

  package init(of store: SegmentStore, _ scope: Scope) { (self.store, self.scope) = (store, scope) }

  /// The segment of a chunk, under the name of an attempt, as its proof describes it; nil where there is none.
  ///
  /// - Parameters:
  ///   - frames: the chunk's place in this movie.
  ///   - name: the attempt's file, relative to the store. Its folder exists.
  ///   - began: when somebody began to look for it, on the monotonic clock, in nanoseconds.
  func picture(_ key: String, _ frames: FrameRange, as name: String, since began: Int64) -> PictureProof? {
    guard case .picture(let kept) = find(key, as: name), var proof = placed(kept, at: frames) else { return nil }
    (proof.key, proof.isFound, proof.segment.file.path) = (key, true, name)
    let milliseconds = (MonotonicClock.nanoseconds - began) / 1_000_000
    proof.segment.times = RenderingTimes(opening: milliseconds, reading: 0, compositing: 0, encoding: 0)
    return proof
  }

  /// A kept proof at a chunk's place in a movie; nil where it has another number of frames.
  func placed(_ proof: PictureProof, at frames: FrameRange) -> PictureProof? {
    guard proof.frames.count == frames.count else { return nil }
    var proof = proof
    proof.frames = frames
    proof.segment.concealed = proof.segment.concealed.map { $0.moved(byFrames: frames.first) }
    return proof
  }

  /// The segment of a sound or of a part of it, in the same way.
  func sound(_ key: String, as name: String) -> SoundProof? {
    guard case .sound(var proof) = find(key, as: name) else { return nil }
    (proof.key, proof.isFound, proof.segment.file.path) = (key, true, name)
    return proof
  }

  /// Links a kept segment under the name of an attempt, and checks it.
  private func find(_ key: String, as name: String) -> Proof? {
    guard let entry = entry(key) else { return nil }
    let path = store.path(name)
    unsafe unlink(path)
    guard unsafe link(segment(key), path) == 0 else { return nil }
    // A segment that cannot be read is treated as one that was damaged.
    let digest = try? FileDigest(of: path)
    guard digest?.byteCount == entry.file.byteCount, digest?.hash == entry.file.byteDigest else {
      unsafe unlink(path)
      remove(key)
      return nil
    }
    // The time of its last use decides how long it stays.
    _ = unsafe utimensat(AT_FDCWD, self.path(key, "json"), nil, 0)
    return entry
  }

  /// Makes the segments of a movie be found again, as far as that works. What fails costs time later, and nothing else.
  func keep(_ pictures: [Winner<PictureProof>], _ sound: [Winner<SoundProof>], of job: String) {
    for picture in pictures { keep(.picture(picture.proof), of: picture.key, job: job) }
    for sound in sound { keep(.sound(sound.proof), of: sound.key, job: job) }
  }

  /// Makes the segment of an attempt be found again.
  func keep(_ proof: Proof, of attempt: AttemptKey, job: String) {
    switch proof {
    case .picture(var picture):
      // A chunk is found wherever it stands in a movie.
      picture.segment.concealed = picture.segment.concealed.map { $0.moved(byFrames: -picture.frames.first) }
      (picture.frames.first, picture.isFound) = (0, false)
      keep(entry: .picture(picture), attempt, job)
    case .sound(var sound):
      sound.isFound = false
      keep(entry: .sound(sound), attempt, job)
    case .mux, .publish: break
    }
  }

  private func keep(entry proof: Proof, _ attempt: AttemptKey, _ job: String) {
    guard let key = proof.key, Self.isKey(key), SegmentStore.isJobName(job) else { return }
    var facts = stat()
    if let known = entry(key)?.file, known.byteDigest == proof.file.byteDigest,
      unsafe stat(segment(key), &facts) == 0, Int64(facts.st_size) == known.byteCount
    {
      return
    }
    let path = store.path(store.name(job: job, key: attempt, extension: SegmentWriter.fileExtension))
    // The mark tells this step's hidden files from those of others.
    let mark = "\(job).\(attempt.task).\(attempt.attempt)"
    guard let words = try? JSONEncoder().encode(proof) else { return }  // As said above.
    let (hiddenSegment, hiddenEntry) = (self.path(key, "nut.\(mark)"), self.path(key, "json.\(mark)"))
    guard FilePath.makeFolder(FilePath.folder(of: hiddenSegment), mode: 0o777) == nil else { return }
    unsafe unlink(hiddenSegment)
    guard unsafe link(path, hiddenSegment) == 0 else { return }
    guard unsafe rename(hiddenSegment, segment(key)) == 0 else {
      unsafe unlink(hiddenSegment)
      return
    }
    // rename(2) does nothing where both names are the same file already.
    unsafe unlink(hiddenSegment)
    guard Self.write(Array(words), to: hiddenEntry), unsafe rename(hiddenEntry, self.path(key, "json")) == 0 else {
      unsafe unlink(hiddenEntry)
      return
    }
  }

  /// The path of a segment that was kept; nil for what is no key. It may be gone, and whoever reads it checks its digest.
  package func path(of key: String) -> String? { Self.isKey(key) ? segment(key) : nil }

  /// Whether `text` has the form of a key, which is that of all digests here.
  private static func isKey(_ text: String) -> Bool { FontFace.isDigest(text) }

  /// The entry of a key; nil where there is none, or one that cannot be read.
  private func entry(_ key: String) -> Proof? {
    guard Self.isKey(key), let bytes = Self.read(path(key, "json"), most: Self.longestEntry) else { return nil }
    // An entry that was damaged is none.
    return try? JSONDecoder().decode(Proof.self, from: Data(bytes))
  }

  /// The entry of a key whose segment is there; nil where either is not. Whoever takes the segment checks its digest.
  func held(_ key: String) -> Proof? {
    guard let entry = entry(key) else { return nil }
    var facts = stat()
    return unsafe stat(segment(key), &facts) == 0 && Int64(facts.st_size) == entry.file.byteCount ? entry : nil
  }

  /// Removes an entry and its segment.
  private func remove(_ key: String) {
    unsafe unlink(path(key, "json"))
    unsafe unlink(segment(key))
  }

  private func segment(_ key: String) -> String { path(key, SegmentWriter.fileExtension) }

  private func path(_ key: String, _ ending: String) -> String {
    store.path("\(Self.folder)/\(key.prefix(2))/\(key).\(ending)")
  }

  /// The bytes of a file, so many at most; nil where there is none.
  static func read(_ path: String, most: Int) -> [UInt8]? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    return unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      count = unsafe fread(buffer.baseAddress, 1, buffer.count, file)
    }
  }

  static func write(_ bytes: [UInt8], to path: String) -> Bool {
    guard let file = unsafe fopen(path, "we") else { return false }
    let isWritten = unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count
    return unsafe fclose(file) == 0 && isWritten
  }
}

extension SegmentCache {
  /// The bytes that they may have together where nobody says otherwise: 10 GiB.
  package static let standardBytes: Int64 = 10 << 30
  /// The seconds after which a segment that nobody found again is removed: 30 days.
  static let longestAge = 30 * 86_400
  /// The seconds between two sweeps, because the store is asked about its jobs every minute.
  static let sweepInterval = 600

  private struct Kept {
    let key: String
    let used: Int
    let byteCount: Int64
  }

  /// Removes segments that nobody found again for long, then those that were used longest ago, until the others have at most
  /// `mostBytes` together. A segment that a job uses is the job's own file, too, and stays there.
  ///
  /// - Parameter now: the time in seconds since 1970.
  package func sweep(to mostBytes: Int64, now: Int = time(nil)) {
    let mark = store.path("\(Self.folder)/swept")
    var facts = stat()
    if unsafe stat(mark, &facts) == 0, 0..<Self.sweepInterval ~= now - facts.st_mtim.tv_sec { return }
    let folders = SegmentStore.namesIfAny(in: store.path(Self.folder)).filter { $0.utf8.count == 2 }
    guard !folders.isEmpty else { return }
    _ = Self.write([], to: mark)
    var kept: [Kept] = []
    for folder in folders {
      for name in SegmentStore.namesIfAny(in: store.path("\(Self.folder)/\(folder)")) {
        let path = store.path("\(Self.folder)/\(folder)/\(name)")
        guard unsafe stat(path, &facts) == 0 else { continue }
        let key = String(name.prefix { $0 != "." })
        if name == "\(key).json" {
          let used = facts.st_mtim.tv_sec
          kept.append(Kept(key: key, used: used, byteCount: unsafe stat(segment(key), &facts) == 0 ? Int64(facts.st_size) : 0))
        } else if now - facts.st_ctim.tv_sec > 3600, name != "\(key).nut" || entry(key) == nil {
          // What somebody left half done an hour ago is of no use.
          unsafe unlink(path)
        }
      }
    }
    for name in SegmentStore.namesIfAny(in: store.path("\(Self.folder)/\(Self.moviesFolder)")) {
      let path = store.path("\(Self.folder)/\(Self.moviesFolder)/\(name)")
      if unsafe stat(path, &facts) == 0, now - facts.st_mtim.tv_sec > Self.longestAge { unsafe unlink(path) }
    }
    var byteCount = kept.reduce(0) { $0 + $1.byteCount }
    for segment in kept.sorted(by: { ($0.used, $0.key) < ($1.used, $1.key) }) {
      guard byteCount > mostBytes || now - segment.used > Self.longestAge else { break }
      remove(segment.key)
      byteCount -= segment.byteCount
    }
  }
}
