import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import SpoolClient
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  /// Programs write their intermediate movies under one name, one after the other.
  @Suite(.serialized) struct `Of media that share a name` {
    private let directory = TemporaryDirectory()
    private let place: URL
    private let composition = AVMutableComposition()

    init() throws {
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
      place = URL(fileURLWithPath: directory.file("part.mov"))
    }

    /// Writes half a second of a colour, as an H.264 movie whose title is the colour's name.
    private func write(_ color: String, to url: URL) throws {
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-t", "0.5", "-i", "color=\(color):size=64x48:rate=10", "-c:v", "libx264", "-qp", "4",
        "-metadata", "title=\(color)", url.path,
      ])
    }

    /// Appends the movie at the place.
    private func append() throws {
      let asset = AVURLAsset(url: place)
      let track = try #require(asset.tracks(withMediaType: .video).first)
      let target = composition.tracks.first ?? composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0)
      try #require(target).insertTimeRange(TestMedia.range(0, 5), of: track, at: .invalid)
    }

    /// Appends a red movie and then a blue one, which takes its name.
    private func appendTwo() throws {
      try write("red", to: place)
      try append()
      try FileManager.default.removeItem(at: place)
      try write("blue", to: place)
      try append()
    }

    private func export(_ name: String = "movie.mov") async throws -> String {
      let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      let url = URL(fileURLWithPath: directory.file(name))
      try await session.export(to: url, as: .mov)
      return url.path
    }

    @Test(.timeLimit(.minutes(10))) func `plays each file that was inserted`() async throws {
      try appendTwo()
      let movie = try await export()
      let (first, second) = (try ExportedMovie.frame(2, of: movie), try ExportedMovie.frame(7, of: movie))
      #expect(first.has(red, 32, 24) && second.has(blue, 32, 24), "\(first.pixel(32, 24)), \(second.pixel(32, 24))")
      // A file that is put over another one by its name is another file, too.
      let other = URL(fileURLWithPath: directory.file("other.mov"))
      try write("lime", to: other)
      #expect(unsafe rename(other.path, place.path) == 0)
      try append()
      let longer = try await export("longer.mov")
      for (index, color) in [(2, red), (7, blue), (12, green)] as [(Int64, [Int])] {
        let frame = try ExportedMovie.frame(index, of: longer)
        #expect(frame.has(color, 32, 24), "\(index): \(frame.pixel(32, 24))")
      }
    }

    @Test(.timeLimit(.minutes(10))) func `shows each of them in single pictures, to readers and to players`() async throws {
      try appendTwo()
      let generator = AVAssetImageGenerator(asset: composition)
      for (tenth, color) in [(2, red), (7, blue)] as [(Int64, [Int])] {
        let frame = try LayerStage.Frame(try await generator.image(at: TestMedia.tenths(tenth)).image)
        #expect(frame.has(color, 32, 24), "\(tenth): \(frame.pixel(32, 24))")
      }
      let reader = try AVAssetReader(asset: composition)
      let output = AVAssetReaderTrackOutput(
        track: try #require(composition.tracks.first),
        outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
      reader.add(output)
      #expect(reader.startReading())
      var isRed: [Bool] = []
      while let picture = output.copyNextSampleBuffer()?.imageBuffer { isRed.append(try Self.isRed(picture)) }
      #expect(reader.status == .completed && isRed == (0..<10).map { $0 < 5 }, "\(isRed)")

      let item = AVPlayerItem(asset: composition)
      let shown = AVPlayerItemVideoOutput(pixelBufferAttributes: nil)
      item.add(shown)
      let player = AVPlayer(playerItem: item)
      while item.status == .unknown { await Task.yield() }
      for (tenth, isFirst) in [(2, true), (7, false)] as [(Int64, Bool)] {
        let found = unsafe shown.copyPixelBuffer(forItemTime: TestMedia.tenths(tenth), itemTimeForDisplay: nil)
        let picture = try #require(found, "\(tenth): \(String(describing: shown.spoolError))")
        #expect(try Self.isRed(picture) == isFirst, "\(tenth)")
      }
      #expect(player.currentItem === item)
    }

    /// Whether the middle of a picture in BGRA is red rather than blue.
    private static func isRed(_ picture: CVPixelBuffer) throws -> Bool {
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(picture)) + 24 * CVPixelBufferGetBytesPerRow(picture) + 32 * 4
      return unsafe base.load(fromByteOffset: 2, as: UInt8.self) > base.load(as: UInt8.self)
    }

    @Test(.timeLimit(.minutes(10))) func `keeps the files of segments that are set again, and of a copy`() async throws {
      try appendTwo()
      let track = try #require(composition.tracks.first)
      let segments = track.segments ?? []
      #expect(segments.map(\.sourceURL) == [place, place])
      track.segments = segments.reversed().enumerated().map { index, segment in
        // One with other times is made by the interface of AVFoundation, and is of the file that has the name now.
        AVCompositionTrackSegment(
          url: place, trackID: segment.sourceTrackID, sourceTimeRange: segment.timeMapping.source,
          targetTimeRange: TestMedia.range(Int64(index) * 5, Int64(index) * 5 + 5))
      }
      let generator = AVAssetImageGenerator(asset: composition)
      let again = try LayerStage.Frame(try await generator.image(at: TestMedia.tenths(7)).image)
      #expect(again.has(blue, 32, 24), "\(again.pixel(32, 24))")
      track.segments = segments
      let kept = try LayerStage.Frame(try await generator.image(at: TestMedia.tenths(2)).image)
      #expect(kept.has(red, 32, 24), "\(kept.pixel(32, 24))")
      let copy = AVMutableComposition()
      try copy.insertTimeRange(TestMedia.range(0, 10), of: composition, at: .zero)
      let copied = try LayerStage.Frame(try await AVAssetImageGenerator(asset: copy).image(at: TestMedia.tenths(2)).image)
      #expect(copied.has(red, 32, 24), "\(copied.pixel(32, 24))")
    }

    @Test(.timeLimit(.minutes(10))) func `is refused by name where a file was written to after it was inserted`() async throws {
      try write("red", to: place)
      try append()
      let file = try FileHandle(forWritingTo: place)
      try file.seekToEnd()
      try file.write(contentsOf: Data("more".utf8))
      try file.close()
      func check(_ error: AVError?) {
        #expect(error?.code == .failedToLoadMediaData && error?.url?.path == place.path, "\(String(describing: error))")
        #expect(error?.reason.hasPrefix("\(place.path): was written to after it was read") == true, "\(error?.reason ?? "")")
      }
      check(await #expect(throws: AVError.self) { try await export() })
      check(#expect(throws: AVError.self) { try composition.spoolDocument() })
      let generator = AVAssetImageGenerator(asset: composition)
      check(await #expect(throws: AVError.self) { try await generator.image(at: .zero) })
      let reader = try AVAssetReader(asset: composition)
      reader.add(AVAssetReaderTrackOutput(track: try #require(composition.tracks.first), outputSettings: nil))
      #expect(!reader.startReading() && reader.status == .failed)
      check(reader.error as? AVError)
      #expect(!FileManager.default.fileExists(atPath: directory.file("movie.mov")))
    }

    @Test func `is refused by name where the edit becomes a document, which goes by names`() async throws {
      try write("red", to: place)
      try append()
      #expect(try composition.spoolDocument().contains("part.mov"))
      #expect(composition.tracks.first?.segments.first?.spoolFault == nil)
      try FileManager.default.removeItem(at: place)
      try write("blue", to: place)
      let error = #expect(throws: AVError.self) { try composition.spoolDocument() }
      #expect(error?.reason.contains("another file has this name now") == true, "\(error?.reason ?? "")")
      let fault = await #expect(throws: SpoolClientError.self) {
        _ = try await SpoolEdit(composition).document { _ in .path("/media/part.mov") }
      }
      #expect(fault?.property == "track 1" && fault?.reason.contains(place.path) == true, "\(String(describing: fault))")
    }

    @Test func `and an asset's words and samples are those of the file that was read`() async throws {
      try write("red", to: place)
      let bytes = try Data(contentsOf: place)
      let asset = AVURLAsset(url: place)
      let track = try #require(asset.tracks.first)
      try FileManager.default.removeItem(at: place)
      try write("blue", to: place)
      let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
      let range = cursor.currentSampleStorageRange
      let sample = try AVSampleBufferGenerator(asset: asset, timebase: nil)
        .makeSampleBuffer(for: AVSampleBufferRequest(start: cursor))
      let stored = bytes[Int(range.offset)..<Int(range.offset + range.length)]
      let given = try #require(try sample.dataBuffer?.dataBytes())
      #expect(range.length > 0 && given == Data(stored))
      let words = try await asset.load(.metadata).compactMap(\.stringValue)
      #expect(words.contains("red") && !words.contains("blue"), "\(words)")
    }

    /// The folders in which copies of files without names lie.
    private func lent() throws -> Set<String> {
      let names = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
      return Set(names.filter { $0.hasPrefix("spool-lent-") })
    }

    @Test(.timeLimit(.minutes(10))) func `is copied once for all pictures of a generator, which takes it along`() async throws {
      try write("red", to: place)
      try append()
      try FileManager.default.removeItem(at: place)
      let before = try lent()
      var generator: AVAssetImageGenerator? = AVAssetImageGenerator(asset: composition)
      var copies: Set<Set<String>> = []
      for tenth in [0, 2, 4] as [Int64] {
        let made = try #require(generator)
        let frame = try LayerStage.Frame(try await made.image(at: TestMedia.tenths(tenth)).image)
        #expect(frame.has(red, 32, 24), "\(tenth): \(frame.pixel(32, 24))")
        copies.insert(try lent().subtracting(before))
      }
      #expect(copies.count == 1 && copies.first?.count == 1, "\(copies)")
      generator = nil
      #expect(try lent().subtracting(before).isEmpty)
    }
  }
}
