internal import Formats
internal import MediaTime
internal import SampleStream
internal import SpoolCalls
internal import Synchronization

/// A call of `spool read`: the samples of a document, one record after the other.
// The owner's lock keeps threads apart; `cancel` is for any.
final class SampleReading: @unchecked Sendable {
  private let job: ExportJob
  private let call: SampleCall
  private let input: SampleInput
  /// The form of the samples; nil before the first one.
  private var form: SampleTrack?
  private var isAtEnd = false
  private let isCancelled = Atomic(false)

  /// - Parameter what: the word of `spool read --what`.
  init(_ request: Lowering.Request, what: String, isRGB: Bool = false, frames: Range<Int>? = nil) throws(AVError) {
    let job = try ExportJob(request)
    self.job = job
    var arguments = ["read", job.document, "--what", what] + (isRGB ? ["--rgb"] : [])
    if let frames { arguments += ["--range", "\(frames.lowerBound)..\(frames.upperBound)"] }
    do { call = try SampleCall(arguments, program: job.program) } catch { throw job.avError(error) }
    input = SampleInput { [call] count in call.bytes(count) }
  }

  /// The next record's form, times and bytes; nil at the end, and where reading was cancelled.
  ///
  /// - Throws: what the program says where it failed.
  func next() throws(AVError) -> (form: SampleTrack, record: SampleRecord, bytes: [UInt8])? {
    guard !isAtEnd else { return nil }
    do {
      if form == nil { form = try input.header(SampleHeader.self).tracks.first }
      if let form, form.isPlausible, let (record, bytes) = try input.next() {
        if record.kind == .samples { return (form, record, bytes) }
        isAtEnd = true
      }
    } catch {
      // The stream was broken off. The program's own words tell more.
    }
    if isAtEnd {
      try job.checkFiles()
      return nil
    }
    isAtEnd = true
    // Nobody waits for a program whose samples are not wanted: it may be busy with the next one. It is ended with its call.
    if isCancelled.load(ordering: .relaxed) { return nil }
    // A program that still writes would wait for ever.
    call.cancel()
    do { _ = try call.end() } catch { throw job.avError(error) }
    throw AVError(.unknown, "'spool read' of another version answered")
  }

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    call.cancel()
  }
}

extension CMTime {
  init(exactly time: MediaTime) { self.init(value: time.value, timescale: time.timescale) }
}
