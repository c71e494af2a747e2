internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Messages

/// The folder of a job in which its attempts at chunks leave what their first pass found, for each other (decision 0196).
///
/// `<job>/0/<number>.survey` is the survey of a section, or of the sound. It appears whole or not at all. `<number>.taken` says that an
/// attempt has begun with it, so that others begin elsewhere. Nothing relies on that: whoever waits in vain does it, too, and finds the same.
/// No task has the number 0, so a sweep of the job's files takes these away as well.
struct SurveyFolder {
  /// The number of the folder among the job's tasks.
  static let task: Int64 = 0
  /// The most bytes of a survey: two numbers of eleven digits for each of the 250 frames of a section are 6 kB.
  private static let longest = 1 << 16

  let path: String
  /// A word that tells this attempt's hidden files from those of others.
  let mark: String

  init(in store: SegmentStore, job: String, _ key: AttemptKey) {
    path = store.path("\(job)/\(Self.task)")
    mark = "\(key.task)-\(key.attempt)"
  }

  /// The survey of a number; nil where there is none yet, or one that cannot be read.
  func read<Survey: Decodable>(_ number: Int, as _: Survey.Type) -> Survey? {
    guard let file = unsafe fopen(name(number, "survey"), "re") else { return nil }
    defer { unsafe fclose(file) }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, count in
      count = unsafe fread(buffer.baseAddress, 1, buffer.count, file)
    }
    // A survey that was damaged is made again.
    return try? JSONDecoder().decode(Survey.self, from: Data(bytes))
  }

  /// Writes a survey under its name, at once and whole.
  func write(_ survey: some Encodable, as number: Int) throws {
    let words = Array(try JSONEncoder().encode(survey))
    let hidden = name(number, "\(mark).part")
    guard let file = unsafe fopen(hidden, "we") else { throw failure("create it") }
    let isWritten = unsafe fwrite(words, 1, words.count, file) == words.count
    guard unsafe fclose(file) == 0, isWritten, unsafe rename(hidden, name(number, "survey")) == 0 else {
      let failure = failure("write it")
      unsafe unlink(hidden)
      throw failure
    }
  }

  /// Says that this attempt begins with a number.
  ///
  /// - Returns: false where another one has said so.
  func take(_ number: Int) throws(StoreError) -> Bool {
    let descriptor = unsafe open(name(number, "taken"), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
    if descriptor >= 0 {
      close(descriptor)
      return true
    }
    guard errno == EEXIST else { throw failure("create it") }
    return false
  }

  /// The path of a file of this attempt alone.
  func scratch(_ number: Int) -> String { name(number, "\(mark).nut") }

  private func name(_ number: Int, _ ending: String) -> String { "\(path)/\(number).\(ending)" }

  private func failure(_ action: String) -> StoreError { StoreError(path: path, action: action, code: errno) }
}
