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

  public func load<A, B, C, D, E>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>,
    _ propertyC: AVAsyncProperty<Self, C>, _ propertyD: AVAsyncProperty<Self, D>,
    _ propertyE: AVAsyncProperty<Self, E>
  ) async throws -> (A, B, C, D, E) {
    try (
      propertyA.read(self), propertyB.read(self), propertyC.read(self), propertyD.read(self),
      propertyE.read(self)
    )
  }

  public func load<A, B, C, D, E, F>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>,
    _ propertyC: AVAsyncProperty<Self, C>, _ propertyD: AVAsyncProperty<Self, D>,
    _ propertyE: AVAsyncProperty<Self, E>, _ propertyF: AVAsyncProperty<Self, F>
  ) async throws -> (A, B, C, D, E, F) {
    try (
      propertyA.read(self), propertyB.read(self), propertyC.read(self), propertyD.read(self),
      propertyE.read(self), propertyF.read(self)
    )
  }

  public func load<A, B, C, D, E, F, G>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>,
    _ propertyC: AVAsyncProperty<Self, C>, _ propertyD: AVAsyncProperty<Self, D>,
    _ propertyE: AVAsyncProperty<Self, E>, _ propertyF: AVAsyncProperty<Self, F>,
    _ propertyG: AVAsyncProperty<Self, G>
  ) async throws -> (A, B, C, D, E, F, G) {
    try (
      propertyA.read(self), propertyB.read(self), propertyC.read(self), propertyD.read(self),
      propertyE.read(self), propertyF.read(self), propertyG.read(self)
    )
  }

  public func load<A, B, C, D, E, F, G, H>(
    _ propertyA: AVAsyncProperty<Self, A>, _ propertyB: AVAsyncProperty<Self, B>,
    _ propertyC: AVAsyncProperty<Self, C>, _ propertyD: AVAsyncProperty<Self, D>,
    _ propertyE: AVAsyncProperty<Self, E>, _ propertyF: AVAsyncProperty<Self, F>,
    _ propertyG: AVAsyncProperty<Self, G>, _ propertyH: AVAsyncProperty<Self, H>
  ) async throws -> (A, B, C, D, E, F, G, H) {
    try (
      propertyA.read(self), propertyB.read(self), propertyC.read(self), propertyD.read(self),
      propertyE.read(self), propertyF.read(self), propertyG.read(self), propertyH.read(self)
    )
  }

  /// The status of a property. Nothing is loaded for it.
  public func status<Value>(of property: AVAsyncProperty<Self, Value>) -> AVAsyncProperty<Self, Value>.Status {
    if let asset = self as? AVURLAsset, !asset.isRead { return .notYetLoaded }
    do { return .loaded(try property.read(self)) } catch { return .failed(error as NSError) }
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
  public static var preferredRate: AVAsyncProperty<Root, Float> { loaded(\.preferredRate) }
  public static var preferredVolume: AVAsyncProperty<Root, Float> { loaded(\.preferredVolume) }
  public static var canContainFragments: AVAsyncProperty<Root, Bool> { loaded(\.canContainFragments) }
  public static var containsFragments: AVAsyncProperty<Root, Bool> { loaded(\.containsFragments) }
  public static var overallDurationHint: AVAsyncProperty<Root, CMTime> { loaded(\.overallDurationHint) }
  public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> { loaded(\.providesPreciseDurationAndTiming) }

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
  public static var segments: AVAsyncProperty<Root, [AVAssetTrackSegment]> { .init { $0.parts } }
  public static var isSelfContained: AVAsyncProperty<Root, Bool> { .init { $0.isSelfContained } }
  public static var estimatedDataRate: AVAsyncProperty<Root, Float> { .init { $0.estimatedDataRate } }
  public static var totalSampleDataLength: AVAsyncProperty<Root, Int64> { .init { $0.totalSampleDataLength } }
  public static var languageCode: AVAsyncProperty<Root, String?> { .init { $0.languageCode } }
  public static var extendedLanguageTag: AVAsyncProperty<Root, String?> { .init { $0.extendedLanguageTag } }
  public static var requiresFrameReordering: AVAsyncProperty<Root, Bool> { .init { $0.requiresFrameReordering } }
  public static var hasAudioSampleDependencies: AVAsyncProperty<Root, Bool> { .init { $0.hasAudioSampleDependencies } }
  public static var canProvideSampleCursors: AVAsyncProperty<Root, Bool> { .init { $0.canProvideSampleCursors } }
}
