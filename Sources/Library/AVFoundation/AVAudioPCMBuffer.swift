/// Sound in memory.
/// - Partly: as `AVAudioFile`
open class AVAudioBuffer: NSObject {
  public let format: AVAudioFormat
  init(_ format: AVAudioFormat) {
    self.format = format
    super.init()
  }
}

/// Samples of sound in memory.
// @safe: the memory is made in `init`, freed in `deinit`, and its addresses are constant.
/// - Partly: as `AVAudioFile`
@safe open class AVAudioPCMBuffer: AVAudioBuffer {
  public let frameCapacity: AVAudioFrameCount
  /// The frames that hold sound.
  open var frameLength: AVAudioFrameCount = 0 {
    willSet { precondition(newValue <= frameCapacity, "AVAudioPCMBuffer.frameLength is at most the capacity") }
  }
  private let memory: UnsafeMutableRawPointer
  private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private let channelBytes: Int
  private let list: UnsafeMutableAudioBufferListPointer

  /// Makes a buffer of silence; nil for forms that are no linear PCM of a common kind.
  public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
    guard format.commonFormat != .otherFormat else { return nil }
    self.frameCapacity = frameCapacity
    let count = Int(format.channelCount)
    channelBytes = Int(frameCapacity) * format.bytesPerSample
    let size = max(1, channelBytes * count)
    unsafe memory = .allocate(byteCount: size, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    unsafe channels = .allocate(capacity: count)
    let step = format.isInterleaved ? format.bytesPerSample : channelBytes
    for index in 0..<count { unsafe (channels + index).initialize(to: memory + index * step) }
    list = AudioBufferList.allocate(maximumBuffers: format.isInterleaved ? 1 : count)
    super.init(format)
  }

  /// The memory as a list, whose sizes are those of `frameLength`: one buffer, or one for each channel.
  open var audioBufferList: UnsafePointer<AudioBufferList> { unsafe UnsafePointer(filled(frameLength)) }
  /// The memory as a list, whose sizes are those of `frameCapacity`. Who writes into it sets `frameLength`, too.
  open var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { unsafe filled(frameCapacity) }

  private func filled(_ frames: AVAudioFrameCount) -> UnsafeMutablePointer<AudioBufferList> {
    let count = list.count
    let size = Int(frames) * format.bytesPerSample * (count == 1 ? Int(format.channelCount) : 1)
    for index in 0..<count {
      list[index] = unsafe AudioBuffer(
        mNumberChannels: count == 1 ? format.channelCount : 1, mDataByteSize: UInt32(size), mData: channels[index])
    }
    return unsafe list.unsafeMutablePointer
  }

  deinit {
    unsafe free(list.unsafeMutablePointer)
    unsafe channels.deallocate()
    unsafe memory.deallocate()
  }

  /// The samples from one of a channel to its next one.
  open var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

  /// The samples of each channel; nil where they are of another kind.
  open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { unsafe samples(.pcmFormatFloat32) }
  open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { unsafe samples(.pcmFormatInt16) }
  open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { unsafe samples(.pcmFormatInt32) }

  private func samples<Sample>(_ kind: AVAudioCommonFormat) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
    guard format.commonFormat == kind else { return nil }
    // A pointer to samples lies in memory as one to bytes does.
    return unsafe UnsafePointer(UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self))
  }

  /// Puts frames of floats, whose channels lie beside each other, after those that are there.
  func append(_ floats: ArraySlice<Float>) {
    let count = Int(format.channelCount)
    let frames = min(floats.count / count, Int(frameCapacity - frameLength))
    let (bytes, step) = (format.bytesPerSample, stride * format.bytesPerSample)
    for frame in 0..<frames {
      for channel in 0..<count {
        let value = floats[floats.startIndex + frame * count + channel]
        let place = unsafe channels[channel] + (Int(frameLength) + frame) * step
        unsafe Self.store(Double(value), place, format.commonFormat, bytes)
      }
    }
    frameLength += AVAudioFrameCount(frames)
  }

  /// Puts frames, channel by channel, after those that are there. What does not fit is left out.
  func append(planes: [[Double]]) {
    let frames = min(planes.first?.count ?? 0, Int(frameCapacity - frameLength))
    let (bytes, step) = (format.bytesPerSample, stride * format.bytesPerSample)
    for (channel, samples) in planes.prefix(Int(format.channelCount)).enumerated() {
      for frame in 0..<frames {
        let place = unsafe channels[channel] + (Int(frameLength) + frame) * step
        unsafe Self.store(samples[frame], place, format.commonFormat, bytes)
      }
    }
    frameLength += AVAudioFrameCount(frames)
  }

  private static func store(_ value: Double, _ place: UnsafeMutableRawPointer, _ kind: AVAudioCommonFormat, _ bytes: Int) {
    let scaled = value * (bytes == 2 ? 32768 : 2147483648)
    switch kind {
    case .pcmFormatFloat32: unsafe place.storeBytes(of: Float(value), as: Float.self)
    case .pcmFormatFloat64: unsafe place.storeBytes(of: value, as: Double.self)
    case .pcmFormatInt16: unsafe place.storeBytes(of: Int16(min(max(scaled.rounded(), -32768), 32767)), as: Int16.self)
    default: unsafe place.storeBytes(of: Int32(min(max(scaled.rounded(), -2147483648), 2147483647)), as: Int32.self)
    }
  }

  /// The frames as floats, whose channels lie beside each other.
  var floats: [Float] {
    let count = Int(format.channelCount)
    var made: [Float] = []
    made.reserveCapacity(Int(frameLength) * count)
    for frame in 0..<Int(frameLength) {
      for channel in 0..<count { made.append(Float(sample(channel, frame))) }
    }
    return made
  }

  /// The frames, channel by channel.
  var planes: [[Double]] {
    (0..<Int(format.channelCount)).map { channel in (0..<Int(frameLength)).map { sample(channel, $0) } }
  }

  private func sample(_ channel: Int, _ frame: Int) -> Double {
    let place = unsafe channels[channel] + frame * stride * format.bytesPerSample
    switch format.commonFormat {
    case .pcmFormatFloat32: return Double(unsafe place.load(as: Float.self))
    case .pcmFormatFloat64: return unsafe place.load(as: Double.self)
    case .pcmFormatInt16: return Double(unsafe place.load(as: Int16.self)) / 32768
    default: return Double(unsafe place.load(as: Int32.self)) / 2147483648
    }
  }
}
