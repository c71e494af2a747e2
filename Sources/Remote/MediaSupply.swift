internal import Media
internal import Messages
internal import Rendering
package import Subprocess
internal import Synchronization
internal import Timeline
internal import Transfer

/// Answers what an attempt, or another process that reads media, asks of its sources behind URLs, on a thread of its own for each line,
/// until that process hangs up. Nothing else can be asked for.
package final class MediaSupply: Sendable {
  private let units = Atomic<Int64>(0)

  package init() {}

  /// What has arrived, and signs of life (`Freight`), over all lines.
  package var freight: Int64 { units.load(ordering: .relaxed) }

  /// Starts answering.
  ///
  /// - Returns: the other process's end of the line.
  package func start(_ sources: [RemoteSource], from library: MediaLibrary) throws(SubprocessError) -> Descriptor {
    let (near, far) = try Descriptor.pair()
    let desk = Desk(sources, library, MediaLine(near)) { [self] in units.add($0, ordering: .relaxed) }
    // Not joined: it ends with the attempt, or when the courier does.
    _ = JoinableThread { desk.serve() }
    return far
  }

  /// The thread's own. @unchecked: used by that thread alone, once it is made.
  private final class Desk: @unchecked Sendable {
    private let sources: [RemoteSource]
    private let library: MediaLibrary
    private let line: MediaLine
    private let progress: (Int64) -> Void
    private var freight = Freight(now: .now)
    private var byteCount: Int64 = 0
    private var readers: [UInt32: RemoteReader] = [:]
    private var last: [UInt32: UInt32] = [:]

    /// - Parameter progress: told of units of freight as they are added.
    init(_ sources: [RemoteSource], _ library: MediaLibrary, _ line: MediaLine, _ progress: @escaping (Int64) -> Void) {
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
      // Each keeps a connection open: few edits play more sources at once than these.
      if readers.count >= 16 { readers = [:] }
      let source = sources[Int(index)]
      // The readers are ours.
      let reader = try RemoteReader(source.url, library, source.version) { [unowned self] in note($0) }
      readers[index] = reader
      return reader
    }

    private func note(_ count: Int) {
      byteCount += Int64(count)
      let before = freight.units
      if freight.move(to: byteCount, now: .now) { progress(freight.units - before) }
    }

    /// Who reads one block after the other will ask for the next, and decodes meanwhile.
    private func readAhead(of request: MediaLine.Request) {
      guard let block = request.block else { return }
      let isReadOn = last.updateValue(block, forKey: request.source).map { $0 &+ 1 } == block
      if isReadOn, !line.isWaiting { readers[request.source]?.prefetch(Int64(block) + 1) }
    }
  }
}
