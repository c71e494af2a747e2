internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages

/// The folder of a job in which a process that joins its movie while it is rendered is told of finished segments, and in which it says what it
/// joined (decision 0206).
///
/// It is the folder in which attempts leave things for each other (`SurveyFolder`). `<frame>.picture` and `<sample>.sound` are notes: the
/// attempt and the proof of the segment that begins there. `0.joining` is locked (flock) by the process that joins, for as long as it
/// lives, and holds a number that grows while it works. `0.joined` is its record. Notes and records appear whole or not at all.
/// Nothing relies on a note: whoever muxes the movie compares the record with what was committed.
struct JoinFolder {
  /// The most bytes of a note, as of an attempt's result, and of a record.
  private static let longestNote = 1 << 20

  let path: String

  init(in store: SegmentStore, job: String) { path = store.path("\(job)/\(SurveyFolder.task)") }

  /// The movie that the process joined, and the segments that it joined it of.
  struct Record: Hashable, Codable {
    /// The digest of the job's document and output, and of the segments in their order.
    let source: String
    let byteCount: Int64
    let byteDigest: String
    /// The mark of the file as it was written (`OutputFolder.stamp`); nil where there is none.
    let stamp: String?
  }

  // MARK: The movie's source

  /// The source of the movie that an attempt muxes.
  private struct MuxSource: Codable { let digest: String }

  /// The source of the movie that an attempt muxed, as it left it (`KeptMovie`); nil where it left none.
  func source(of mux: AttemptKey) -> String? { (read(name(of: mux)) as MuxSource?)?.digest }

  func write(source: String, of mux: AttemptKey) { write(MuxSource(digest: source), as: name(of: mux), mark: "source") }

  private func name(of mux: AttemptKey) -> String { "\(path)/\(mux.task).\(mux.attempt).source" }

  // MARK: Notes

  /// The note of the segment that begins at a frame or sample; nil where there is none yet, or one that cannot be read.
  func note(of kind: TaskKind, at position: Int64) -> Winner<Proof>? { read(name(of: kind, at: position)) }

  /// Writes the note of a segment. What fails makes the joining end late, and nothing else.
  func write(_ note: Winner<Proof>) {
    guard let name = Self.position(of: note.proof).map({ name(of: note.proof.kind, at: $0) }) else { return }
    write(note, as: name, mark: "\(note.key.task)-\(note.key.attempt)")
  }

  /// Writes the notes that are not there.
  func complete(_ notes: [Winner<Proof>]) {
    for note in notes {
      guard let position = Self.position(of: note.proof) else { continue }
      if unsafe access(name(of: note.proof.kind, at: position), F_OK) != 0 { write(note) }
    }
  }

  /// The frame or sample at which a segment begins; nil for what is no segment.
  private static func position(of proof: Proof) -> Int64? {
    switch proof {
    case .picture(let picture): Int64(picture.frames.first)
    case .sound(let sound): sound.firstSample ?? 0
    case .mux, .publish: nil
    }
  }

  private func name(of kind: TaskKind, at position: Int64) -> String { "\(path)/\(position).\(kind.rawValue)" }

  // MARK: The process that joins

  /// Whether somebody joins the job's movie, or did.
  var isUsed: Bool { unsafe access(lock, F_OK) == 0 }

  /// Makes the calling process the one that joins, for as long as the result lives.
  ///
  /// - Returns: nil where another one is, or was: nobody begins a second time.
  func begin() -> LockedFile? {
    let descriptor = unsafe open(lock, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return LockedFile(owning: descriptor)
  }

  /// The file whose lock the process that joins holds; nil where nobody ever joined. It is not locked.
  func opened() -> LockedFile? {
    let descriptor = unsafe open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    return descriptor < 0 ? nil : LockedFile(owning: descriptor)
  }

  /// Whether the files of the job were taken away, since it has ended.
  var isGone: Bool { !isUsed }

  var record: Record? { read("\(path)/0.joined") }

  func write(_ record: Record) { write(record, as: "\(path)/0.joined", mark: "joined") }

  private var lock: String { "\(path)/0.joining" }

  // MARK: Files

  private func read<Value: Decodable>(_ name: String) -> Value? {
    guard let file = unsafe fopen(name, "re") else { return nil }
    defer { unsafe fclose(file) }
    var facts = stat()
    guard unsafe fstat(fileno(file), &facts) == 0, 1...Self.longestNote ~= Int(facts.st_size) else { return nil }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(facts.st_size)) { buffer, count in
      count = unsafe fread(buffer.baseAddress, 1, buffer.count, file)
    }
    // A note that was damaged is none.
    return try? JSONDecoder().decode(Value.self, from: Data(bytes))
  }

  private func write(_ value: some Encodable, as name: String, mark: String) {
    let hidden = "\(name).\(mark).part"
    // A value that cannot be written is not told, as said above.
    guard let words = try? JSONEncoder().encode(value), let file = unsafe fopen(hidden, "we") else { return }
    let isWritten = unsafe fwrite(Array(words), 1, words.count, file) == words.count
    guard unsafe fclose(file) == 0, isWritten, unsafe rename(hidden, name) == 0 else {
      unsafe unlink(hidden)
      return
    }
  }
}

/// The segments of a movie in their order, as those who join them compare them.
struct JoinedSegments {
  private(set) var pictures: [PictureProof] = []
  private(set) var sounds: [SoundProof] = []

  init(_ pictures: [PictureProof] = [], _ sounds: [SoundProof] = []) { (self.pictures, self.sounds) = (pictures, sounds) }

  mutating func append(_ proof: Proof) {
    switch proof {
    case .picture(let picture): pictures.append(picture)
    case .sound(let sound): sounds.append(sound)
    case .mux, .publish: break
    }
  }

  /// The digest of all that the bytes of the movie depend on: equal digests have equal movies.
  func source(of spec: JobSpec) -> String {
    var words = [FilePath.name(of: spec.output), spec.document]
    for picture in pictures {
      words += ["picture", "\(picture.frames.first)", "\(picture.frames.count)"] + picture.segment.words
    }
    for sound in sounds {
      words += ["sound", "\(sound.firstSample ?? 0)", "\(sound.sampleCount)"] + sound.segment.words
      words += sound.further.flatMap { ["\($0.sampleCount)", $0.parameterSetDigest] }
    }
    // No word has a zero byte: neither has a path or JSON.
    var text = words.joined(separator: "\0")
    return text.withUTF8 { unsafe ContentDigest(of: UnsafeRawBufferPointer($0)).description }
  }
}

extension SegmentProof {
  /// The words on which the movie's bytes depend.
  fileprivate var words: [String] {
    ["\(file.byteCount)", file.byteDigest, parameterSetDigest] + concealed.map { "\($0)" }
  }
}
