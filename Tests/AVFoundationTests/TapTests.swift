import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  /// Taps of sound, whose code runs in this process.
  @Suite(.serialized) struct `With taps of its sound` {
    private let directory = TemporaryDirectory()
    private let composition = AVMutableComposition()

    init() throws {
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
      try composition.insertTimeRange(TestMedia.range(0, 8), of: TestMedia.asset(), at: .zero)
    }

    /// The calls of a tap.
    private final class Notes {
      var calls: [String] = []
      var flags: [MTAudioProcessingTapFlags] = []
      var starts: [CMTime] = []
      var frames = 0
    }

    /// A tap that changes each sample; nil for one that takes no sound.
    private func tap(
      _ notes: Notes, _ flags: MTAudioProcessingTapCreationFlags, _ change: ((Float) -> Float)?
    ) throws -> MTAudioProcessingTap {
      var callbacks = unsafe MTAudioProcessingTapCallbacks(
        version: kMTAudioProcessingTapCallbacksVersion_0, clientInfo: nil, init: nil,
        finalize: { _ in notes.calls.append("finalize") },
        prepare: { _, _, form in
          let isPlain = unsafe form.pointee.mFormatFlags & kAudioFormatFlagIsNonInterleaved != 0
          notes.calls.append("prepare \(isPlain) \(unsafe form.pointee.mSampleRate)")
        },
        unprepare: { _ in notes.calls.append("unprepare") },
        process: { tap, count, flags, list, made, madeFlags in
          notes.flags.append(flags)
          guard let change else { return }
          var range = CMTimeRange.invalid
          let status = unsafe MTAudioProcessingTapGetSourceAudio(tap, count, list, madeFlags, &range, made)
          #expect(unsafe status == noErr && made.pointee == count)
          notes.starts.append(range.start)
          notes.frames += unsafe made.pointee
          for buffer in unsafe UnsafeMutableAudioBufferListPointer(list) {
            let samples = unsafe UnsafeMutableBufferPointer<Float>(buffer)
            for index in samples.indices { unsafe samples[index] = unsafe change(samples[index]) }
          }
        })
      var tap: MTAudioProcessingTap?
      #expect(unsafe MTAudioProcessingTapCreate(kCFAllocatorDefault, &callbacks, flags, &tap) == noErr)
      return try #require(tap)
    }

    private func mix(_ tap: MTAudioProcessingTap?, volume: Float = 1) throws -> AVMutableAudioMix {
      let track = try #require(composition.tracks(withMediaType: .audio).first)
      let (mix, parameters) = (AVMutableAudioMix(), AVMutableAudioMixInputParameters(track: track))
      parameters.audioTapProcessor = tap
      if volume != 1 { parameters.setVolume(volume, at: .zero) }
      mix.inputParameters = [parameters]
      return mix
    }

    /// The samples that a reader gives of a mix.
    private func heard(_ mix: AVAudioMix?, _ range: CMTimeRange? = nil) throws -> [Float] {
      let reader = try AVAssetReader(asset: composition)
      if let range { reader.timeRange = range }
      let output = AVAssetReaderAudioMixOutput(
        audioTracks: composition.tracks(withMediaType: .audio), audioSettings: nil)
      output.audioMix = mix
      reader.add(output)
      #expect(reader.startReading(), "\(String(describing: reader.error))")
      var all: [Float] = []
      while let bytes = try output.copyNextSampleBuffer()?.dataBuffer?.dataBytes() {
        all += unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
      }
      #expect(reader.status == .completed, "\(String(describing: reader.error))")
      return all
    }

    private func isNear(_ some: [Float], _ others: [Float]) -> Bool {
      some.count == others.count && zip(some, others).allSatisfy { abs($0 - $1) < 1e-6 }
    }

    @Test(.timeLimit(.minutes(10))) func `calls them once for each frame, in order`() throws {
      let notes = Notes()
      let plain = try heard(nil)
      #expect(plain.count == 38_400 && plain.contains { $0 > 0.1 })
      let mix = try mix(tap(notes, kMTAudioProcessingTapCreationFlag_PreEffects) { $0 / 2 })
      let halved = try heard(mix)
      #expect(isNear(halved, plain.map { $0 / 2 }))
      #expect(notes.calls == ["prepare true 48000.0", "unprepare"] && notes.frames == 38_400)
      #expect(notes.flags.count == 10 && notes.flags.dropFirst().dropLast().allSatisfy { $0 == 0 })
      #expect(notes.flags.first == kMTAudioProcessingTapFlag_StartOfStream)
      #expect(notes.flags.last == kMTAudioProcessingTapFlag_EndOfStream)
      #expect(notes.starts == (0..<10).map { CMTime(value: 4096 * $0, timescale: 48_000) })
      let part = try heard(mix, TestMedia.range(2, 4))
      #expect(isNear(part, Array(plain[9_600..<19_200].map { $0 / 2 })))
      #expect(notes.starts[10] == TestMedia.tenths(2) && notes.calls.count == 4)
      mix.inputParameters = []
      #expect(notes.calls.last == "finalize")
    }

    @Test(.timeLimit(.minutes(10))) func `sets the volume after them or before them, as they ask`() throws {
      let plain = try heard(nil)
      let before = try heard(mix(tap(Notes(), kMTAudioProcessingTapCreationFlag_PreEffects) { $0 * $0 }, volume: 0.5))
      #expect(isNear(before, plain.map { $0 * $0 / 2 }))
      let after = try heard(mix(tap(Notes(), kMTAudioProcessingTapCreationFlag_PostEffects) { $0 * $0 }, volume: 0.5))
      #expect(isNear(after, plain.map { $0 * $0 / 4 }))
      let silent = try heard(mix(tap(Notes(), kMTAudioProcessingTapCreationFlag_PostEffects, nil)))
      #expect(silent.count == plain.count && silent.allSatisfy { $0 == 0 })
    }

    @Test(.timeLimit(.minutes(10))) func `has what they make in its movie`() async throws {
      func loudness(_ name: String, _ mix: AVAudioMix?) async throws -> Double {
        let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
        session.audioMix = mix
        let url = URL(fileURLWithPath: directory.file(name))
        try await session.export(to: url, as: .mov)
        let raw = directory.file(name + ".raw")
        try MediaTools.ffmpeg(["-i", url.path, "-map", "0:a", "-f", "f32le", raw])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
        let samples = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
        #expect(samples.count >= 38_400)
        return (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
      }
      let notes = Notes()
      let plain = try await loudness("plain.mov", nil)
      let halved = try await loudness("halved.mov", mix(tap(notes, kMTAudioProcessingTapCreationFlag_PreEffects) { $0 / 2 }))
      #expect(plain > 0.05 && abs(halved / plain - 0.5) < 0.02, "\(plain) \(halved)")
      #expect(notes.frames == 38_400)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).contains("halved.mov"))
    }
  }
}
