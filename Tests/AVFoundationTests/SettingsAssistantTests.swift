import AVFoundation
import Foundation
import Testing

/// Settings that a writer is recommended, and the devices of sound that there are none of.
@Suite struct `An assistant of output settings` {
  private func format(_ width: Int32, _ height: Int32) throws -> CMVideoFormatDescription {
    var made: CMVideoFormatDescription?
    let status = unsafe CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: kCMVideoCodecType_H264, width: width, height: height, extensions: nil,
      formatDescriptionOut: &made)
    #expect(status == noErr)
    return try #require(made)
  }

  @Test(
    arguments: [
      // The source is larger, smaller, upright, and of another shape.
      (3840, 2160, 1280, 720), (640, 360, 640, 360), (1080, 1920, 720, 1280), (1440, 1080, 960, 720), (1281, 721, 1280, 720),
    ] as [(Int32, Int32, Int, Int)])
  func `fits pictures into its preset, and never enlarges them`(width: Int32, height: Int32, wide: Int, high: Int) throws {
    let assistant = try #require(AVOutputSettingsAssistant(preset: .preset1280x720))
    #expect(
      assistant.videoSettings?[AVVideoWidthKey] as? Int == 1280 && assistant.videoSettings?[AVVideoHeightKey] as? Int == 720)
    assistant.sourceVideoFormat = try format(width, height)
    #expect(
      assistant.videoSettings?[AVVideoWidthKey] as? Int == wide && assistant.videoSettings?[AVVideoHeightKey] as? Int == high)
  }

  @Test(arguments: AVOutputSettingsAssistant.availableOutputSettingsPresets())
  func `gives settings that a writer takes`(preset: AVOutputSettingsPreset) throws {
    let assistant = try #require(AVOutputSettingsAssistant(preset: preset))
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    let writer = try AVAssetWriter(url: url, fileType: assistant.outputFileType)
    let (video, audio) = (try #require(assistant.videoSettings), try #require(assistant.audioSettings))
    #expect(writer.canApply(outputSettings: video, forMediaType: .video))
    #expect(writer.canApply(outputSettings: audio, forMediaType: .audio))
    let codec = assistant.videoSettings?[AVVideoCodecKey] as? String
    #expect(codec == (preset.rawValue.contains("HEVC") ? "hvc1" : "avc1"))
  }

  @Test func `has more bits for more pictures, and none for transparency`() throws {
    #expect(AVOutputSettingsAssistant(preset: .hevc1920x1080WithAlpha) == nil)
    let assistant = try #require(AVOutputSettingsAssistant(preset: .preset1920x1080))
    func rate() throws -> Int {
      let properties = assistant.videoSettings?[AVVideoCompressionPropertiesKey] as? [String: Any]
      return try #require(properties?[AVVideoAverageBitRateKey] as? Int)
    }
    let usual = try rate()
    assistant.sourceVideoAverageFrameDuration = CMTime(value: 1, timescale: 60)
    #expect(try rate() == 2 * usual)
    var sound = AudioStreamBasicDescription()
    (sound.mSampleRate, sound.mChannelsPerFrame, sound.mFormatID) = (48_000, 1, kAudioFormatLinearPCM)
    var made: CMAudioFormatDescription?
    let status = unsafe CMAudioFormatDescriptionCreate(
      allocator: nil, asbd: &sound, layoutSize: 0, layout: nil, magicCookieSize: 0, magicCookie: nil, extensions: nil,
      formatDescriptionOut: &made)
    #expect(status == noErr)
    assistant.sourceAudioFormat = made
    #expect(assistant.audioSettings?[AVNumberOfChannelsKey] as? Int == 1)
    #expect(assistant.audioSettings?[AVSampleRateKey] as? Double == 48_000)
  }
}

@Suite struct `Sound that this machine does not have` {
  private final class Listener: NSObject, AVSpeechSynthesizerDelegate {
    var cancelled: [String] = []
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {
      cancelled.append(utterance.speechString)
    }
  }

  @Test func `is not recorded`() {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("none.m4a")
    let error = #expect(throws: AVError.self) { try AVAudioRecorder(url: url, settings: [:]) }
    #expect(error?.code == .deviceNotConnected)
  }

  @Test func `is not spoken, and the delegate is told so`() {
    let (synthesizer, listener) = (AVSpeechSynthesizer(), Listener())
    synthesizer.delegate = listener
    synthesizer.speak(AVSpeechUtterance(string: "one"))
    #expect(listener.cancelled == ["one"] && !synthesizer.isSpeaking)
    #expect(AVSpeechSynthesisVoice(language: "en-GB") == nil && AVSpeechSynthesisVoice.speechVoices().isEmpty)
  }

  @Test func `has no route`() throws {
    let session = AVAudioSession.sharedInstance()
    #expect(session.currentRoute.outputs.isEmpty && session.availableInputs?.isEmpty == true)
    try session.overrideOutputAudioPort(.none)
    #expect(throws: AVError.self) { try session.overrideOutputAudioPort(.speaker) }
  }
}
