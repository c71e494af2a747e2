internal import Synchronization

/// - Partly: as `AVAudioPlayer`
public protocol AVAudioPlayerDelegate: AnyObject {
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
  func audioPlayerBeginInterruption(_ player: AVAudioPlayer)
  func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)
}

extension AVAudioPlayerDelegate {
  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
  public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
  public func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {}
  public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {}
}

/// The playing of a sound on the host's clock, without loudspeakers: its time goes on, it repeats and ends, and its meters show the sound
/// that would be heard.
// One queue changes the course of playing; the locks guard what others read.
/// - Partly: plays on the host's clock without loudspeakers. Meters show the sound of the file, whatever volume and pan are. The
///   delegate is called on the main queue
open class AVAudioPlayer: NSObject, @unchecked Sendable {
  private struct Course {
    var clock = PlaybackClock()
    var isPlaying = false
    /// The number of times that the sound was played to its end since it began.
    var rounds = 0
    /// The number of changes so far: what was due before the last one is not due any more.
    var change = 0
    var rate: Float = 1
    var volume = Fade(from: 1, to: 1, begin: 0, seconds: 0)
  }

  /// The volume on its way from one value to another.
  private struct Fade {
    var from: Float
    var to: Float
    var begin: UInt64
    var seconds: Double

    func value(at now: UInt64) -> Float {
      guard seconds > 0, now > begin else { return seconds > 0 ? from : to }
      return from + (to - from) * Float(min(1, Double(now - begin) / 1e9 / seconds))
    }
  }

  /// The file of the sound; nil where it was given as bytes.
  public let url: URL?
  /// The bytes of the sound; nil where it was given as a file.
  public let data: Data?
  /// The form of the sound in its file.
  public let format: AVAudioFormat
  /// The length of the sound in seconds.
  public let duration: TimeInterval
  public let numberOfChannels: Int
  open weak var delegate: (any AVAudioPlayerDelegate)?
  /// The number of times that the sound is played again after the first one; negative for ever.
  open var numberOfLoops = 0
  /// The place between the left (−1) and the right (1) loudspeaker.
  open var pan: Float = 0
  /// Whether `rate` counts.
  open var enableRate = false { didSet { if enableRate != oldValue { moved() } } }
  open var isMeteringEnabled = false
  private let course = Mutex(Course())
  private let meter: Mutex<SoundMeter>
  private let queue = DispatchQueue(label: "AVAudioPlayer")
  /// The folder of sound that was given as bytes. It goes with the player.
  private let folder: TemporaryFolder?

  public convenience init(contentsOf url: URL) throws { try self.init(contentsOf: url, fileTypeHint: nil) }

