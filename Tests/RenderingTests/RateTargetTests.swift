import Document
import FarmTesting
import Formats
import FoundationEssentials
import Linux
import Media
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Movies with a target, measured by ffprobe.
@Suite struct `A target of the bits` {
  private let workshop = Workshop()

  private init() throws {
    // Five seconds that are hard to encode, then five that are easy.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=160x96:r=25:end_scale=0.05", "-f", "lavfi", "-i", "testsrc=s=160x96:r=25",
      "-f", "lavfi", "-i", "sine=f=440:r=48000:d=10", "-filter_complex",
      "[0]trim=end_frame=125,noise=alls=9:allf=t,format=yuv420p[hard];[1]trim=end_frame=125,format=yuv420p[easy];[hard][easy]concat[v]",
      "-map", "[v]", "-map", "2", "-t", "10", "-c:v", "ffv1", "-c:a", "flac", workshop.file("scenes.mkv"),
    ])
  }

  private func edit(
    _ video: String, type: String = "mp4", size: [Int] = [160, 96], hasSound: Bool = false, beside more: String = "",
    of workshop: Workshop? = nil
  ) throws -> ResolvedTimeline {
    let sound = hasSound ? #", {"id": "A", "media": "audio", "segments": [{"asset": "a"}]}"# : ""
    return try (workshop ?? self.workshop).edit(
      """
      {"spool": 1, "assets": {"a": {"path": "\(self.workshop.file("scenes.mkv"))"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]}\(sound)]},
       "videoComposition": {"renderSize": \(size), "frameDuration": "1/25"},
       "export": {"fileType": "\(type)", \(more) "video": {\(video)}}}
      """)
  }

  /// The bytes of the packets of the picture, in decode order.
  private func byteCounts(_ movie: String) throws -> [Double] {
    try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "packet=size", "-of", "csv=p=0", movie])
      .split(whereSeparator: \.isNewline).map { try #require(Double($0.prefix { $0 != "," })) }
  }

  private func byteCount(ofFile path: String) throws -> Double { Double(try [UInt8](contentsOf: path).count) }

  @Test(arguments: [
    (#""codec": "h264", "speed": "veryfast""#, 250_000.0), (#""codec": "hevc", "speed": "ultrafast""#, 300_000),
  ])
  func `is met as an average of the whole movie, however it is divided`(video: String, bitRate: Double) throws {
    // The steps of x265 are as large as the tolerance in smaller pictures.
    let size = video.contains("hevc") ? [320, 192] : [160, 96]
    let edit = try edit(video + #", "bitRate": \#(Int(bitRate))"#, size: size)
    for borders in video.contains("hevc") ? [[0], [0, 80, 170]] : [[0], [0, 80, 170], [0, 30, 60, 100, 140, 180, 220]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: "movie.mp4")
      let counts = try byteCounts(movie)
      #expect(counts.count == 250)
      let found = 8 * counts.reduce(0, +) / 10
      #expect(abs(found / bitRate - 1) < 0.01, "\(found) bits a second in \(borders.count) chunks")
      // The hard half has most of the bits.
      #expect(counts[..<125].reduce(0, +) > 2 * counts[125...].reduce(0, +))
      #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy, floor: 0) { _ in }.faults == [])
    }
  }

  @Test(arguments: [[0], [0, 84, 168], [0, 36, 72, 108, 144, 180, 216]])
  func `is met by MPEG-2, too, within its level`(borders: [Int]) throws {
    let bitRate = 700_000.0
    let edit = try edit(#""codec": "mpeg2", "bitRate": \#(Int(bitRate))"#, type: "mkv")
    let movie = try workshop.movie(of: edit, borders: borders, output: "movie.mkv")
    let counts = try byteCounts(movie)
    #expect(counts.count == 250)
    let found = 8 * counts.reduce(0, +) / 10
    #expect(abs(found / bitRate - 1) < 0.01, "\(found) bits a second in \(borders.count) chunks")
    #expect(counts[..<125].reduce(0, +) > 1.5 * counts[125...].reduce(0, +))
    #expect(workshop.muxed?.target?.isMissed == false)
    #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy, floor: 0) { _ in }.faults == [])
    let types = try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "frame=pict_type", "-of", "csv=p=0", movie])
    #expect(types.split(whereSeparator: \.isNewline).enumerated().allSatisfy { $0 % 12 != 0 || $1.hasPrefix("I") })
  }

  @Test(arguments: [
    (#""codec": "vp9", "speed": "veryfast""#, "webm", 200_000.0), (#""codec": "av1", "speed": "ultrafast""#, "mp4", 150_000),
  ])
  func `is met by encoders of whole steps, by two of them in a chunk`(video: String, type: String, bitRate: Double) throws {
    let edit = try edit(video + #", "bitRate": \#(Int(bitRate))"#, type: type)
    for borders in [[0], [0, 80, 170]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: "movie.\(type)")
      let counts = try byteCounts(movie)
      #expect(counts.count == 250)
      // The share counts the two bytes that part AV1's pictures in a segment, which movies leave out.
      let delimiters = type == "mp4" ? 2.0 * 250 : 0
      let found = 8 * (counts.reduce(0, +) + delimiters) / 10
      #expect(abs(found / bitRate - 1) < 0.01, "\(found) bits a second in \(borders.count) chunks")
      #expect(workshop.muxed?.target?.isMissed == false)
      #expect(counts[..<125].reduce(0, +) > 1.5 * counts[125...].reduce(0, +))
      #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy, floor: 0) { _ in }.faults == [])
    }
  }

  @Test(arguments: [(#""codec": "vp9", "speed": "veryfast""#, "webm"), (#""codec": "av1", "speed": "ultrafast""#, "mp4")])
  func `is met by them as the size of a file with sound`(video: String, type: String) throws {
    let size = 400_000.0
    let edit = try edit(video + #", "fileSize": \#(Int(size))"#, type: type, hasSound: true)
    let found = try byteCount(ofFile: workshop.movie(of: edit, borders: [0, 100], output: "movie.\(type)"))
    #expect(abs(found / size - 1) < 0.01, "\(found) bytes")
  }

  @Test(arguments: ["mov", "mkv"])
  func `is met by MPEG-2 as the size of a file with sound, beside a bound of its own`(type: String) throws {
    let size = 900_000.0
    let edit = try edit(
      #""codec": "mpeg2", "fileSize": \#(Int(size)), "maxBitRate": 2000000"#, type: type, hasSound: true)
    let movie = try workshop.movie(of: edit, borders: [0, 120], output: "movie.\(type)")
    let found = try byteCount(ofFile: movie)
    #expect(abs(found / size - 1) < 0.01, "\(found) bytes")
    // The level's buffer, half full.
    var fullness = 1_835_008.0 / 2
    for bits in try byteCounts(movie).map({ 8 * $0 }) {
      fullness -= bits
      #expect(fullness >= 0)
      fullness = min(1_835_008, fullness + 2_000_000 / 25)
    }
  }

  @Test func `is told beside what was reached`() throws {
    func measure(_ edit: ResolvedTimeline) throws -> TargetMeasure? {
      let path = try workshop.movie(of: edit, borders: [0, 100], output: "movie.mp4")
      let bits = try byteCounts(path).reduce(0) { $0 + 8 * $1 } / 10
      let measure = workshop.muxed?.target
      // A published movie's proof has no field for it.
      #expect(workshop.published != nil && workshop.published?.target == nil)
      // The file has lengths in place of start codes, of which some are shorter.
      if let measure, measure.quantity == .bitRate { #expect(abs(measure.reached / bits - 1) < 0.001) }
      return measure
    }
    let met = try measure(edit(#""codec": "h264", "speed": "veryfast", "bitRate": 250000"#, hasSound: true))
    #expect(met?.asked == 250_000)
    #expect(met?.isMissed == false)
    // No quality makes so much of these pictures.
    let missed = try measure(edit(#""codec": "h264", "speed": "ultrafast", "bitRate": 90000000"#))
    #expect(missed?.isMissed == true)
    #expect(missed?.warning?.contains("of the 90 Mbit/s that bitRate asks for: ") == true)
    let sized = try measure(edit(#""codec": "h264", "speed": "veryfast", "fileSize": 500000"#))
    #expect(sized?.isMissed == false)
    #expect(sized?.reached == (try byteCount(ofFile: workshop.file("movie.mp4"))))
    #expect(try measure(edit(#""codec": "h264", "speed": "ultrafast""#)) == nil)
  }

  @Test(arguments: ["mp4", "mov", "mkv"])
  func `is met as the size of a file with sound`(type: String) throws {
    let size = 500_000.0
    let edit = try edit(
      #""codec": "h264", "speed": "veryfast", "fileSize": \#(Int(size))"#, type: type, hasSound: true)
    let movie = try workshop.movie(of: edit, borders: [0, 100], output: "movie.\(type)")
    let found = try byteCount(ofFile: movie)
    #expect(abs(found / size - 1) < 0.01, "\(found) bytes")
  }

  @Test(arguments: ["mp4", "mov", "mkv"])
  func `that is a size counts what the file says of the movie`(type: String) throws {
    let size = 500_000.0
    let words = (0..<40).map { #""com.example.k\#($0)": "\#(String(repeating: "w", count: 1000))""# }
    let chapters = (0..<200).map { #"{"at": "\#(Double($0) / 20)", "title": "\#(String(repeating: "t", count: 200))"}"# }
    for custom in [#", "custom": {\#(words.joined(separator: ", "))}"#, ""] {
      let more = #""metadata": {"title": "T"\#(custom)}, "chapters": [\#(chapters.joined(separator: ", "))],"#
      let edit = try edit(#""codec": "h264", "speed": "veryfast", "fileSize": \#(Int(size))"#, type: type, beside: more)
      let found = try byteCount(ofFile: workshop.movie(of: edit, borders: [0, 100], output: "movie.\(type)"))
      #expect(abs(found / size - 1) < 0.01, "\(found) bytes")
    }
  }

  @Test func `keeps the bound of the rate beside it`() throws {
    let (bitRate, most) = (150_000.0, 300_000.0)
    let bound = #""maxBitRate": \#(Int(most)), "bufferSize": \#(Int(most))"#
    let edit = try edit(#""codec": "h264", "speed": "veryfast", "bitRate": \#(Int(bitRate)), "# + bound)
    for borders in [[0], [0, 60, 125, 190]] {
      let bits = try byteCounts(workshop.movie(of: edit, borders: borders, output: "movie.mp4")).map { 8 * $0 }
      // Chunks that do not begin with a group, as a plan's do, may be held back by the bound.
      #expect((borders.count > 1 ? 0.9...1.01 : 0.99...1.01).contains(bits.reduce(0, +) / 10 / bitRate))
      var fullness = most / 2
      for bits in bits {
        fullness -= bits
        #expect(fullness >= 0)
        fullness = min(most, fullness + most / 25)
      }
    }
  }

  @Test func `gives the same bytes whoever surveys, and whatever attempts are lost`() throws {
    let video = #""codec": "h264", "speed": "ultrafast", "bitRate": 200000"#
    let chunks = [FrameRange(first: 0, count: 120), FrameRange(first: 120, count: 130)]
    func digests(_ order: [Int], attempt: Int, losing lost: Bool) throws -> [Int: String] {
      let workshop = Workshop(roots: [FilePath.folder(of: self.workshop.file("scenes.mkv"))])
      workshop.surveyPatience = .zero
      let edit = try self.edit(video, of: workshop)
      if lost {
        // An attempt began to survey all that there is, and was lost.
        let folder = workshop.store.path("\(workshop.job)/0")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<2 { try "".write(toFile: "\(folder)/\(number).taken") }
      }
      var found: [Int: String] = [:]
      for index in order {
        let winner = try workshop.run(
          .picture(chunks[index]), task: Int64(index + 1), attempt: attempt, of: edit, output: "movie.mp4")
        found[index] = winner.proof.file.byteDigest
      }
      return found
    }
    let undisturbed = try digests([0, 1], attempt: 1, losing: false)
    #expect(try digests([1, 0], attempt: 2, losing: false) == undisturbed)
    #expect(try digests([0, 1], attempt: 3, losing: true) == undisturbed)
  }

  @Test func `that is too small fails with the frames and what to change`() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "nullsrc=s=320x192:r=25", "-vf", "geq=lum='16+219*random(1)':cb=128:cr=128,format=yuv420p",
      "-frames:v", "100", "-c:v", "ffv1", workshop.file("noise.mkv"),
    ])
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "noise.mkv"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]}]},
       "export": {"video": {"speed": "ultrafast", "bitRate": 10000}}}
      """)
    let failure = #expect(throws: Failure.self) {
      try workshop.run(.picture(FrameRange(first: 0, count: 100)), task: 1, of: edit, output: "movie.mp4")
    }
    #expect(failure?.class == .content)
    #expect(failure?.place == "frames 0..<100")
    #expect(failure?.reason.contains("their share of export.video.bitRate: raise it") == true)
    let sized = try self.edit(#""codec": "h264", "speed": "ultrafast", "fileSize": 20000"#, hasSound: true)
    let small = #expect(throws: Failure.self) {
      try workshop.run(.picture(FrameRange(first: 0, count: 100)), task: 2, of: sized, output: "movie.mp4")
    }
    #expect(small?.place == "export.video.fileSize")
    #expect(small?.reason.contains("bytes of sound") == true)
  }

  @Test func `is a part of the key of each chunk, as are all frames of the movie`() throws {
    workshop.cache = SegmentCache(of: workshop.store, .own)
    func key(_ video: String, first: Int = 0) throws -> String? {
      let edit = try edit(#""speed": "ultrafast", "# + video)
      let winner = try workshop.run(.picture(FrameRange(first: first, count: 100)), task: 1, of: edit, output: "movie.mp4")
      return winner.proof.key
    }
    let keys = try [
      key(#""bitRate": 200000"#), key(#""bitRate": 210000"#), key(#""fileSize": 300000"#), key(#""crf": 30"#),
      key(#""bitRate": 200000"#, first: 10),
    ]
    #expect(keys.allSatisfy { $0 != nil })
    #expect(Set(keys).count == keys.count)
    #expect(try key(#""bitRate": 200000"#) == keys[0])
  }

  @Test(arguments: [
    (#""crf": 20, "bitRate": 1000000"#, "export.video.bitRate: contradicts crf: leave one of them out"),
    (#""bitRate": 1000000, "fileSize": 1000000"#, "export.video.fileSize: contradicts bitRate: leave one of them out"),
    (
      #""bitRate": 900000, "maxBitRate": 1000000"#,
      "export.video.bitRate: is more than 3/4 of maxBitRate, which leaves the average no room: raise maxBitRate"
    ),
    (#""codec": "ffv1", "bitRate": 1000000"#, "export.video.bitRate: ffv1 is lossless and has no bitRate"),
    (
      #""codec": "vp9", "bitRate": 1000000, "alpha": true"#,
      "export.video.bitRate: counts no alpha, which takes bits of its own: use crf"
    ),
    (
      #""codec": "mpeg2", "quantizer": 4, "bitRate": 1000000"#,
      "export.video.bitRate: contradicts quantizer: leave one of them out"
    ),
    (
      #""codec": "mpeg2", "bitRate": 900000, "maxBitRate": 1000000"#,
      "export.video.bitRate: is more than 3/4 of maxBitRate, which leaves the average no room: raise maxBitRate"
    ),
    (#""bitRate": 100"#, "export.video.bitRate: 100 is not in 10000...1000000000"),
    (
      #""bitRate": 1000000, "copy": "auto""#,
      "export.video.copy: packets of sources have the bits that they have: leave bitRate out"
    ),
  ])
  func `is refused where it means nothing`(settings: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(settings) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }

  @Test(arguments: [
    ("cmaf", "cmaf is a folder of pieces: use bitRate, or mp4"),
    ("mpegts", "what mpegts takes around the packets is not foreseen: use bitRate, or mp4"),
  ])
  func `that is a size is refused of file types that have none to foresee`(type: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(#""fileSize": 1000000"#, type: type) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("export.video.fileSize: \(fault)"))
  }

  @Test func `stays in the canonical form`() throws {
    for settings in [#""bitRate": 4000000"#, #""codec": "hevc", "fileSize": 75000000, "maxBitRate": 8000000"#] {
      let timeline = try edit(settings).timeline
      #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
      #expect(timeline.export.video.coding.coder.rateTarget != nil)
    }
  }
}
