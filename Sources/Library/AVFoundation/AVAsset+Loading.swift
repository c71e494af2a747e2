internal import Synchronization

/// The requests to load an asset's values.
struct LoadingRequests {
  /// The number of times that all requests were given up.
  var round = 0
  /// Whether the last requests were given up, and none was made since then.
  var areCancelled = false
}

public enum AVKeyValueStatus: Int, Sendable { case unknown, loading, loaded, failed, cancelled }

extension AVAsset {
  /// Reads the asset, and then calls the handler on another thread.
  public func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?) {
    let round = requests.withLock { requests in
      requests.areCancelled = false
      return requests.round
    }
    DispatchQueue.global().async {
      if self.requests.withLock({ $0.round == round }) {
        // The failure is kept by the asset, and told by statusOfValue.
        _ = try? self.loadedTracks()
      }
      handler?()
    }
  }

  /// Gives up the requests to load values. Their handlers are called all the same, and what was not read by then has the status
  /// `cancelled`. A later request reads it.
  public func cancelLoading() {
    requests.withLock { requests in
      requests.round += 1
      requests.areCancelled = true
    }
  }

  /// The status of a property. It waits until the asset was read.
  public func statusOfValue(forKey key: String, error outError: AutoreleasingUnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus
  {
    if requests.withLock(\.areCancelled), let asset = self as? AVURLAsset, !asset.isRead {
      unsafe outError?.pointee = AVError(.operationCancelled, "\(key): the loading was cancelled", url: asset.url) as NSError
      return .cancelled
    }
    do {
      _ = try loadedTracks()
      return .loaded
    } catch {
      unsafe outError?.pointee = error as NSError
      return .failed
    }
  }

  /// Loads the tracks of a kind, and then calls the handler on another thread.
  public func loadTracks(
    withMediaType mediaType: AVMediaType, completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
  ) {
    load(completionHandler) { $0.filter { $0.mediaType == mediaType } }
  }

  /// Loads the tracks with a characteristic, and then calls the handler on another thread.
  public func loadTracks(
    withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic,
    completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
  ) {
    load(completionHandler) { $0.filter { $0.hasMediaCharacteristic(mediaCharacteristic) } }
  }

  /// Loads a track, and then calls the handler on another thread. It is nil where no track has the ID.
  public func loadTrack(
    withTrackID trackID: CMPersistentTrackID, completionHandler: @escaping @Sendable (AVAssetTrack?, (any Error)?) -> Void
  ) {
    load(completionHandler) { $0.first { $0.trackID == trackID } }
  }

  /// Finds an ID that none of the tracks has, and then calls the handler on another thread.
  public func findUnusedTrackID(completionHandler: @escaping @Sendable (CMPersistentTrackID, (any Error)?) -> Void) {
    DispatchQueue.global().async {
      do {
        _ = try self.loadedTracks()
        completionHandler(self.unusedTrackID(), nil)
      } catch { completionHandler(kCMPersistentTrackID_Invalid, error) }
    }
  }

  private func load<Value>(
    _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void, _ choose: @escaping @Sendable ([AVAssetTrack]) -> Value?
  ) {
    DispatchQueue.global().async {
      do { handler(choose(try self.loadedTracks()), nil) } catch { handler(nil, error) }
    }
  }
}

/// The pointer through which an error is given back: `&error` of a variable of the type NSError?.
public typealias AutoreleasingUnsafeMutablePointer<Value> = UnsafeMutablePointer<Value>
