internal import Formats

/// A file of sound that is read or written frame by frame. Reading decodes in the program `spool`, and writing encodes there.
// It is its owner's, who must not use it on several threads at once.
/// - Partly: reads the sound of every medium, in one, two or six channels, and writes WAV, M4A and MP3
open class AVAudioFile: NSObject {
  public let url: URL
  /// The form of the sound in the file, and in the buffers.
  public let fileFormat: AVAudioFormat
  public let processingFormat: AVAudioFormat
  /// The number of frames in the file, and the frame that is read or written next.
  open private(set) var length: AVAudioFramePosition
  open var framePosition: AVAudioFramePosition = 0 {
    didSet { if framePosition != oldValue { reading = nil } }
  }
  private let asset: AVURLAsset?
  private var reading: Reading?
  private var writing: Writing?

  private struct Reading {
    let reader: AVAssetReader
    let output: AVAssetReaderTrackOutput
    var rest: ArraySlice<Float> = []
  }

  private struct Writing {
    let writer: AVAssetWriter
    let input: AVAssetWriterInput
  }

  // MARK: - Reading

  public convenience init(forReading fileURL: URL) throws {
    try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Opens a file of sound, or a movie with sound.
  ///
  /// - Throws: an `AVError` for a file that cannot be read or has no sound, and for a form of buffers that is none.
  public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
    let asset = AVURLAsset(url: fileURL)
    guard let track = try asset.loadedTracks().first(where: { $0.mediaType == .audio }), let facts = track.facts?.audio else {
      throw AVError(.noSourceTrack, "\(fileURL.path): has no sound", url: fileURL)
    }
    let rate = Double(facts.sampleRate)
    // Sound is given in one, two and six channels.
    let channels = [1, 2, 6].contains(facts.channelCount) ? facts.channelCount : 2
    guard
      let processing = AVAudioFormat(
        commonFormat: format, sampleRate: rate, channels: AVAudioChannelCount(channels), interleaved: interleaved)
    else { throw AVError(.unsupportedOutputSettings, "commonFormat: \(format) is no form of buffers", property: "commonFormat") }
    (url, self.asset, processingFormat) = (fileURL, asset, processing)
    fileFormat =
      (track.formatDescriptions.first as? CMFormatDescription).map(AVAudioFormat.init(cmAudioFormatDescription:)) ?? processing
    length = CMTimeConvertScale(track.timeRange.end, timescale: CMTimeScale(facts.sampleRate), method: .default).value
    super.init()
  }

  /// Reads frames until the buffer is full, or the file ends. A buffer that stays empty is at the end.
  open func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

