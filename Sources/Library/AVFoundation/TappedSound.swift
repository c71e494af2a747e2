internal import MediaTime
internal import Synchronization
internal import Timeline

/// The sound of an edit whose tracks have taps. A tap is code of this process. So the sound of each such track is read, given to its tap and written
/// into a folder of temporary files, without loss, and the farm makes the movie of an edit that plays these files.
// The edit is a copy of the caller's. One thread makes the sound, and the lock is for whoever asks for it a second time.
final class TappedSound: @unchecked Sendable {
  private let request: Lowering.Request
  private let edit: AVMutableComposition
  private let folder: TemporaryFolder
  private let made = Mutex(false)

  /// Whether a track that is heard has a tap.
  static func isNeeded(_ request: Lowering.Request) -> Bool {
    request.audioMix?.inputParameters.contains { $0.audioTapProcessor != nil } ?? false
  }

  init(_ request: Lowering.Request) throws(AVError) {
    guard let copy = try request.asset.asComposition().mutableCopy() as? AVMutableComposition else {
      preconditionFailure("an edit's copy is one")
    }
    (self.request, edit) = (request, copy)
    folder = try TemporaryFolder(for: "tapped")
  }

  /// Calls the taps.
  ///
  /// - Parameters:
  ///   - isWanted: asked between pieces of sound.
  ///   - progress: is given the share of the sound that is made.
  /// - Returns: the request for an edit without taps. Its files last as long as this object.
  func untapped(isWanted: () -> Bool, progress: (Float) -> Void) throws(AVError) -> Lowering.Request {
    let isFirst = made.withLock { made in
      defer { made = true }
      return !made
    }
    precondition(isFirst, "the taps are called once")
    let mix = AVMutableAudioMix()
    let given = request.audioMix?.inputParameters ?? []
    let tapped = edit.compositionTracks.filter { track in
      track.mediaType == .audio && given.contains { $0.trackID == track.trackID && $0.audioTapProcessor != nil }
    }
    mix.inputParameters = given.filter { own in !tapped.contains { $0.trackID == own.trackID } }
    for (index, track) in tapped.enumerated() {
      let parameters = AVAudioMixInputParameters(of: given.filter { $0.trackID == track.trackID })
      guard let tap = parameters.audioTapProcessor else { continue }
      if track.isEnabled, request.trackIDs?.contains(track.trackID) ?? true, !track.edit.segments.isEmpty {
        try play(track, through: tap, parameters, isWanted) { progress((Float(index) + $0) / Float(tapped.count)) }
      }
      if tap.isBeforeVolume { mix.inputParameters.append(parameters.untapped(keepingVolume: true)) }
    }
    var second = request
    (second.asset, second.audioMix) = (edit, mix)
    return second
  }

  /// Puts what a tap makes of a track's sound in the place of that sound.
  private func play(
    _ track: AVMutableCompositionTrack, through tap: MTAudioProcessingTap, _ parameters: AVAudioMixInputParameters,
    _ isWanted: () -> Bool, progress: (Float) -> Void
  ) throws(AVError) {
    let range = try MediaTimeRange(wanted: request.timeRange, lasting: track.edit.duration)
    guard !range.isEmpty else { return }
    var alone = Lowering.Request(asset: edit, timePitch: request.timePitch)
    let mix = AVMutableAudioMix()
    mix.inputParameters = [parameters.untapped(keepingVolume: !tap.isBeforeVolume)]
    (alone.audioMix, alone.trackIDs) = (mix, [track.trackID])
    alone.timeRange = CMTimeRange(range, preferredTimescale: 600)
    let (rate, channels) = track.soundSource
    let form = try SoundForm(nil, (rate, channels), "audioTapProcessor")
    let supply = try SoundSupply(alone, [track], nil, "audioTapProcessor")
    guard let first = try supply.next() else { return }
    let total = max(1, Int(range.duration.seconds * Double(form.sampleRate)))
    let feed = TapFeed(
      first.floats, at: first.presentationTimeStamp, sampleRate: form.sampleRate, channelCount: form.channelCount
    ) { () throws(AVError) in try supply.next()?.floats }
    let file = URL(fileURLWithPath: "\(folder.path)/track\(track.trackID).mov")
    let writing = try SoundFile(file, form.sampleRate, form.channelCount)
    do throws(AVError) {
      try tap.process(feed) { (samples) throws(AVError) in
        guard isWanted() else { throw AVError(.operationCancelled, "the export was cancelled") }
        try writing.append(samples)
        progress(min(1, Float(feed.position) / Float(total)))
      }
      // One frame more, so that the track does not end within its last one.
      try writing.append([Float](repeating: 0, count: form.channelCount))
      try writing.finish()
    } catch {
      supply.cancel()
      writing.cancel()
      throw error
    }
    try replace(track, by: file, at: first.presentationTimeStamp)
  }