  /// - Throws: an `AVError` for a file that cannot be read, or has no sound.
  public init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
    let file = try AVAudioFile(forReading: url)
    (self.url, data, folder) = (url, nil, nil)
    (format, numberOfChannels) = (file.fileFormat, Int(file.fileFormat.channelCount))
    duration = Double(file.length) / file.processingFormat.sampleRate
    meter = Mutex(SoundMeter(file))
    super.init()
  }

  public convenience init(data: Data) throws { try self.init(data: data, fileTypeHint: nil) }

  /// - Throws: an `AVError` for bytes that are no sound.
  public init(data: Data, fileTypeHint utiString: String?) throws {
    let folder = try TemporaryFolder(for: "sound")
    let place = URL(fileURLWithPath: folder.path + "/sound")
    do { try data.write(to: place) } catch { throw AVError(.diskFull, "\(place.path): the sound cannot be written: \(error)") }
    let file = try AVAudioFile(forReading: place)
    (url, self.data, self.folder) = (nil, data, folder)
    (format, numberOfChannels) = (file.fileFormat, Int(file.fileFormat.channelCount))
    duration = Double(file.length) / file.processingFormat.sampleRate
    meter = Mutex(SoundMeter(file))
    super.init()
  }

  /// The settings of the sound in its file.
  open var settings: [String: Any] { format.settings }
  /// The host's clock in seconds, by which `play(atTime:)` counts.
  open var deviceCurrentTime: TimeInterval { Double(PlaybackClock.now) / 1e9 }
  open var isPlaying: Bool { course.withLock(\.isPlaying) }

  /// The place in the sound, in seconds.
  open var currentTime: TimeInterval {
    get { min(max(0, course.withLock { $0.clock.time(at: PlaybackClock.now).seconds }), duration) }
    set {
      guard newValue.isFinite else { return }
      course.withLock { course in
        course.clock.time = CMTime(seconds: min(max(newValue, 0), duration), preferredTimescale: 1_000_000_000)
        course.clock.host = max(course.clock.host, PlaybackClock.now)
      }
      schedule()
    }
  }

  /// The speed, from half to double. It counts where `enableRate` is set.
  open var rate: Float {
    get { course.withLock(\.rate) }
    set {
      course.withLock { $0.rate = min(max(newValue.isNaN ? 1 : newValue, 0.5), 2) }
      moved()
    }
  }

  /// The volume, 0...1.
  open var volume: Float {
    get { course.withLock { $0.volume.value(at: PlaybackClock.now) } }
    set { setVolume(newValue, fadeDuration: 0) }
  }

  /// Moves the volume to a value, evenly in so many seconds.
  open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
    let now = PlaybackClock.now
    course.withLock { course in
      let before = course.volume.value(at: now)
      course.volume = Fade(
        from: before, to: min(max(volume, 0), 1), begin: now, seconds: duration.isFinite ? max(duration, 0) : 0)
    }
  }

  // MARK: The course of playing

  /// Makes ready to play; nothing is to be done for it.
  @discardableResult
  open func prepareToPlay() -> Bool { duration > 0 }

  /// Plays on from where the sound stands.
  ///
  /// - Returns: false for a sound of no length.
  @discardableResult
  open func play() -> Bool { play(from: PlaybackClock.now) }

  /// Plays from a time of `deviceCurrentTime` on.
  @discardableResult
  open func play(atTime time: TimeInterval) -> Bool {
    guard time.isFinite, time >= 0, time < 1e9 else { return false }
    return play(from: max(PlaybackClock.now, UInt64(time * 1e9)))
  }

  private func play(from host: UInt64) -> Bool {
    guard duration > 0 else { return false }
    let speed = speed
    course.withLock { course in
      guard !course.isPlaying else { return }
      course.isPlaying = true
      course.clock = PlaybackClock(time: course.clock.time, host: host, rate: speed)
    }
    schedule()
    return true
  }

  /// Stands still. `play()` goes on.
  open func pause() {
    course.withLock { course in
      let now = PlaybackClock.now
      course.clock = PlaybackClock(time: course.clock.time(at: now), host: now, rate: 0)
      (course.isPlaying, course.change) = (false, course.change + 1)
    }
  }

  /// Stands still, like `pause()`: the place stays. The sound is counted as begun anew when it is played again.
  open func stop() {
    pause()
    course.withLock { $0.rounds = 0 }
  }

  private var speed: Float { enableRate ? rate : 1 }

  /// Goes on from the present with the speed that counts now.
  private func moved() {
    let speed = speed
    course.withLock { course in
      guard course.isPlaying else { return }
      let now = max(course.clock.host, PlaybackClock.now)
      course.clock = PlaybackClock(time: course.clock.time(at: now), host: now, rate: speed)
    }
    schedule()
  }

  /// Waits for the end.
  private func schedule() {
    let end = CMTime(seconds: duration, preferredTimescale: 1_000_000_000)
    let (change, host) = course.withLock { course in
      course.change += 1
      return (course.change, course.isPlaying ? course.clock.host(at: end) ?? PlaybackClock.now : nil)
    }
    guard let host else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: max(host, PlaybackClock.now))) { [weak self] in
      self?.reachedEnd(change, at: host)
    }
  }

  private func reachedEnd(_ change: Int, at host: UInt64) {
    let loops = numberOfLoops
    let goesOn = course.withLock { course -> Bool? in
      guard course.change == change else { return nil }
      let goesOn = loops < 0 || course.rounds < loops
      course.rounds = goesOn ? course.rounds + 1 : 0
      // The clock goes on from the exact time of the end, however late the machine is.
      course.clock = PlaybackClock(time: .zero, host: host, rate: goesOn ? course.clock.rate : 0)
      course.isPlaying = goesOn
      return goesOn
    }
    guard let goesOn else { return }
    if goesOn { return schedule() }
    DispatchQueue.main.async { self.delegate?.audioPlayerDidFinishPlaying(self, successfully: true) }
  }

  // MARK: Meters

  /// Takes the sound of the last twentieth of a second into the meters.
  open func updateMeters() {
    guard isMeteringEnabled else { return }
    let (time, isPlaying) = (currentTime, isPlaying)
    let fault: (any Error)? = meter.withLock { meter in
      do {
        try meter.listen(to: isPlaying ? time : nil)
        return nil
      } catch { return error }
    }
    guard let fault else { return }
    DispatchQueue.main.async { self.delegate?.audioPlayerDecodeErrorDidOccur(self, error: fault) }
  }

  /// The average power of a channel in dB below full scale, −160 for silence, as `updateMeters()` found it. Volume and place do not count.
  open func averagePower(forChannel channelNumber: Int) -> Float { meter.withLock { $0.power(channelNumber, \.average) } }
  open func peakPower(forChannel channelNumber: Int) -> Float { meter.withLock { $0.power(channelNumber, \.peak) } }
}

