// All refused: a tap can be made and set. An edit with one fails (−11862): the farm mixes the sound

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

/// A place at which code of the caller's takes part in a track's sound. It can be made and kept; an edit with one is refused when it
/// is exported or read, because the farm mixes the sound.
@safe public final class MTAudioProcessingTap {
  private let callbacks: MTAudioProcessingTapCallbacks
  fileprivate private(set) var storage: UnsafeMutableRawPointer?

  fileprivate init(_ callbacks: MTAudioProcessingTapCallbacks) {
    self.callbacks = callbacks
    unsafe storage = nil
    if let begin = unsafe callbacks.`init` { unsafe begin(self, callbacks.clientInfo, &storage) }
  }

  deinit { callbacks.finalize?(self) }
}

/// Makes a tap, and calls its `init`.
public func MTAudioProcessingTapCreate(
  _ allocator: CFAllocator?, _ callbacks: UnsafePointer<MTAudioProcessingTapCallbacks>,
  _ flags: MTAudioProcessingTapCreationFlags, _ tapOut: UnsafeMutablePointer<MTAudioProcessingTap?>
) -> OSStatus {
  let given = unsafe callbacks.pointee
  guard given.version == kMTAudioProcessingTapCallbacksVersion_0 else { return kMTAudioProcessingTapInvalidArgumentErr }
  unsafe tapOut.initialize(to: MTAudioProcessingTap(given))
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

/// Gives no sound: there is some only while `process` is called, and it never is.
public func MTAudioProcessingTapGetSourceAudio(
  _ tap: MTAudioProcessingTap, _ numberFrames: CMItemCount, _ bufferListInOut: UnsafeMutablePointer<AudioBufferList>,
  _ flagsOut: UnsafeMutablePointer<MTAudioProcessingTapFlags>?, _ timeRangeOut: UnsafeMutablePointer<CMTimeRange>?,
  _ numberFramesOut: UnsafeMutablePointer<CMItemCount>?
) -> OSStatus { kMTAudioProcessingTapInvalidArgumentErr }
