internal import Synchronization

/// The sound of a program as a whole. This machine's loudspeakers and microphones are not used: the session keeps its settings, has no
/// inputs and outputs, and cannot record.
// The lock guards all that changes.
/// - Partly: keeps its settings. There are no inputs and outputs, and categories that record are refused (−11814)
open class AVAudioSession: NSObject, @unchecked Sendable {
  public struct Category: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
  }

  public struct Mode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
  }

  public struct CategoryOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let mixWithOthers = CategoryOptions(rawValue: 1)
    public static let duckOthers = CategoryOptions(rawValue: 2)
    public static let allowBluetooth = CategoryOptions(rawValue: 4)
    public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
    public static let allowAirPlay = CategoryOptions(rawValue: 64)
  }

  public struct SetActiveOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  public enum RecordPermission: UInt, Sendable {
    case undetermined = 0x756E_6474
    case denied = 0x6465_6E79
    case granted = 0x6772_6E74
  }

  /// A kind of inputs and outputs.
  public struct Port: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let builtInSpeaker = Port(rawValue: "Speaker")
    public static let builtInReceiver = Port(rawValue: "Receiver")
    public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
    public static let headphones = Port(rawValue: "Headphones")
    public static let headsetMic = Port(rawValue: "MicrophoneWired")
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
    public static let bluetoothLE = Port(rawValue: "BluetoothLE")
    public static let airPlay = Port(rawValue: "AirPlay")
    public static let carAudio = Port(rawValue: "CarAudio")
    public static let HDMI = Port(rawValue: "HDMIOutput")
    public static let lineOut = Port(rawValue: "LineOut")
    public static let usbAudio = Port(rawValue: "USBAudio")
  }

  public enum PortOverride: UInt, Sendable {
    case none = 0
    case speaker = 0x7370_6b72
  }

  private struct Settings {
    var category = Category.soloAmbient
    var mode = Mode.default
    var options: CategoryOptions = []
  }

  private static let shared = AVAudioSession()
  private let settings = Mutex(Settings())

  override init() { super.init() }

  open class func sharedInstance() -> AVAudioSession { shared }

  open var category: Category { settings.withLock(\.category) }
  open var mode: Mode { settings.withLock(\.mode) }
  open var categoryOptions: CategoryOptions { settings.withLock(\.options) }
  open var availableCategories: [Category] { [.ambient, .soloAmbient, .playback] }
  open var isInputAvailable: Bool { false }
  open var isOtherAudioPlaying: Bool { false }
  open var recordPermission: RecordPermission { .denied }
  open var outputVolume: Float { 1 }
  open var sampleRate: Double { 48_000 }
  open var inputNumberOfChannels: Int { 0 }
  open var outputNumberOfChannels: Int { 0 }

  /// The inputs and outputs that are used: none.
  open var currentRoute: AVAudioSessionRouteDescription { AVAudioSessionRouteDescription() }
  open var availableInputs: [AVAudioSessionPortDescription]? { [] }

  /// Takes back an override, which there never is.
  ///
  /// - Throws: an `AVError` for the loudspeaker, which is not used here.
  open func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
    if portOverride == .speaker {
      throw AVError(.operationNotAllowed, "overrideOutputAudioPort: no loudspeaker is used here", property: "portOverride")
    }
  }

  /// - Throws: an `AVError` for a category that records.
  open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    guard availableCategories.contains(category) else { throw AVError.noCapture }
    settings.withLock { ($0.category, $0.mode, $0.options) = (category, mode, options) }
  }
  open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
    try setCategory(category, mode: mode, options: options)
  }
  open func setCategory(_ category: Category) throws { try setCategory(category, mode: mode, options: []) }
  open func setMode(_ mode: Mode) throws { settings.withLock { $0.mode = mode } }

  /// Does nothing: no other program's sound is to be made way for.
  open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}
  open func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) { response(false) }

  public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")
  public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")
}

/// An input or output of sound. There is none here.
open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {  // It is constant.
  public let portType: AVAudioSession.Port
  public let portName: String
  public let uid: String
  init(portType: AVAudioSession.Port, portName: String, uid: String) {
    (self.portType, self.portName, self.uid) = (portType, portName, uid)
    super.init()
  }
}

/// The inputs and outputs that a program uses: none.
open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {  // It is constant.
  override init() { super.init() }
  open var inputs: [AVAudioSessionPortDescription] { [] }
  open var outputs: [AVAudioSessionPortDescription] { [] }
}