  open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
    guard buffer.format == processingFormat else {
      throw AVError(.unsupportedOutputSettings, "read(into:): the buffer's format is not the file's processingFormat")
    }
    buffer.frameLength = 0
    var reading = try self.reading ?? begin()
    let channels = Int(processingFormat.channelCount)
    let wanted = Int(min(frames, buffer.frameCapacity)) * channels
    while reading.rest.count < wanted, let next = reading.output.copyNextSampleBuffer() {
      let bytes = next.dataBuffer?.bytes ?? []
      reading.rest += unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }
    if reading.reader.status == .failed, let error = reading.reader.error { throw error }
    let taken = reading.rest.prefix(wanted)
    buffer.append(taken)
    framePosition += AVAudioFramePosition(taken.count / channels)
    reading.rest = reading.rest.dropFirst(taken.count)
    self.reading = reading
  }

  private func begin() throws -> Reading {
    guard let asset, let track = asset.tracks(withMediaType: .audio).first else {
      throw AVError(.operationNotAllowed, "read(into:): the file is written", url: url)
    }
    let reader = try AVAssetReader(asset: asset)
    let settings: [String: Any] = [
      AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 32,
      AVSampleRateKey: processingFormat.sampleRate, AVNumberOfChannelsKey: Int(processingFormat.channelCount),
    ]
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
    reader.add(output)
    let start = CMTime(value: framePosition, timescale: CMTimeScale(processingFormat.sampleRate))
    reader.timeRange = CMTimeRange(start: start, duration: .positiveInfinity)
    guard framePosition < length, reader.startReading() else {
      if let error = reader.error { throw error }
      return Reading(reader: reader, output: output)
    }
    return Reading(reader: reader, output: output)
  }

  // MARK: - Writing

  public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
    try self.init(forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Begins a file: a WAV, an M4A or an MP3, by the ending of its name. What is there is removed at once.
  ///
  /// - Throws: an `AVError` for other files, and for settings that are not made.
  public init(
    forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool
  ) throws {
    let kinds: [String: AVFileType] = ["wav": .wav, "m4a": .m4a, "mp3": .mp3]
    guard let kind = kinds[fileURL.pathExtension.lowercased()] else {
      throw AVError(
        .unsupportedOutputSettings, "\(fileURL.path): such a file is not written; wav, m4a and mp3 are", property: "url",
        url: fileURL)
    }
    guard let stored = AVAudioFormat(settings: settings),
      let processing = AVAudioFormat(
        commonFormat: format, sampleRate: stored.sampleRate, channels: stored.channelCount, interleaved: interleaved)
    else {
      throw AVError(
        .unsupportedOutputSettings, "settings: name no sample rate, channels and format that are made", property: "settings")
    }
    (url, asset, fileFormat, processingFormat, length) = (fileURL, nil, stored, processing, 0)
    super.init()
    var settings = settings
    settings[AVLinearPCMIsNonInterleaved] = nil
    if FileManager.default.fileExists(atPath: fileURL.path) { try FileManager.default.removeItem(at: fileURL) }
    let writer = try AVAssetWriter(outputURL: fileURL, fileType: kind)
    let input = AVAssetWriterInput(mediaType: .audio, outputSettings: settings)
    writer.add(input)
    guard writer.startWriting() else { throw writer.error ?? AVError(.unknown, "\(fileURL.path): cannot be written") }
    writer.startSession(atSourceTime: .zero)
    writing = Writing(writer: writer, input: input)
  }

  /// Writes the buffer's frames after those that were written before.
  open func write(from buffer: AVAudioPCMBuffer) throws {
    guard let writing else { throw AVError(.operationNotAllowed, "write(from:): the file is read, or closed", url: url) }
    guard buffer.format == processingFormat else {
      throw AVError(.unsupportedOutputSettings, "write(from:): the buffer's format is not the file's processingFormat")
    }
    guard buffer.frameLength > 0 else { return }
    let floats = buffer.floats
    let (rate, channels) = (processingFormat.sampleRate, Int(processingFormat.channelCount))
    let size = UInt32(4 * channels)
    let form = AudioStreamBasicDescription(
      mSampleRate: rate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: kAudioFormatFlagsNativeFloatPacked,
      mBytesPerPacket: size,
      mFramesPerPacket: 1, mBytesPerFrame: size, mChannelsPerFrame: UInt32(channels), mBitsPerChannel: 32, mReserved: 0)
    let timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: CMTimeScale(rate)),
      presentationTimeStamp: CMTime(value: length, timescale: CMTimeScale(rate)), decodeTimeStamp: .invalid)
    let bytes = unsafe floats.withUnsafeBytes { unsafe Array($0) }
    let samples = CMSampleBuffer(
      picture: nil, block: CMBlockBuffer(bytes), CMFormatDescription(sound: form), count: Int(buffer.frameLength),
      timing: [timing],
      sizes: [Int(size)])
    guard writing.input.append(samples) else { throw writing.writer.error ?? AVError(.unknown, "\(url.path): was not written") }
    length += AVAudioFramePosition(buffer.frameLength)
    framePosition = length
  }

  /// Completes the file. It is called when the object goes, too.
  open func close() {
    reading?.reader.cancelReading()
    reading = nil
    guard let writing else { return }
    self.writing = nil
    writing.input.markAsFinished()
    let done = DispatchSemaphore(value: 0)
    writing.writer.finishWriting { done.signal() }
    done.wait()
  }

  deinit { close() }
}
