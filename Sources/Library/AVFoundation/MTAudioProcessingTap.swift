// All partly: called in this process, before the farm makes the movie, and by a reader's mix. A player calls none: docs/avfoundation.md#taps

public typealias MTAudioProcessingTapFlags = UInt32
public typealias MTAudioProcessingTapCreationFlags = UInt32

public let kMTAudioProcessingTapCreationFlag_PreEffects: MTAudioProcessingTapCreationFlags = 1
public let kMTAudioProcessingTapCreationFlag_PostEffects: MTAudioProcessingTapCreationFlags = 2
public let kMTAudioProcessingTapFlag_StartOfStream: MTAudioProcessingTapFlags = 256
public let kMTAudioProcessingTapFlag_EndOfStream: MTAudioProcessingTapFlags = 512
public let kMTAudioProcessingTapCallbacksVersion_0: Int32 = 0
public let kMTAudioProcessingTapInvalidArgumentErr: OSStatus = -12780

public typealias MTAudioProcessingTapInitCallback = (
  MTAudioProcessingTap, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Void
public typealias MTAudioProcessingTapFinalizeCallback = (MTAudioProcessingTap) -> Void
public typealias MTAudioProcessingTapPrepareCallback = (
  MTAudioProcessingTap, CMItemCount, UnsafePointer<AudioStreamBasicDescription>
) -> Void
public typealias MTAudioProcessingTapUnprepareCallback = (MTAudioProcessingTap) -> Void
public typealias MTAudioProcessingTapProcessCallback = (
  MTAudioProcessingTap, CMItemCount, MTAudioProcessingTapFlags, UnsafeMutablePointer<AudioBufferList>,
  UnsafeMutablePointer<CMItemCount>, UnsafeMutablePointer<MTAudioProcessingTapFlags>
) -> Void

/// The functions of a tap.
@safe public struct MTAudioProcessingTapCallbacks {
  public var version: Int32
  public var clientInfo: UnsafeMutableRawPointer?
  public var `init`: MTAudioProcessingTapInitCallback?
  public var finalize: MTAudioProcessingTapFinalizeCallback?
  public var prepare: MTAudioProcessingTapPrepareCallback?
  public var unprepare: MTAudioProcessingTapUnprepareCallback?
  public var process: MTAudioProcessingTapProcessCallback

  public init(
    version: Int32, clientInfo: UnsafeMutableRawPointer?, `init` initCallback: MTAudioProcessingTapInitCallback?,
    finalize: MTAudioProcessingTapFinalizeCallback?, prepare: MTAudioProcessingTapPrepareCallback?,
    unprepare: MTAudioProcessingTapUnprepareCallback?, process: @escaping MTAudioProcessingTapProcessCallback
  ) {
    (self.version, self.finalize, self.unprepare) = (version, finalize, unprepare)
    unsafe (self.clientInfo, self.`init`) = unsafe (clientInfo, initCallback)
    unsafe (self.prepare, self.process) = unsafe (prepare, process)
  }
}

/// A place at which code of the caller's takes part in a track's sound, when the edit is exported or read.
// It is its owner's, and called by one thread at a time.
@safe public final class MTAudioProcessingTap {
  private let callbacks: MTAudioProcessingTapCallbacks
  private let flags: MTAudioProcessingTapCreationFlags
  fileprivate private(set) var storage: UnsafeMutableRawPointer?
  /// The sound that the tap may take while `process` is called.
  fileprivate private(set) var feed: TapFeed?

  fileprivate init(_ callbacks: MTAudioProcessingTapCallbacks, _ flags: MTAudioProcessingTapCreationFlags) {
    (self.callbacks, self.flags) = (callbacks, flags)
    unsafe storage = nil
    if let begin = unsafe callbacks.`init` { unsafe begin(self, callbacks.clientInfo, &storage) }
  }

  deinit { callbacks.finalize?(self) }

  /// Whether the tap gets the sound before its volume is set.
  var isBeforeVolume: Bool { flags & kMTAudioProcessingTapCreationFlag_PreEffects != 0 }

  /// The frames of each call but the last one.
  private static let frames = 4096

  /// Calls the tap for all of a track's sound: `prepare`, `process` for each piece, `unprepare`.
  ///
  /// - Parameter take: is given the samples that the tap makes, channels beside each other. There are as many as in the feed.
  /// - Throws: what the feed or `take` throws.
  func process(_ feed: TapFeed, _ take: ([Float]) throws(AVError) -> Void) throws(AVError) {
    var form = AudioStreamBasicDescription(
      mSampleRate: Double(feed.sampleRate), mFormatID: kAudioFormatLinearPCM,
      mFormatFlags: kAudioFormatFlagsNativeFloatPacked | kAudioFormatFlagIsNonInterleaved, mBytesPerPacket: 4,
      mFramesPerPacket: 1, mBytesPerFrame: 4, mChannelsPerFrame: UInt32(feed.channelCount), mBitsPerChannel: 32, mReserved: 0)
    unsafe callbacks.prepare?(self, Self.frames, &form)
    self.feed = feed
    defer {
      self.feed = nil
      callbacks.unprepare?(self)
    }
    let list = TapBuffers(feed.channelCount, frames: Self.frames)
    var done = 0
    while true {
      try feed.load(2 * Self.frames)
      let left = feed.position + feed.loaded - done
      guard left > 0 else { return }
      let count = min(left, Self.frames)
      var flags: MTAudioProcessingTapFlags = done == 0 ? kMTAudioProcessingTapFlag_StartOfStream : 0
      if left == count { flags |= kMTAudioProcessingTapFlag_EndOfStream }
      var (made, madeFlags): (CMItemCount, MTAudioProcessingTapFlags) = (0, 0)
      list.clear(count)
      unsafe callbacks.process(self, count, flags, list.list.unsafeMutablePointer, &made, &madeFlags)
      if let failure = feed.failure { throw failure }
      try take(list.samples(min(max(made, 0), count), of: count))
      done += count
      // What the tap did not take has passed by.
      feed.drop(to: done)
    }
  }
}

/// Makes a tap, and calls its `init`.
public func MTAudioProcessingTapCreate(
  _ allocator: CFAllocator?, _ callbacks: UnsafePointer<MTAudioProcessingTapCallbacks>,
  _ flags: MTAudioProcessingTapCreationFlags, _ tapOut: UnsafeMutablePointer<MTAudioProcessingTap?>
) -> OSStatus {
  let given = unsafe callbacks.pointee
  guard given.version == kMTAudioProcessingTapCallbacksVersion_0 else { return kMTAudioProcessingTapInvalidArgumentErr }
  unsafe tapOut.initialize(to: MTAudioProcessingTap(given, flags))
  return noErr
}

/// Makes a tap as `MTAudioProcessingTapCreate` of older systems does. The caller takes it by `takeRetainedValue()`.
public func MTAudioProcessingTapCreate(
  _ allocator: CFAllocator?, _ callbacks: UnsafePointer<MTAudioProcessingTapCallbacks>,
  _ flags: MTAudioProcessingTapCreationFlags, _ tapOut: UnsafeMutablePointer<Unmanaged<MTAudioProcessingTap>?>
) -> OSStatus {
  var tap: MTAudioProcessingTap?
  let status = unsafe MTAudioProcessingTapCreate(allocator, callbacks, flags, &tap)
  unsafe tapOut.initialize(to: unsafe tap.map(Unmanaged.passRetained))
  return status
}

/// The storage that the tap's `init` gave. It is only there where that function gave some.
public func MTAudioProcessingTapGetStorage(_ tap: MTAudioProcessingTap) -> UnsafeMutableRawPointer {
  guard let storage = unsafe tap.storage else { preconditionFailure("MTAudioProcessingTapGetStorage: init gave no storage") }
  return unsafe storage
}

/// Gives the next frames of the track's sound, floats of one channel in each buffer. A buffer without memory is given some, which lasts until the
/// next call. There is sound only while `process` is called.
///
/// - Parameters:
///   - tap: the tap whose `process` is called.
///   - numberFrames: the number of frames that are asked for.
///   - bufferListInOut: the buffers of the channels, into which the frames are put.
///   - flagsOut: is told whether these are the first or the last frames.
///   - timeRangeOut: is given their range in the edit's time.
///   - numberFramesOut: is given their number, which is smaller at the end.
public func MTAudioProcessingTapGetSourceAudio(
  _ tap: MTAudioProcessingTap, _ numberFrames: CMItemCount, _ bufferListInOut: UnsafeMutablePointer<AudioBufferList>,
  _ flagsOut: UnsafeMutablePointer<MTAudioProcessingTapFlags>?, _ timeRangeOut: UnsafeMutablePointer<CMTimeRange>?,
  _ numberFramesOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus {
  guard let feed = tap.feed, numberFrames >= 0 else { return kMTAudioProcessingTapInvalidArgumentErr }
  let start = feed.position
  let count = unsafe feed.give(numberFrames, to: UnsafeMutableAudioBufferListPointer(bufferListInOut))
  guard feed.failure == nil else { return kMTAudioProcessingTapInvalidArgumentErr }
  var flags: MTAudioProcessingTapFlags = start == 0 ? kMTAudioProcessingTapFlag_StartOfStream : 0
  if feed.isAtEnd { flags |= kMTAudioProcessingTapFlag_EndOfStream }
  unsafe flagsOut?.pointee = flags
  unsafe timeRangeOut?.pointee = feed.range(start, count)
  unsafe numberFramesOut?.pointee = count
  return noErr
}
