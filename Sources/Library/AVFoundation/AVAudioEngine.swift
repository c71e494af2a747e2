// All refused: the types are there. `start()` of an engine throws −11814: nothing is played or recorded

// The graph of an audio engine. Its types are there, and it never runs: this machine's loudspeakers and microphones are not used. Sound is
// mixed by edits (AVMutableAudioMix), and read and written by AVAudioFile.

/// A part of an engine.
open class AVAudioNode: NSObject {
  override init() { super.init() }
  open var engine: AVAudioEngine? { nil }
  open var numberOfInputs: Int { 1 }
  open var numberOfOutputs: Int { 1 }
  open func inputFormat(forBus bus: Int) -> AVAudioFormat { .silent }
  open func outputFormat(forBus bus: Int) -> AVAudioFormat { .silent }
  /// Taps nothing: the block is never called, since no engine runs.
  open func installTap(
    onBus bus: Int, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
    block tapBlock: @escaping (AVAudioPCMBuffer, AVAudioTime) -> Void
  ) {}
  open func removeTap(onBus bus: Int) {}
  open func reset() {}
}

extension AVAudioFormat {
  /// The form of what is never heard.
  fileprivate static var silent: AVAudioFormat { AVAudioFormat(AudioStreamBasicDescription()) }
}

/// A time of sound: of the host's clock, and of samples.
open class AVAudioTime: NSObject {
  public let sampleTime: AVAudioFramePosition
  public let sampleRate: Double
  public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
    (self.sampleTime, self.sampleRate) = (sampleTime, sampleRate)
    super.init()
  }
  open var isSampleTimeValid: Bool { true }
}

open class AVAudioIONode: AVAudioNode {}
open class AVAudioInputNode: AVAudioIONode {}
open class AVAudioOutputNode: AVAudioIONode {}

open class AVAudioMixerNode: AVAudioNode {
  public override init() { super.init() }
  open var outputVolume: Float = 1
  open var volume: Float = 1
  open var pan: Float = 0
}

open class AVAudioPlayerNode: AVAudioNode {
  public override init() { super.init() }
  open var volume: Float = 1
  open var pan: Float = 0
  open var isPlaying: Bool { false }
  open func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?, completionHandler: (() -> Void)? = nil) {}
  open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: (() -> Void)? = nil) {}
  /// Ends the program, as on Apple's systems where the engine does not run.
  open func play() { preconditionFailure("AVAudioPlayerNode.play(): the engine is not running") }
  open func pause() {}
  open func stop() {}
}

open class AVAudioUnit: AVAudioNode {}
open class AVAudioUnitEffect: AVAudioUnit {
  open var bypass = false
}
open class AVAudioUnitTimeEffect: AVAudioUnit {
  open var bypass = false
}
open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect {
  public override init() { super.init() }
  open var rate: Float = 1
  open var pitch: Float = 0
  open var overlap: Float = 8
}
open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect {
  public override init() { super.init() }
  open var rate: Float = 1
}

/// A graph of sound, which cannot be started.
open class AVAudioEngine: NSObject {
  public override init() { super.init() }
  public let inputNode = AVAudioInputNode()
  public let outputNode = AVAudioOutputNode()
  public let mainMixerNode = AVAudioMixerNode()
  open var isRunning: Bool { false }
  open func attach(_ node: AVAudioNode) {}
  open func detach(_ node: AVAudioNode) {}
  open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {}
  open func disconnectNodeOutput(_ node: AVAudioNode) {}
  open func prepare() {}
  open func pause() {}
  open func stop() {}
  open func reset() {}

  /// - Throws: always, since no sound is played or recorded.
  open func start() throws {
    throw AVError(.deviceNotConnected, "AVAudioEngine: no sound is played or recorded here; AVAudioFile and edits make sound")
  }
}