  private func replace(_ track: AVMutableCompositionTrack, by file: URL, at start: CMTime) throws(AVError) {
    guard let source = try AVURLAsset(url: file).loadedTracks().first else {
      throw AVError(.exportFailed, "the sound that a tap made cannot be read", url: file)
    }
    let (begin, end) = (try MediaTime(start, "audioTapProcessor"), track.edit.duration)
    do {
      let length = min(try MediaTime(source.timeRange.duration, "audioTapProcessor"), try end - begin)
      let material = try source.material(in: MediaTimeRange(start: .zero, duration: length))
      try track.play(material, lasting: length, at: begin)
    } catch let error as AVError { throw error } catch {
      throw AVError(.unknown, "track \(track.trackID): \(error)", property: "audioTapProcessor")
    }
    // The volume of the track is in the sound already.
    track.preferredVolume = 1
  }
}

extension CMSampleBuffer {
  /// The samples of sound that was read as floats.
  fileprivate var floats: [Float] {
    let bytes = dataBuffer?.bytes ?? []
    return unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
  }
}

/// A file of sound without loss, which is written piece by piece.
private struct SoundFile {
  private let writer: AVAssetWriter
  private let input: AVAssetWriterInput
  private let form: CMFormatDescription
  private let channelCount: Int
  private let timing: CMSampleTimingInfo

  init(_ file: URL, _ sampleRate: Int32, _ channelCount: Int) throws(AVError) {
    self.channelCount = channelCount
    let bytes = UInt32(4 * channelCount)
    form = CMFormatDescription(
      sound: AudioStreamBasicDescription(
        mSampleRate: Double(sampleRate), mFormatID: kAudioFormatLinearPCM, mFormatFlags: kAudioFormatFlagsNativeFloatPacked,
        mBytesPerPacket: bytes, mFramesPerPacket: 1, mBytesPerFrame: bytes, mChannelsPerFrame: UInt32(channelCount),
        mBitsPerChannel: 32, mReserved: 0))
    // Samples without times follow each other.
    timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: sampleRate), presentationTimeStamp: .invalid, decodeTimeStamp: .invalid)
    input = AVAssetWriterInput(
      mediaType: .audio,
      outputSettings: [
        AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 32,
        AVSampleRateKey: Double(sampleRate), AVNumberOfChannelsKey: channelCount,
      ])
    do { writer = try AVAssetWriter(outputURL: file, fileType: .mov) } catch {
      throw error as? AVError ?? AVError(.unknown, "\(file.path): \(error)")
    }
    writer.add(input)
    guard writer.startWriting() else { throw failure }
    writer.startSession(atSourceTime: .zero)
  }

  private var failure: AVError { writer.error as? AVError ?? AVError(.exportFailed, "the sound of a tap cannot be written") }

  func append(_ samples: [Float]) throws(AVError) {
    let bytes = unsafe samples.withUnsafeBytes { unsafe Array($0) }
    let buffer = CMSampleBuffer(
      picture: nil, block: CMBlockBuffer(bytes), form, count: samples.count / channelCount, timing: [timing],
      sizes: [4 * channelCount])
    guard input.append(buffer) else { throw failure }
  }

  func finish() throws(AVError) {
    input.markAsFinished()
    let done = DispatchSemaphore(value: 0)
    writer.finishWriting { done.signal() }
    done.wait()
    guard writer.status == .completed else { throw failure }
  }

  func cancel() { writer.cancelWriting() }
}

/// The sound of an edit with taps, which are called when it is first asked for.
// The output's lock keeps threads apart.
final class TappedSupply: SampleSupply, @unchecked Sendable {
  private let sound: TappedSound
  private let tracks: [AVAssetTrack]
  private let settings: [String: Any]?
  private var supply: SoundSupply?
  private let isCancelled = Atomic(false)

  init(_ request: Lowering.Request, _ tracks: [AVAssetTrack], _ settings: [String: Any]?) throws(AVError) {
    // Settings that are refused are told when reading begins.
    _ = try SoundForm(settings, tracks[0].soundSource, "audioSettings")
    (sound, self.tracks, self.settings) = (try TappedSound(request), tracks, settings)
  }

  func next() throws(AVError) -> CMSampleBuffer? {
    if supply == nil {
      let request = try sound.untapped(isWanted: { !isCancelled.load(ordering: .relaxed) }, progress: { _ in })
      supply = try SoundSupply(request, tracks, settings, "audioSettings")
    }
    return isCancelled.load(ordering: .relaxed) ? nil : try supply?.next()
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
