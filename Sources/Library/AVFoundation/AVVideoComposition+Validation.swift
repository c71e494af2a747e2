/// The one who is told what is wrong with a video composition, and decides whether to look further. All of it may be left out.
public protocol AVVideoCompositionValidationHandling: NSObjectProtocol {
  func videoComposition(
    _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool
  func videoComposition(
    _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: CMTimeRange
  ) -> Bool
  func videoComposition(
    _ videoComposition: AVVideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn videoCompositionInstruction:
      any AVVideoCompositionInstructionProtocol
  ) -> Bool
  func videoComposition(
    _ videoComposition: AVVideoComposition,
    shouldContinueValidatingAfterFindingInvalidTrackIDIn videoCompositionInstruction: any AVVideoCompositionInstructionProtocol,
    layerInstruction: AVVideoCompositionLayerInstruction, asset: AVAsset
  ) -> Bool
}

extension AVVideoCompositionValidationHandling {
  public func videoComposition(
    _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingInvalidValueForKey key: String
  ) -> Bool { true }
  public func videoComposition(
    _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: CMTimeRange
  ) -> Bool { true }
  public func videoComposition(
    _ videoComposition: AVVideoComposition,
    shouldContinueValidatingAfterFindingInvalidTimeRangeIn videoCompositionInstruction:
      any AVVideoCompositionInstructionProtocol
  ) -> Bool { true }
  public func videoComposition(
    _ videoComposition: AVVideoComposition,
    shouldContinueValidatingAfterFindingInvalidTrackIDIn videoCompositionInstruction: any AVVideoCompositionInstructionProtocol,
    layerInstruction: AVVideoCompositionLayerInstruction, asset: AVAsset
  ) -> Bool { true }
}

extension AVVideoComposition {
  /// A fault of a composition.
  private enum Fault {
    case value(String)
    case gap(CMTimeRange)
    case range(any AVVideoCompositionInstructionProtocol)
    case track(any AVVideoCompositionInstructionProtocol, AVVideoCompositionLayerInstruction, AVAsset)
  }

  /// Whether the composition can be rendered: its values are positive, its instructions follow each other and cover the range, and their
  /// layers are video tracks of the asset.
  ///
  /// - Parameters:
  ///   - asset: the asset that it is to be rendered with; nil leaves the tracks alone.
  ///   - timeRange: the range to look at. One without end ends with the asset, and is not looked at without an asset.
  ///   - validationDelegate: is told each fault, and ends the search by false.
  public func isValid(
    for asset: AVAsset?, timeRange: CMTimeRange, validationDelegate: (any AVVideoCompositionValidationHandling)?
  ) -> Bool {
    var isValid = true
    for fault in faults(asset, timeRange) {
      isValid = false
      guard let validationDelegate, goesOn(fault, validationDelegate) else { return false }
    }
    return isValid
  }

  /// Whether the composition can be rendered with an asset, which is loaded for this.
  ///
  /// - Throws: an `AVError` where the asset cannot be read.
  public func isValid(
    for asset: AVAsset?, timeRange: CMTimeRange, validationDelegate: (any AVVideoCompositionValidationHandling)?
  ) async throws -> Bool {
    _ = try asset?.loadedTracks()
    let check: () -> Bool = { self.isValid(for: asset, timeRange: timeRange, validationDelegate: validationDelegate) }
    return check()
  }

  private func goesOn(_ fault: Fault, _ delegate: any AVVideoCompositionValidationHandling) -> Bool {
    switch fault {
    case .value(let key): delegate.videoComposition(self, shouldContinueValidatingAfterFindingInvalidValueForKey: key)
    case .gap(let range): delegate.videoComposition(self, shouldContinueValidatingAfterFindingEmptyTimeRange: range)
    case .range(let instruction):
      delegate.videoComposition(self, shouldContinueValidatingAfterFindingInvalidTimeRangeIn: instruction)
    case .track(let instruction, let layer, let asset):
      delegate.videoComposition(
        self, shouldContinueValidatingAfterFindingInvalidTrackIDIn: instruction, layerInstruction: layer, asset: asset)
    }
  }

  private func faults(_ asset: AVAsset?, _ wanted: CMTimeRange) -> [Fault] {
    var faults: [Fault] = []
    if !(renderSize.width > 0 && renderSize.height > 0) { faults.append(.value("renderSize")) }
    if !(renderScale > 0 && renderScale.isFinite) { faults.append(.value("renderScale")) }
    if !(frameDuration.isNumeric && frameDuration > .zero) { faults.append(.value("frameDuration")) }
    if instructions.isEmpty { faults.append(.value("instructions")) }
    let range = wanted.duration.isNumeric ? wanted : CMTimeRange(start: wanted.start, end: asset?.duration ?? .invalid)
    var end = range.start
    for instruction in instructions {
      let part = instruction.timeRange
      let isEndless = part.duration == .positiveInfinity
      guard part.start.isNumeric, part.duration.isNumeric || isEndless, part.duration > .zero,
        part.start >= end || range.start.isNumeric && part.start < range.start && end == range.start
      else {
        faults.append(.range(instruction))
        continue
      }
      if end.isNumeric, part.start > end { faults.append(.gap(CMTimeRange(start: end, end: part.start))) }
      end = part.end
    }
    if range.isValid, range.duration.isNumeric, end < range.end {
      faults.append(.gap(CMTimeRange(start: end, end: range.end)))
    }
    return faults + (asset.map(trackFaults) ?? [])
  }

  private func trackFaults(_ asset: AVAsset) -> [Fault] {
    let layered = [animationTool?.trackID].compactMap { $0 }
    let known = Set(asset.tracks.filter { $0.mediaType == .video }.map(\.trackID) + layered)
    return instructions.flatMap { instruction in
      ((instruction as? AVVideoCompositionInstruction)?.layerInstructions ?? []).filter { !known.contains($0.trackID) }.map {
        Fault.track(instruction, $0, asset)
      }
    }
  }
}
