extension AVVideoComposition {
  /// Makes the composition that shows an asset as a player does, on another thread, and then calls the handler.
  public static func videoComposition(
    withPropertiesOf asset: AVAsset, completionHandler: @escaping @Sendable (AVMutableVideoComposition?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        _ = try asset.loadedTracks()
        completionHandler(AVMutableVideoComposition(propertiesOf: asset), nil)
      } catch { completionHandler(nil, error) }
    }
  }

  /// Finds whether the composition can be rendered with an asset, as `isValid(for:timeRange:validationDelegate:)` does, and calls the
  /// handler.
  public func determineValidity(
    for asset: AVAsset?, timeRange: CMTimeRange, validationDelegate: (any AVVideoCompositionValidationHandling)?,
    completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    do {
      _ = try asset?.loadedTracks()
      completionHandler(isValid(for: asset, timeRange: timeRange, validationDelegate: validationDelegate), nil)
    } catch { completionHandler(false, error) }
  }
}
