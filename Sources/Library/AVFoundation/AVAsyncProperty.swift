/// A property that is loaded when it is asked for.
public class AVPartialAsyncProperty<Root: AVAsynchronousKeyValueLoading> {
  init() {}
}

public final class AVAsyncProperty<Root: AVAsynchronousKeyValueLoading, Value>: AVPartialAsyncProperty<Root> {
  let read: (Root) throws -> Value
  init(_ read: @escaping (Root) throws -> Value) { self.read = read }

  public enum Status {
    case notYetLoaded, loading
    case loaded(Value)
    case failed(NSError)
  }
}

/// The kind of object whose properties are loaded when they are asked for.
public protocol AVAsynchronousKeyValueLoading: AnyObject {}

extension AVAsset: AVAsynchronousKeyValueLoading {}
extension AVAssetTrack: AVAsynchronousKeyValueLoading {}

extension AVAsynchronousKeyValueLoading {
  public func load<A>(_ property: AVAsyncProperty<Self, A>) async throws -> A { try property.read(self) }

  public func load<A, B>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>
  ) async throws -> (A, B) {
    try (propertyA.read(self), propertyB.read(self))
  }

  public func load<A, B, C>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>, _ propertyC: AVAsyncProperty<Self, C>
  ) async throws -> (A, B, C) {
    try (propertyA.read(self), propertyB.read(self), propertyC.read(self))
  }

  public func load<A, B, C, D>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>, _ propertyC: AVAsyncProperty<Self, C>,
    _ propertyD: AVAsyncProperty<Self, D>
  ) async throws -> (A, B, C, D) {
    try (propertyA.read(self), propertyB.read(self), propertyC.read(self), propertyD.read(self))
  }
}

extension AVPartialAsyncProperty where Root: AVAsset {
  public static var duration: AVAsyncProperty<Root, CMTime> { .init { try $0.loadedDuration() } }
  public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> { .init { try $0.loadedTracks() } }
  public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> { loaded(\.preferredTransform) }
  public static var isPlayable: AVAsyncProperty<Root, Bool> { loaded(\.isPlayable) }
  public static var isExportable: AVAsyncProperty<Root, Bool> { loaded(\.isExportable) }
  public static var isReadable: AVAsyncProperty<Root, Bool> { loaded(\.isReadable) }
  public static var isComposable: AVAsyncProperty<Root, Bool> { loaded(\.isComposable) }
  public static var hasProtectedContent: AVAsyncProperty<Root, Bool> { loaded(\.hasProtectedContent) }

  private static func loaded<Value>(_ path: KeyPath<Root, Value>) -> AVAsyncProperty<Root, Value> {
    .init { asset in
      _ = try asset.loadedTracks()
      return asset[keyPath: path]
    }
  }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
  public static var timeRange: AVAsyncProperty<Root, CMTimeRange> { .init { $0.timeRange } }
  public static var naturalSize: AVAsyncProperty<Root, CGSize> { .init { $0.naturalSize } }
  public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> { .init { $0.naturalTimeScale } }
  public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> { .init { $0.preferredTransform } }
  public static var preferredVolume: AVAsyncProperty<Root, Float> { .init { $0.preferredVolume } }
  public static var nominalFrameRate: AVAsyncProperty<Root, Float> { .init { $0.nominalFrameRate } }
  public static var minFrameDuration: AVAsyncProperty<Root, CMTime> { .init { $0.minFrameDuration } }
  public static var isPlayable: AVAsyncProperty<Root, Bool> { .init { $0.isPlayable } }
  public static var isDecodable: AVAsyncProperty<Root, Bool> { .init { $0.isDecodable } }
  public static var isEnabled: AVAsyncProperty<Root, Bool> { .init { $0.isEnabled } }
  public static var formatDescriptions: AVAsyncProperty<Root, [CMFormatDescription]> {
    .init { $0.formatDescriptions.compactMap { $0 as? CMFormatDescription } }
  }
  public static var segments: AVAsyncProperty<Root, [AVAssetTrackSegment]> { .init { $0.segments } }
}

public enum AVKeyValueStatus: Int, Sendable { case unknown, loading, loaded, failed, cancelled }

extension AVAsset {
  /// Reads the asset, and then calls the handler on another thread.
  public func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?) {
    DispatchQueue.global().async {
      // The failure is kept by the asset, and told by statusOfValue.
      _ = try? self.loadedTracks()
      handler?()
    }
  }

  /// The status of a property. It waits until the asset was read.
  public func statusOfValue(forKey key: String, error outError: AutoreleasingUnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus
  {
    do {
      _ = try loadedTracks()
      return .loaded
    } catch {
      unsafe outError?.pointee = error as NSError
      return .failed
    }
  }
}

/// The pointer through which an error is given back: `&error` of a variable of the type NSError?.
public typealias AutoreleasingUnsafeMutablePointer<Value> = UnsafeMutablePointer<Value>
