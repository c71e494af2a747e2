internal import Document
package import Formats
package import Media
package import Messages
internal import Rendering
package import Subprocess
internal import Synchronization
internal import Timeline

/// Media behind URLs for an attempt, which gets them from its courier, because only the courier has the network. Other processes
/// that read media without the network get them in the same way.
package enum SuppliedMedia {
  /// - Parameter line: the attempt's end of the line to its courier.
  package static func media(for spec: JobSpec, over line: Descriptor) -> RemoteMedia {
    media(RemoteSource.all(of: spec), over: [line])
  }

  /// Spreads the sources over several lines, so that several can be read at the same time.
  ///
  /// - Parameters:
  ///   - sources: the sources that the other side has, in its order.
  ///   - lines: this side's ends of the lines; at least one.
  package static func media(_ sources: [RemoteSource], over lines: [Descriptor]) -> RemoteMedia {
    let asking = lines.map { Asking(MediaLine($0)) }
    return RemoteMedia { url, _ throws(MediaError) in
      guard let index = sources.firstIndex(where: { $0.url == url }) else {
        throw MediaError(.internal, at: url.description, "was not probed")
      }
      let (source, line) = (sources[index], asking[index % asking.count])
      let version = if let known = source.version { known } else { try line.version(of: source, index) }
      return RemoteFile(version: version) { number throws(MediaError) in
        try line.block(number, of: source, index, version)
      }
    }
  }

  /// The asking end of one line. Several readers use it, each from a thread of its own, one at a time.
  ///
  /// @unchecked: the line is used only under the lock.
  private final class Asking: @unchecked Sendable {
    private let line: MediaLine
    private let lock = Mutex(())

    init(_ line: MediaLine) { self.line = line }

    func version(of source: RemoteSource, _ index: Int) throws(MediaError) -> RemoteVersion {
      let reply = ask(MediaLine.Request(source: UInt32(index), block: nil))
      guard case .version(let version)? = reply else { throw failure(of: source, reply) }
      return version
    }

    func block(
      _ number: Int64, of source: RemoteSource, _ index: Int, _ version: RemoteVersion
    ) throws(MediaError) -> [UInt8] {
      let reply = ask(MediaLine.Request(source: UInt32(index), block: UInt32(clamping: number)))
      guard case .block(let bytes)? = reply, bytes.count == version.byteCount(ofBlock: number) else {
        throw failure(of: source, reply)
      }
      return bytes
    }

    private func failure(of source: RemoteSource, _ reply: MediaLine.Reply?) -> MediaError {
      guard case .failure(let kind, let reason)? = reply else {
        return MediaError(.unreachable, at: source.place, "the courier has gone")
      }
      // The place of a source without a name in a document is the URL itself, so the URL is not repeated.
      let url = source.url.description
      return MediaError(kind, at: source.place, source.place == url ? reason : "\(url): \(reason)")
    }

    /// The reply; nil when the other side has gone.
    private func ask(_ request: MediaLine.Request) -> MediaLine.Reply? {
      lock.withLock { _ in
        do throws(MediaLine.Broken) {
          try line.send(request)
          return try line.reply()
        } catch { return nil }
      }
    }
  }
}

/// A source behind a URL.
package struct RemoteSource: Hashable, Sendable {
  let url: MediaURL
  /// The version that was found there; nil before the source is probed.
  let version: RemoteVersion?
  /// The place that failures name: the asset in the document, or the URL.
  let place: String

  /// A source that is to be probed.
  package init(_ url: MediaURL) { (self.url, version, place) = (url, nil, url.description) }

  private init(_ url: MediaURL, _ version: RemoteVersion, asset: AssetID) {
    (self.url, self.version, place) = (url, version, "assets.\(asset).url")
  }

  /// The sources of a job, in the order of their assets' names.
  package static func all(of spec: JobSpec) -> [RemoteSource] {
    // When the document cannot be read, the attempt itself reports it.
    guard spec.hasRemoteMedia, let timeline = try? Timeline.parse(Array(spec.document.utf8)) else { return [] }
    let facts = Dictionary(uniqueKeysWithValues: spec.facts.map { (AssetID($0.key), $0.value) })
    return timeline.versions(in: facts).sorted { $0.value.asset < $1.value.asset }
      .map { RemoteSource($0, $1.version, asset: $1.asset) }
  }
}
