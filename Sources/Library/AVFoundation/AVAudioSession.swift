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
