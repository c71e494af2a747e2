internal import Linux
internal import Media
internal import Messages
internal import Rendering
package import Subprocess
internal import Synchronization
internal import Transfer

/// Serves media behind URLs to an attempt, or to another process that reads media, until that process closes its end. Each line
/// has a thread of its own. The process can ask for its own sources only.
package final class MediaSupply: Sendable {
  private let units = Atomic<Int64>(0)

  package init() {}

  /// The units of all lines: for bytes that have arrived, and signs of life (`Freight`).
  package var freight: Int64 { units.load(ordering: .relaxed) }

  /// Starts a thread that serves a new line.
  ///
  /// - Returns: the other process's end of the line.
  package func start(_ sources: [RemoteSource], from library: MediaLibrary) throws(SubprocessError) -> Descriptor {
    let (near, far) = try Descriptor.pair()
    let desk = Desk(sources, from: library, over: MediaLine(near)) { [self] in units.add($0, ordering: .relaxed) }
    // Nobody joins the thread: it ends with the attempt, or when the courier ends.
    _ = JoinableThread { desk.serve() }
    return far
  }

  /// The state of one thread. @unchecked: once it is made, only that thread uses it.
  private final class Desk: @unchecked Sendable {
    private let sources: [RemoteSource]
    private let library: MediaLibrary
    private let line: MediaLine
    private let progress: (Int64) -> Void
    private var freight = Freight(now: .now)
    private var byteCount: Int64 = 0
    private var readers: [UInt32: RemoteReader] = [:]
    private var last: [UInt32: UInt32] = [:]

    /// - Parameter progress: called with the number of new units.
    init(_ sources: [RemoteSource], from library: MediaLibrary, over line: MediaLine, progress: @escaping (Int64) -> Void) {
      (self.sources, self.library, self.line, self.progress) = (sources, library, line, progress)
    }

    func serve() {
      // A broken line means that the attempt has ended, which the courier sees for itself.
      while let request = try? line.request(), (try? line.send(reply(to: request))) != nil {
        readAhead(of: request)
      }
    }

    private func reply(to request: MediaLine.Request) -> MediaLine.Reply {
      guard sources.indices.contains(Int(request.source)) else { return .failure(.internal, "the job has no such source") }
      let source = sources[Int(request.source)]
      do throws(TransferError) {
        let reader = try reader(request.source)
        guard let block = request.block else { return .version(try reader.version()) }
        return .block(try reader.block(Int64(block)))
      } catch {
        let error = MediaError(error, of: source.url)
        return .failure(error.kind, error.reason)
      }
    }

    private func reader(_ index: UInt32) throws(TransferError) -> RemoteReader {
      if let reader = readers[index] { return reader }
      // Each reader keeps a connection open. Few edits play more than 16 sources at once.
      if readers.count >= 16 { readers = [:] }
      let source = sources[Int(index)]
      // The desk owns its readers, so it outlives them.
      let reader = try RemoteReader(source.url, library, source.version) { [unowned self] in note($0) }
      readers[index] = reader
      return reader
    }

    private func note(_ count: Int) {
      byteCount += Int64(count)
      let before = freight.units
      if freight.move(to: byteCount, now: .now) { progress(freight.units - before) }
    }

    /// Fetches the next block ahead when the process reads one block after another. The process decodes meanwhile.
    private func readAhead(of request: MediaLine.Request) {
      guard let block = request.block else { return }
      let isReadOn = last.updateValue(block, forKey: request.source).map { $0 &+ 1 } == block
      if isReadOn, !line.isWaiting { readers[request.source]?.prefetch(Int64(block) + 1) }
    }
  }
}
