import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `As a whole` {
    private let directory = TemporaryDirectory()

    init() throws {
      _ = try (TestMedia.clip.get(), TestMedia.upright.get())
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
    }

    @Test(.timeLimit(.minutes(10))) func `shows the layers that the renderer's single frames show`() async throws {
      let stage = try LayerStage()
      let copies = CAReplicatorLayer()
      copies.frame = CGRect(x: 0, y: 32, width: 64, height: 16)
      (copies.instanceCount, copies.instanceTransform) = (3, CATransform3DMakeTranslation(20, 0, 0))
      stage.root.addSublayer(copies)
      let dot = stage.box(CGRect(x: 2, y: 4, width: 12, height: 8), on: copies)
      let move = CAKeyframeAnimation(keyPath: "position.y").at(0, for: 10)
      (move.values, move.calculationMode) = ([4, 12, 4], .cubic)
      dot.add(move, forKey: nil)
      let card = stage.box(CGRect(x: 16, y: 4, width: 32, height: 24), LayerStage.blue)
      card.transform.m34 = -1 / 120
      let turn = CABasicAnimation(keyPath: "transform.rotation.y").at(0, for: 10)
      (turn.fromValue, turn.toValue) = (0, Double.pi / 3)
      card.add(turn, forKey: nil)
      let movie = try await ExportedMovie(stage)
      for tenth in [0, 4, 9] as [Int64] {
        let (made, shown) = (try movie.frame(tenth), try await stage.frame(tenth))
        // The movie has one colour for four pixels, so places are compared around which the frame is even.
        var worst = 0
        for (x, y) in (2..<46).flatMap({ y in (2..<62).map { ($0, y) } }) {
          let around = (-2...2).flatMap { row in (-2...2).map { shown.pixel(x + $0, y + row) } }
          guard around.allSatisfy({ zip($0, around[12]).allSatisfy { abs($0 - $1) < 8 } }) else { continue }
          worst = max(worst, zip(made.pixel(x, y), shown.pixel(x, y)).map { abs($0 - $1) }.max() ?? 0)
        }
        #expect(worst < 24, "\(tenth)")
        for part in [0, 2] {
          let (first, second) = (try #require(made.middle(of: part)), try #require(shown.middle(of: part)))
          #expect(abs(first.x - second.x) < 1 && abs(first.y - second.y) < 1, "\(tenth): \(first) \(second)")
        }
        #expect(shown.middle(of: 2) != nil && shown.middle() != nil)
      }
    }

    private func session(_ asset: AVAsset, _ video: AVVideoComposition? = nil) throws -> AVAssetExportSession {
      let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
      session.videoComposition = video
      return session
    }

    /// The number of exports in one process: as many as SPOOL_TEST_EXPORTS says, else ten.
    private static let exportCount = ProcessInfo.processInfo.environment["SPOOL_TEST_EXPORTS"].flatMap { Int($0) } ?? 10

    @Test(.timeLimit(.minutes(10))) func `is made as often as one likes, at once, with the same bytes`() async throws {
      let stage = try LayerStage()
      _ = stage.box(CGRect(x: 8, y: 8, width: 16, height: 16))
      var movies: [Data] = []
      // Two exports share this machine's farm.
      for round in 0..<(Self.exportCount + 1) / 2 {
        let urls = (0..<2).map { URL(fileURLWithPath: directory.file("movie-\(round)-\($0).mp4")) }
        let sessions = try [session(stage.composition, stage.video), session(stage.composition, stage.video)]
        async let first: Void = sessions[0].export(to: urls[0], as: .mp4)
        async let second: Void = sessions[1].export(to: urls[1], as: .mp4)
        _ = try await (first, second)
        for url in urls { movies.append(try Data(contentsOf: url)) }
      }
      #expect(movies.count >= Self.exportCount && Set(movies).count == 1 && movies[0].count > 1000)
    }

    @Test(.timeLimit(.minutes(10))) func `leaves nothing where it is cancelled, at whatever moment`() async throws {
      let composition = AVMutableComposition()
      // Sound could not be made so slow. The movie would last for a day: on a machine that is busy with other tests, this one may look
      // minutes too late.
      let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
      let source = try #require(TestMedia.asset().tracks.first)
      for part in 0..<960 as Range<Int64> {
        try track.insertTimeRange(TestMedia.range(0, 10), of: source, at: TestMedia.tenths(900 * part))
        track.scaleTimeRange(TestMedia.range(900 * part, 900 * part + 10), toDuration: TestMedia.tenths(900))
      }
      let moments: [(String, (AVAssetExportSession) -> Bool)] = [
        ("begun", { $0.status != .unknown }), ("exporting", { $0.status == .exporting }), ("advanced", { $0.progress > 0 }),
      ]
      for (name, isReached) in moments {
        let folder = directory.file(name)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let session = try session(composition)
        let url = URL(fileURLWithPath: folder + "/movie.mp4")
        let export = Task { try await session.export(to: url, as: .mp4) }
        while !isReached(session), ![.completed, .failed].contains(session.status) { try await Task.sleep(for: .milliseconds(5)) }
        session.cancelExport()
        let error = await #expect(throws: AVError.self, "\(name)") { try await export.value }
        #expect(error?.code == .operationCancelled && session.status == .cancelled, "\(name): \(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [], "\(name)")
      }
    }

    /// Programs remove their intermediate movies as soon as they are inserted.
    @Test(.timeLimit(.minutes(10))) func `has media whose files were removed after they were read`() async throws {
      let place = URL(fileURLWithPath: directory.file("intermediate.mov"))
      try FileManager.default.copyItem(at: TestMedia.clip.get(), to: place)
      let composition = AVMutableComposition()
      try composition.insertTimeRange(TestMedia.range(0, 10), of: AVURLAsset(url: place), at: .zero)
      let (read, unread) = (AVURLAsset(url: place), AVURLAsset(url: place))
      #expect(read.tracks.count == 2)
      try FileManager.default.removeItem(at: place)
      for (name, asset) in [("edit", composition as AVAsset), ("asset", read)] {
        let url = URL(fileURLWithPath: directory.file("\(name).mp4"))
        try await session(asset).export(to: url, as: .mp4)
        let shown = try MediaTools.ffprobe([
          "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", url.path,
        ])
        #expect(shown.hasPrefix("10"), "\(name)")
      }
      let url = URL(fileURLWithPath: directory.file("unread.mp4"))
      await #expect(throws: AVError.self) { try await session(unread).export(to: url, as: .mp4) }
    }

    @Test(.timeLimit(.minutes(10))) func `may have a thousand tracks, each of which would be a decoder`() async throws {
      let composition = AVMutableComposition()
      let source = try #require(TestMedia.asset().tracks.first)
      let video = AVMutableVideoComposition()
      (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), TestMedia.tenths(1))
      for index in 0..<1000 as Range<Int64> {
        let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
        try track.insertTimeRange(TestMedia.range(index % 10, index % 10 + 1), of: source, at: TestMedia.tenths(index))
        let instruction = AVMutableVideoCompositionInstruction()
        instruction.timeRange = TestMedia.range(index, index + 1)
        instruction.layerInstructions = [AVMutableVideoCompositionLayerInstruction(assetTrack: track)]
        video.instructions.append(instruction)
      }
      let session = try session(composition, video)
      session.timeRange = TestMedia.range(500, 503)
      let url = URL(fileURLWithPath: directory.file("tracks.mp4"))
      try await session.export(to: url, as: .mp4)
      let shown = try MediaTools.ffprobe([
        "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", url.path,
      ])
      #expect(shown.hasPrefix("3"))
    }

    @Test(.timeLimit(.minutes(10))) func `of a clip in PQ has its layers in their own colours`() async throws {
      let clip = directory.file("pq.mkv")
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-t", "1", "-i", "color=gray:size=64x48:rate=10", "-c:v", "ffv1", "-pix_fmt", "yuv420p10le",
        "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_range", "tv", clip,
      ])
      let composition = AVMutableComposition()
      try composition.insertTimeRange(TestMedia.range(0, 10), of: AVURLAsset(url: URL(fileURLWithPath: clip)), at: .zero)
      let video = AVMutableVideoComposition(propertiesOf: composition)
      let (root, videoLayer, mark) = (CALayer(), CALayer(), CALayer())
      for layer in [root, videoLayer] { layer.frame = CGRect(origin: .zero, size: video.renderSize) }
      (mark.frame, mark.backgroundColor) = (CGRect(x: 0, y: 0, width: 32, height: 48), LayerStage.red)
      root.addSublayer(videoLayer)
      root.addSublayer(mark)
      video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: root)
      let url = URL(fileURLWithPath: directory.file("sdr.mov"))
      try await session(composition, video).export(to: url, as: .mov)
      let tags = try MediaTools.ffprobe([
        "-select_streams", "v", "-show_entries", "stream=color_transfer", "-of", "csv=p=0", url.path,
      ])
      #expect(tags.hasPrefix("bt709"))
      let frame = try ExportedMovie.frame(3, of: url.path)
      // The code of half in PQ is about 92 cd/m², which is bright in standard range.
      let grey = frame.pixel(48, 24)
      #expect(frame.has(red, 16, 24) && grey[0] > 150 && abs(grey[0] - grey[2]) < 10, "\(frame.pixel(16, 24)), \(grey)")
    }

    @Test func `and a reader of its video composition show the same layers`() async throws {
      let stage = try LayerStage()
      let box = stage.box(CGRect(x: 0, y: 16, width: 16, height: 16))
      let move = CABasicAnimation(keyPath: "position.x").at(0, for: 10)
      (move.fromValue, move.toValue) = (8, 48)
      box.add(move, forKey: nil)
      let reader = try AVAssetReader(asset: stage.composition)
      let output = AVAssetReaderVideoCompositionOutput(
        videoTracks: stage.composition.tracks(withMediaType: .video),
        videoSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
      output.videoComposition = stage.video
      reader.add(output)
      #expect(reader.startReading())
      var places: [Double] = []
      while let sample = output.copyNextSampleBuffer() {
        let buffer = try #require(sample.imageBuffer)
        let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer)) + 24 * CVPixelBufferGetBytesPerRow(buffer)
        let reds = (0..<64).filter { unsafe base.load(fromByteOffset: $0 * 4 + 2, as: UInt8.self) > 128 }
        places.append(Double(reds.reduce(0, +)) / Double(max(1, reds.count)) + 0.5)
      }
      #expect(reader.status == .completed && places.count == 10)
      for (index, place) in places.enumerated() { #expect(abs(place - Double(8 + 4 * index)) < 1, "\(index): \(place)") }
    }
  }
}