/// The power of the sound at a place of a file.
private struct SoundMeter: @unchecked Sendable {
  typealias Power = (average: Double, peak: Double)

  // The player's lock keeps threads apart.
  private let file: AVAudioFile
  private var powers: [Power] = []

  /// The seconds that are heard, and those that are read on rather than looked for.
  private static let (window, near) = (0.05, 10.0)

  init(_ file: AVAudioFile) { self.file = file }

  /// Measures the sound before a time; nil for silence.
  mutating func listen(to time: TimeInterval?) throws {
    powers = []
    guard let time else { return }
    let rate = file.processingFormat.sampleRate
    let end = min(file.length, AVAudioFramePosition(time * rate))
    let start = max(0, end - AVAudioFramePosition(Self.window * rate))
    if start < file.framePosition || Double(start - file.framePosition) > Self.near * rate { file.framePosition = start }
    while file.framePosition < start {
      let skipped = AVAudioFrameCount(min(start - file.framePosition, 65_536))
      guard try read(skipped).frameLength > 0 else { return }
    }
    guard end > start else { return }
    let sound = try read(AVAudioFrameCount(end - start))
    let (floats, channels, count) = (sound.floats, Int(file.processingFormat.channelCount), Int(sound.frameLength))
    guard count > 0 else { return }
    powers = (0..<channels).map { channel in
      var (sum, peak) = (0.0, 0.0)
      for frame in 0..<count {
        let value = Double(floats[frame * channels + channel])
        sum += value * value
        peak = max(peak, abs(value))
      }
      return ((sum / Double(count)).squareRoot(), peak)
    }
  }

  private func read(_ count: AVAudioFrameCount) throws -> AVAudioPCMBuffer {
    guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: count) else {
      throw AVError(.unknown, "\(file.url.path): its form is no form of buffers", url: file.url)
    }
    try file.read(into: buffer)
    return buffer
  }

  func power(_ channel: Int, _ kind: (Power) -> Double) -> Float {
    guard powers.indices.contains(channel), kind(powers[channel]) > 1e-8 else { return -160 }
    return Float(20 * log10(kind(powers[channel])))
  }
}
