internal import Media
internal import Messages
internal import Rendering
internal import Subprocess
internal import Synchronization
internal import Timeline
internal import Transfer

/// Answers what an attempt asks of its job's media, on a thread of its own, until the attempt hangs up. Nothing else can be asked
/// for.
final class MediaSupply: Sendable {
  private let bytes = Atomic<Int64>(0)
  private let calls = Atomic<Int64>(0)

  /// What has arrived, and how often something did: signs of life.
  var freight: Int64 { (bytes.load(ordering: .relaxed) >> 20) + calls.load(ordering: .relaxed) }

  /// Starts answering.
  ///
  /// - Returns: the attempt's end of the line.
  func start(_ sources: [RemoteSource], from library: MediaLibrary) throws(SubprocessError) -> Descriptor {
    let (near, far) = try Descriptor.pair()
    let desk = Desk(sources, library, MediaLine(near)) { [self] count in
      if count > 0 { bytes.add(Int64(count), ordering: .relaxed) } else { calls.add(1, ordering: .relaxed) }
    }
    // Not joined: it ends with the attempt, or when the courier does.
    _ = JoinableThread { desk.serve() }
    return far
  }

  /// The thread's own. @unchecked: used by that thread alone, once it is made.
  private final class Desk: @unchecked Sendable {
    private let sources: [RemoteSource]
    private let library: MediaLibrary
    private let line: MediaLine
    private let progress: (Int) -> Void
    private var readers: [UInt32: RemoteReader] = [:]
    private var last: [UInt32: UInt32] = [:]

    init(_ sources: [RemoteSource], _ library: MediaLibrary, _ line: MediaLine, _ progress: @escaping (Int) -> Void) {
      (self.sources, self.library, self.line, self.progress) = (sources, library, line, progress)
    }

    func serve() {
      // Broken: the attempt has ended, which the courier sees.
      while let request = try? line.request(), (try? line.send(reply(to: request))) != nil {
        readAhead(of: request)
      }
    }

    private func reply(to request: MediaLine.Request) -> MediaLine.Reply {
      guard sources.indices.contains(Int(request.source)) else { return .failure(.internal, "the job has no such source") }
      let source = sources[Int(request.source)]
      do throws(TransferError) {
        return .block(try reader(request.source).block(Int64(request.block)))
      } catch {
        let error = MediaError(error, of: source.url)
        return .failure(error.kind, error.reason)
      }
    }

    private func reader(_ index: UInt32) throws(TransferError) -> RemoteReader {
      if let reader = readers[index] { return reader }
      // Each keeps a connection open: few edits play more sources at once than these.
      if readers.count >= 16 { readers = [:] }
      let source = sources[Int(index)]
      let reader = try RemoteReader(source.url, library, source.version, progress: progress)
      readers[index] = reader
      return reader
    }

    /// Who reads one block after the other will ask for the next, and decodes meanwhile.
    private func readAhead(of request: MediaLine.Request) {
      let isReadOn = last.updateValue(request.block, forKey: request.source).map { $0 &+ 1 } == request.block
      if isReadOn, !line.isWaiting { readers[request.source]?.prefetch(Int64(request.block) + 1) }
    }
  }
}
