package import Media
package import Messages
internal import Rendering
package import Subprocess
internal import Synchronization
internal import Timeline

/// Media behind URLs as an attempt has them: from its courier, which alone has the network.
package enum SuppliedMedia {
  /// - Parameter line: the attempt's end.
  package static func media(for spec: JobSpec, over line: Descriptor) -> RemoteMedia {
    let (sources, asking) = (RemoteSource.all(of: spec), Asking(MediaLine(line)))
    return RemoteMedia { url, _ throws(MediaError) in
      guard let index = sources.firstIndex(where: { $0.url == url }) else {
        throw MediaError(.internal, at: url.description, "was not probed")
      }
      let source = sources[index]
      return RemoteFile(version: source.version) { number throws(MediaError) in
        switch asking.ask(MediaLine.Request(source: UInt32(index), block: UInt32(clamping: number))) {
        case .block(let bytes)? where bytes.count == source.version.byteCount(ofBlock: number): return bytes
        case .failure(let kind, let reason)?: throw MediaError(kind, at: source.place, "\(url): \(reason)")
        case .block?, nil: throw MediaError(.unreachable, at: source.place, "the courier has gone")
        }
      }
    }
  }

  /// Several readers ask, each from a thread of its own, one at a time.
  ///
  /// @unchecked: the line is used under the lock alone.
  private final class Asking: @unchecked Sendable {
    private let line: MediaLine
    private let lock = Mutex(())

    init(_ line: MediaLine) { self.line = line }

    /// Nil when nobody answers any more.
    func ask(_ request: MediaLine.Request) -> MediaLine.Reply? {
      lock.withLock { _ in
        do throws(MediaLine.Broken) {
          try line.send(request)
          return try line.reply()
        } catch { return nil }
      }
    }
  }
}

/// A source of a job that is behind a URL, and what was found there.
struct RemoteSource: Hashable, Sendable {
  let asset: AssetID
  let url: MediaURL
  let version: RemoteVersion

  /// Its place in the document.
  var place: String { "assets.\(asset).url" }

  /// In the order of their assets' names.
  static func all(of spec: JobSpec) -> [RemoteSource] {
    // A document that cannot be read is what its attempt reports.
    guard spec.hasRemoteMedia, let timeline = try? Timeline.parse(Array(spec.document.utf8)) else { return [] }
    let facts = Dictionary(uniqueKeysWithValues: spec.facts.map { (AssetID($0.key), $0.value) })
    return timeline.versions(in: facts).map { RemoteSource(asset: $1.asset, url: $0, version: $1.version) }
      .sorted { $0.asset < $1.asset }
  }
}
