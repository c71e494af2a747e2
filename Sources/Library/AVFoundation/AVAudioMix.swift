/// The volumes of an edit's tracks.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying {
  fileprivate var list: [AVAudioMixInputParameters] = []
  public override init() { super.init() }

  /// The mix as it is now, with the same parameters.
  open func copy(with zone: NSZone? = nil) -> Any { filled(AVAudioMix()) }
  /// The mix as it is now, to be changed: an `AVMutableAudioMix` with the same parameters.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableAudioMix()) }

  /// The mix itself, or a copy of one that may be changed.
  var unchanging: AVAudioMix { self is AVMutableAudioMix ? filled(AVAudioMix()) : self }

  private func filled(_ copy: AVAudioMix) -> AVAudioMix {
    copy.list = list
    return copy
  }

  open var inputParameters: [AVAudioMixInputParameters] { list }
}

open class AVMutableAudioMix: AVAudioMix {
  open override var inputParameters: [AVAudioMixInputParameters] {
    get { list }
    set { list = newValue }
  }
}

/// The volume of a track over time.
/// - Partly: sound at another speed keeps its pitch, up to 8 times as fast or as slow, or changes it (`varispeed`). The other
///   algorithms are one here
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying {
  fileprivate var id = kCMPersistentTrackID_Invalid
  fileprivate(set) var volume = Ramps<Float>()
  fileprivate var algorithm: AVAudioTimePitchAlgorithm?
  fileprivate var tap: MTAudioProcessingTap?

  public override init() { super.init() }

  /// The parameters as they are now.
  open func copy(with zone: NSZone? = nil) -> Any { filled(AVAudioMixInputParameters()) }
  /// The parameters as they are now, to be changed: `AVMutableAudioMixInputParameters`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableAudioMixInputParameters()) }

  private func filled(_ copy: AVAudioMixInputParameters) -> AVAudioMixInputParameters {
    (copy.id, copy.volume, copy.algorithm, copy.tap) = (id, volume, algorithm, tap)
    return copy
  }

  /// The parameters without the tap, and without the volume where that was set before.
  func untapped(keepingVolume keepsVolume: Bool) -> AVAudioMixInputParameters {
    let copy = filled(AVAudioMixInputParameters())
    copy.tap = nil
    if !keepsVolume { copy.volume = Ramps() }
    return copy
  }

  /// One list of several parameters of one track: their ramps follow each other, and what the later ones set beside them holds.
  convenience init(of several: [AVAudioMixInputParameters]) {
    self.init()
    for parameters in several {
      id = parameters.id
      volume.add(parameters.volume)
      algorithm = parameters.algorithm ?? algorithm
      tap = parameters.tap ?? tap
    }
  }

  open var trackID: CMPersistentTrackID { id }
  open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? { algorithm }
  /// The tap of the track's sound. It is called when the edit is exported or its mix is read; a document cannot have one.
  open var audioTapProcessor: MTAudioProcessingTap? { tap }

  /// Gives the ramp of a time, as a layer instruction's `getTransformRamp` does.
  open func getVolumeRamp(
    for time: CMTime, startVolume: UnsafeMutablePointer<Float>?, endVolume: UnsafeMutablePointer<Float>?,
    timeRange: UnsafeMutablePointer<CMTimeRange>?
  ) -> Bool { unsafe volume.give(time, startVolume, endVolume, timeRange) }
}

/// - Partly: as `AVAudioMixInputParameters`
open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters {
  public convenience init(track: AVAssetTrack?) {
    self.init()
    id = track?.trackID ?? kCMPersistentTrackID_Invalid
  }

  open override var trackID: CMPersistentTrackID {
    get { id }
    set { id = newValue }
  }
  open override var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm? {
    get { algorithm }
    set { algorithm = newValue }
  }

  open override var audioTapProcessor: MTAudioProcessingTap? {
    get { tap }
    set { tap = newValue }
  }

  open func setVolume(_ volume: Float, at time: CMTime) { self.volume.set(volume, at: time) }
  open func setVolumeRamp(fromStartVolume startVolume: Float, toEndVolume endVolume: Float, timeRange: CMTimeRange) {
    volume.ramp(from: startVolume, to: endVolume, timeRange)
  }
}
