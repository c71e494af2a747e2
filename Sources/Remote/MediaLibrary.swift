package import Media
internal import Timeline
package import Transfer

/// Sources behind URLs: those that are allowed, in blocks, each fetched once as long as the cache holds it.
package struct MediaLibrary: Sendable {
  let allowed: AllowedMedia
  let account: S3Account?
  let cache: BlockCache
  let retries: Retries
  /// How long a transfer may rest, at each try. While it is tried, its attempt shows life (`Freight`).
  let stallSeconds: Int

  /// - Parameters:
  ///   - account: for s3:// URLs.
  ///   - cache: shared by all processes of this machine.
  package init(
    _ allowed: AllowedMedia, account: S3Account?, cache: BlockCache, retries: Retries = Self.standardRetries,
    stallSeconds: Int = 12
  ) {
    (self.allowed, self.account, self.cache) = (allowed, account, cache)
    (self.retries, self.stallSeconds) = (retries, stallSeconds)
  }

  package static var standardRetries: Retries {
    var retries = Retries()
    retries.tries = 5
    return retries
  }

  /// How long all tries may take at which nothing arrives, pauses and all.
  var longestSilence: Duration {
    .seconds(retries.tries * (HTTPClient.connectSeconds + stallSeconds))
      + .milliseconds(retries.tries * retries.longestMilliseconds)
  }

  /// For a process that reads the network itself.
  package var media: RemoteMedia {
    RemoteMedia { url, known throws(MediaError) in
      do throws(TransferError) {
        let reader = try RemoteReader(url, self, known)
        return RemoteFile(version: try reader.version()) { number throws(MediaError) in
          do throws(TransferError) { return try reader.block(number) } catch { throw MediaError(error, of: url) }
        }
      } catch { throw MediaError(error, of: url) }
    }
  }

  /// - Throws: `TransferError` `refused` for what is not allowed.
  func request(for url: MediaURL) throws(TransferError) -> HTTPRequest {
    guard let reach = allowed.reach(of: url) else {
      throw TransferError(.refused, at: url.description, "is not below a URL that media may be fetched from (--media-url)")
    }
    guard url.scheme == .s3 else {
      var request = HTTPRequest(.get, url.text)
      request.reach = reach
      return request
    }
    guard let account else { throw TransferError(.refused, at: url.description, "there are no credentials for S3") }
    let key = PercentEncoding.encode(url.path, keeping: "/")
    var request = HTTPRequest(.get, "\(account.endpoint)/\(url.host)/\(key)")
    request.signature = account.signature
    return request
  }
}

extension MediaError {
  /// What a transfer's failure means for the source.
  init(_ error: TransferError, of url: MediaURL) {
    let kind: Kind =
      switch error.kind {
      case .transient: .unreachable
      case .changed: .changed
      case .missing: .missing
      // By a web server: it would say so to anybody. Of S3 another machine may have the right key.
      case .refused: error.status != nil && url.scheme != .s3 ? .missing : .unreadable
      case .invalid, .unranged: .unsupported
      case .local: .unreadable
      }
    // Of a redirection, that is said too, and of the cache where that is.
    let isElsewhere = error.kind == .local || (url.scheme != .s3 && error.place != url.description)
    self.init(kind, at: url.description, isElsewhere ? "\(error.place): \(error.reason)" : error.reason)
  }
}
