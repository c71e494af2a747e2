/// The volumes of an edit's tracks.
open class AVAudioMix: NSObject {
  fileprivate var list: [AVAudioMixInputParameters] = []
  public override init() { super.init() }
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
///   algorithms are one here. No taps
open class AVAudioMixInputParameters: NSObject {
  fileprivate var id = kCMPersistentTrackID_Invalid
  fileprivate(set) var volume = Ramps<Float>()
  fileprivate var algorithm: AVAudioTimePitchAlgorithm?
  fileprivate var tap: MTAudioProcessingTap?

  public override init() { super.init() }

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
  /// The tap of the track's sound. An edit with one is refused when it is exported or read.
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
