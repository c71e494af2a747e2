package import Formats
package import Media
package import Transfer

/// Sources behind URLs. They must be allowed, and they are read in blocks. A block is fetched once as long as the cache holds it.
package struct MediaLibrary: Sendable {
  let allowed: AllowedMedia
  let account: S3Account?
  private let accountFault: TransferError?
  let cache: BlockCache
  let retries: Retries
  /// The number of seconds after which a stalled transfer is given up, for each try. Meanwhile its attempt shows signs of life
  /// (`Freight`).
  let stallSeconds: Int

  /// - Parameters:
  ///   - account: the credentials for s3:// URLs; nil where there are none.
  ///   - accountFault: the reason why there are none. It is told only when an s3:// URL is read.
  ///   - cache: the cache that all processes of this machine share.
  package init(
    _ allowed: AllowedMedia, account: S3Account?, accountFault: TransferError? = nil, cache: BlockCache,
    retries: Retries = Self.standardRetries, stallSeconds: Int = 12
  ) {
    (self.allowed, self.account, self.accountFault, self.cache) = (allowed, account, accountFault, cache)
    (self.retries, self.stallSeconds) = (retries, stallSeconds)
  }

  /// The library from which this URL alone is read.
  package func reading(_ url: MediaURL) throws(MediaURL.Fault) -> MediaLibrary {
    MediaLibrary(
      AllowedMedia([try MediaURLPrefix(url.text)]), account: account, accountFault: accountFault, cache: cache, retries: retries,
      stallSeconds: stallSeconds)
  }

  package static var standardRetries: Retries {
    var retries = Retries()
    retries.tries = 5
    return retries
  }

  /// The longest time that all tries together, with their pauses, can take while nothing arrives.
  var longestSilence: Duration {
    .seconds(retries.tries * (HTTPClient.connectSeconds + stallSeconds))
      + .milliseconds(retries.tries * retries.longestMilliseconds)
  }

  /// Media for a process that reads the network itself.
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

  /// - Throws: `TransferError` `refused` for a URL that is not allowed, or an s3:// URL without credentials.
  func request(for url: MediaURL) throws(TransferError) -> HTTPRequest {
    guard let reach = allowed.reach(of: url) else {
      throw TransferError(.refused, at: url.description, "is not below a URL that media may be fetched from (--media-url)")
    }
    guard url.scheme == .s3 else {
      var request = HTTPRequest(.get, url.text)
      request.reach = reach
      return request
    }
    guard let account else {
      let fault = accountFault.map { ": \($0.place): \($0.reason)" } ?? ""
      throw TransferError(.refused, at: url.description, "there are no credentials for S3\(fault)")
    }
    let key = PercentEncoding.encode(url.path, keeping: "/")
    var request = HTTPRequest(.get, "\(account.endpoint)/\(url.host)/\(key)")
    request.signature = account.signature
    return request
  }
}

extension MediaError {
  /// The error of a source whose transfer failed.
  init(_ error: TransferError, of url: MediaURL) {
    let kind: Kind =
      switch error.kind {
      case .transient: .unreachable
      case .changed: .changed
      case .missing: .missing
      // A web server would refuse every machine. S3 may accept the credentials of another machine.
      case .refused: error.status != nil && url.scheme != .s3 ? .missing : .unreadable
      case .invalid, .unranged: .unsupported
      case .local: .unreadable
      }
    // The reason names a redirect's target or the cache's folder when the failure happened there.
    let isElsewhere = error.kind == .local || (url.scheme != .s3 && error.place != url.description)
    self.init(kind, at: url.description, isElsewhere ? "\(error.place): \(error.reason)" : error.reason)
  }
}
