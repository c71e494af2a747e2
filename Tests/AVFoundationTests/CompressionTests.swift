import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing
import VideoToolbox

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  /// The movies that compression properties and a limit of bytes lead to, as ffprobe sees them.
  @Suite(.serialized) struct `A wish of how pictures are compressed` {
    private let directory = TemporaryDirectory()

    init() {
      // The database runs as another user.
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    }

    /// Pictures of noise, which is the same in every run.
    private func noise(_ index: Int) throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 192, 128, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      let buffer = try #require(made)
      CVPixelBufferLockBaseAddress(buffer, [])
      defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer))
      var state = UInt32(index + 1)
      for y in 0..<128 {
        for x in 0..<192 {
          if x % 4 == 0 { state = state &* 1_664_525 &+ 1_013_904_223 }
          let grey = UInt8(truncatingIfNeeded: state >> 24)
          for part in 0..<3 {
            unsafe base.storeBytes(of: grey, toByteOffset: y * CVPixelBufferGetBytesPerRow(buffer) + x * 4 + part, as: UInt8.self)
          }
        }
      }
      return buffer
    }

    private func settings(_ compression: [String: Any], _ codec: AVVideoCodecType = .h264) -> [String: Any] {
      [
        AVVideoCodecKey: codec, AVVideoWidthKey: 192, AVVideoHeightKey: 128, AVVideoCompressionPropertiesKey: compression,
      ]
    }

    private func movie(
      _ name: String, _ compression: [String: Any], _ codec: AVVideoCodecType = .h264, frames: Int = 120
    ) async throws -> URL {
      let url = URL(fileURLWithPath: directory.file(name))
      let writer = try AVAssetWriter(url: url, fileType: .mov)
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings(compression, codec))
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
      writer.add(input)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      for index in 0..<frames {
        adaptor.append(try noise(index), withPresentationTime: CMTime(value: Int64(index), timescale: 30))
      }
      input.markAsFinished()
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      return url
    }

    /// Lines of facts of the packets or the stream.
    private func facts(_ url: URL, _ entries: String) throws -> [String] {
      let text = try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", entries, "-of", "csv=p=0", url.path])
      return text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [(AVVideoCodecType.h264, 400_000), (.h264, 1_500_000), (.hevc, 600_000)])
    func `keeps the average bit rate, with the same bytes each time`(codec: AVVideoCodecType, rate: Int) async throws {
      let url = try await movie("average.mov", [AVVideoAverageBitRateKey: rate], codec)
      let bits = try facts(url, "packet=size").compactMap { Int($0) }.reduce(0, +) * 8
      let average = Double(bits) / 4
      // x265 comes to its average more slowly.
      #expect(abs(average / Double(rate) - 1) < (codec == .hevc ? 0.25 : 0.1), "\(average)")
      let again = try await movie("again.mov", [AVVideoAverageBitRateKey: NSNumber(value: rate)], codec)
      #expect(try Data(contentsOf: url) == Data(contentsOf: again))
    }

    @Test func `keeps the distance of keyframes, the order, the profile and the way of coding`() async throws {
      let keyed = try await movie("keyed.mov", [AVVideoMaxKeyFrameIntervalKey: 12], frames: 48)
      let flags = try facts(keyed, "packet=flags").map { $0.hasPrefix("K") }
      // Noise has a new scene in each picture, so that there may be more keyframes.
      let places = flags.enumerated().filter(\.element).map(\.offset) + [48]
      #expect(places[0] == 0 && zip(places, places.dropFirst()).allSatisfy { $1 - $0 <= 12 }, "\(places)")
      let timed = try await movie("timed.mov", [AVVideoMaxKeyFrameIntervalDurationKey: 0.5], .hevc, frames: 48)
      #expect(try facts(timed, "packet=flags").filter { $0.hasPrefix("K") }.count >= 4)
      let baseline = try await movie(
        "baseline.mov", [AVVideoProfileLevelKey: AVVideoProfileLevelH264BaselineAutoLevel], frames: 30)
      #expect(try facts(baseline, "stream=profile,has_b_frames") == ["Constrained Baseline,0"])
      let main = try await movie(
        "main.mov",
        [
          AVVideoProfileLevelKey: AVVideoProfileLevelH264Main41, AVVideoH264EntropyModeKey: AVVideoH264EntropyModeCAVLC,
          AVVideoAllowFrameReorderingKey: false,
        ], frames: 30)
      #expect(try facts(main, "stream=profile,has_b_frames") == ["Main,0"])
      let deep = try await movie(
        "deep.mov", [AVVideoProfileLevelKey: "HEVC_Main10_AutoLevel", AVVideoAllowFrameReorderingKey: false], .hevc, frames: 10)
      #expect(try facts(deep, "stream=profile,pix_fmt,has_b_frames") == ["Main 10,0,yuv420p10le"])
      // The pictures come in the order of their times, whatever refers to what.
      for url in [timed, deep, main] {
        let times = try facts(url, "packet=pts_time").compactMap { Double($0) }
        #expect(url == timed || times == times.sorted())
      }
      let whole = try await movie("intra.mov", ["AllowTemporalCompression": false], frames: 10)
      #expect(try facts(whole, "packet=flags").allSatisfy { $0.hasPrefix("K") })
    }

    @Test func `has the clean aperture that is asked for`() async throws {
      let part = [
        AVVideoCleanApertureWidthKey: 180, AVVideoCleanApertureHeightKey: 120, AVVideoCleanApertureHorizontalOffsetKey: -2,
        AVVideoCleanApertureVerticalOffsetKey: 3,
      ]
      let url = try await movie("part.mov", [AVVideoCleanApertureKey: part], frames: 5)
      let text = try MediaTools.mediainfo(["--Full", url.path])
      #expect(text.contains(/Clean aperture width +: 180/) && text.contains(/Clean aperture height +: 120/), "\(text)")
    }

    @Test(arguments: [AVVideoCodecType.h264, .hevc, .proRes422])
    func `has the shape of pixels that is asked for`(codec: AVVideoCodecType) async throws {
      let wide = [AVVideoPixelAspectRatioHorizontalSpacingKey: 4, AVVideoPixelAspectRatioVerticalSpacingKey: 3]
      let url = try await movie("wide-\(codec.rawValue).mov", [AVVideoPixelAspectRatioKey: wide], codec, frames: 5)
      #expect(try facts(url, "stream=sample_aspect_ratio") == ["4:3"])
    }

    @Test func `is refused by its name where it is not kept`() throws {
      let writer = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("none.mov")), fileType: .mov)
      func refusal(_ compression: [String: Any], _ codec: AVVideoCodecType = .h264) -> String {
        #expect(!writer.canApply(outputSettings: settings(compression, codec), forMediaType: .video))
        guard let other = try? AVAssetWriter(url: writer.outputURL, fileType: .mov) else { return "" }
        other.add(AVAssetWriterInput(mediaType: .video, outputSettings: settings(compression, codec)))
        #expect(!other.startWriting())
        return (other.error as? AVError)?.reason ?? ""
      }
      #expect(refusal(["Sparkle": 1]).contains("Sparkle: h264 has no such property"))
      #expect(refusal([AVVideoAverageBitRateKey: 500]).contains("AverageBitRate: 500.0 is not in"))
      #expect(refusal([AVVideoAverageBitRateKey: "much"]).contains("much is no number"))
      #expect(refusal([AVVideoAverageBitRateKey: 1_000_000], .proRes422).contains("prores has no such property"))
      #expect(refusal([AVVideoProfileLevelKey: "H264_Wide"]).contains("H264_Wide is no profile of h264"))
      #expect(refusal([AVVideoProfileLevelKey: kVTProfileLevel_H264_Extended_5_0]).contains("H264_Extended_5_0 has no encoder"))
      #expect(
        refusal([AVVideoProfileLevelKey: kVTProfileLevel_HEVC_Monochrome10_AutoLevel], .hevc).contains("has no encoder here"))
      #expect(refusal([AVVideoProfileLevelKey: kVTProfileLevel_MP4V_Simple_L3]).contains("is no profile of h264"))
      #expect(refusal([AVVideoH264EntropyModeKey: AVVideoH264EntropyModeCABAC], .hevc).contains("no mode of hevc"))
      let flat = [AVVideoPixelAspectRatioHorizontalSpacingKey: 4, AVVideoPixelAspectRatioVerticalSpacingKey: 0]
      #expect(refusal([AVVideoPixelAspectRatioKey: flat]).contains("has whole numbers in 1...10000"))
      #expect(refusal(["DataRateLimits": [1]]).contains("DataRateLimits"))
      let far = [
        AVVideoCleanApertureWidthKey: 180, AVVideoCleanApertureHeightKey: 120, AVVideoCleanApertureHorizontalOffsetKey: 7,
        AVVideoCleanApertureVerticalOffsetKey: 0,
      ]
      #expect(refusal([AVVideoCleanApertureKey: far]).contains("CleanAperture: has whole pixels, and lies in the picture"))
      let shape: [String: Any] = [
        AVVideoPixelAspectRatioKey: [
          AVVideoPixelAspectRatioHorizontalSpacingKey: 1, AVVideoPixelAspectRatioVerticalSpacingKey: 1,
        ],
        AVVideoCleanApertureKey: [
          AVVideoCleanApertureWidthKey: 192, AVVideoCleanApertureHeightKey: 128,
          AVVideoCleanApertureHorizontalOffsetKey: 0, AVVideoCleanApertureVerticalOffsetKey: 0,
        ],
        AVVideoExpectedSourceFrameRateKey: 30, "RealTime": true, "DataRateLimits": [500_000, 1.0],
      ]
      #expect(writer.canApply(outputSettings: settings(shape), forMediaType: .video))
    }

    /// A level's bounds are counted in blocks of 16 x 16.
    @Test(
      arguments: [
        (kVTProfileLevel_H264_Baseline_1_3, 352, 288, 30.0, nil),
        (kVTProfileLevel_H264_Baseline_1_3, 368, 288, 15, "396 macroblocks"),
        (kVTProfileLevel_H264_Main_3_0, 720, 576, 25, nil), (kVTProfileLevel_H264_Main_3_0, 720, 576, 30, "40500 macroblocks"),
        (kVTProfileLevel_H264_High_4_0, 1920, 1080, 30, nil),
        (kVTProfileLevel_H264_High_4_1, 1920, 1080, 60, "245760 macroblocks"),
        (kVTProfileLevel_H264_High_4_2, 1920, 1080, 60, nil),
        (kVTProfileLevel_H264_High_4_2, 4240, 16, 1, "sides of 4208 pixels"),
        (kVTProfileLevel_H264_High_5_2, 3840, 2160, 60, nil), (AVVideoProfileLevelH264HighAutoLevel, 3840, 2160, 60, nil),
      ] as [(String, Int, Int, Double, String?)])
    func `of a level is refused where the pictures exceed it`(
      level: String, width: Int, height: Int, rate: Double, words: String?
    ) throws {
      let settings: [String: Any] = [
        AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: width, AVVideoHeightKey: height,
        AVVideoCompressionPropertiesKey: [AVVideoProfileLevelKey: level, AVVideoExpectedSourceFrameRateKey: rate],
      ]
      let writer = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("level.mov")), fileType: .mov)
      #expect(writer.canApply(outputSettings: settings, forMediaType: .video) == (words == nil))
      guard let words else { return }
      writer.add(AVAssetWriterInput(mediaType: .video, outputSettings: settings))
      #expect(!writer.startWriting())
      let reason = (writer.error as? AVError)?.reason ?? ""
      #expect(reason.contains(words))
    }

    @Test(.timeLimit(.minutes(10))) func `keeps an export's limit of bytes, and leaves a movie alone that is short`() async throws
    {
      let source = try await movie("source.mov", [AVVideoQualityKey: 0.9])
      func export(_ preset: String, limit: Int64, to name: String) async throws -> Int64 {
        let session = try #require(AVAssetExportSession(asset: AVURLAsset(url: source), presetName: preset))
        session.fileLengthLimit = limit
        let url = URL(fileURLWithPath: directory.file(name))
        try await session.export(to: url, as: .mov)
        return Int64(try Data(contentsOf: url).count)
      }
      let free = try await export(AVAssetExportPresetHighestQuality, limit: 0, to: "free.mov")
      #expect(try await export(AVAssetExportPresetHighestQuality, limit: free + 1, to: "loose.mov") == free)
      let tight = try await export(AVAssetExportPresetHighestQuality, limit: free / 2, to: "tight.mov")
      #expect(tight <= free / 2 && tight > free * 9 / 20)
      let refused = await #expect(throws: AVError.self) {
        try await export(AVAssetExportPresetAppleProRes422LPCM, limit: free / 2, to: "prores.mov")
      }
      #expect(refused?.code == .maximumFileSizeReached && refused?.property == "fileLengthLimit")
      #expect(!FileManager.default.fileExists(atPath: directory.file("prores.mov")))
    }
  }
}
