import Compositing
import FarmTesting
import Formats
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Movies in pieces with renditions, read by FFmpeg.
@Suite(.serialized) struct `A ladder of renditions` {
  private let workshop = Workshop()
  private static let sizes = [PixelSize(192, 128), PixelSize(96, 64), PixelSize(48, 32)]

  private init() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=192x128:r=30000/1001", "-f", "lavfi", "-i",
      "anoisesrc=r=48000:a=0.3:seed=4,aformat=channel_layouts=stereo", "-t", "3",
      "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le", workshop.file("v.mkv"),
    ])
  }

  private static let renditions = #""renditions": [{"size": [96, 64], "crf": 24}, {"size": [48, 32], "crf": 26}]"#

  private func edit(_ export: String, title: String = "one", sound: Bool = true) throws -> ResolvedTimeline {
    let segment = #"[{"asset": "v", "source": {"start": "0", "duration": "2.9"}}]"#
    let audio = sound ? #", {"id": "A", "media": "audio", "segments": \#(segment)}"# : ""
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": \(segment)}\(audio)]},
       "layers": [{"shape": "rectangle", "frame": [10, 10, 30, 20], "fillColor": "#ff8000", "from": "1", "to": "2"}],
       "export": {\(export)}}
      """)
  }

  private func ladder(_ codec: String = "h264", _ renditions: String = renditions, rate: String = "") throws -> ResolvedTimeline {
    let video = #""video": {"codec": "\#(codec)", "speed": "ultrafast"\#(rate)}"#
    return try edit(#""fileType": "cmaf", \#(video), "fragmentInterval": "1/2", \#(renditions)"#)
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: workshop.file(name))), as: UTF8.self)
  }

  /// The digests of the decoded frames, by FFmpeg.
  private func decoded(_ input: String, _ stream: String = "v:0") throws -> [Substring] {
    let options = ["-i", workshop.file(input), "-map", "0:\(stream)", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
    return try MediaTools.ffmpeg(options).split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: " ").last }
  }

  private func verified(_ edit: ResolvedTimeline, _ folder: String = "show", floor: Double = 26) throws -> MovieVerification {
    let pieces = try PackedPieces(workshop.file(folder))
    var verified = try MovieVerification(
      of: pieces.paths[0], sounds: pieces.soundPaths, renditions: pieces.renditionPaths, against: edit,
      policy: .init(roots: ["/"]), floor: floor
    ) { _ in }
    verified.faults += try pieces.faults(of: edit)
    return verified
  }

  /// The proofs of the chunks of an edit.
  private func proofs(of edit: ResolvedTimeline, borders: [Int], task: Int64 = 1) throws -> [PictureProof] {
    let ends = try borders.dropFirst() + [edit.frameCount]
    return try zip(borders, ends).enumerated().map { index, range in
      let frames = FrameRange(first: range.0, count: range.1 - range.0)
      let won = try workshop.run(.picture(frames), task: task + Int64(index), of: edit, output: "show")
      guard case .picture(let proof) = won.proof else { throw MediaTools.Failure(description: "no chunk") }
      return proof
    }
  }

  @Test(arguments: ["h264", "hevc", "av1"])
  func `plays in every size, by HLS and by DASH, each frame once`(codec: String) throws {
    let few = #""renditions": [{"size": [96, 64], "crf": 34}]"#
    let edit = try ladder(codec, codec == "h264" ? Self.renditions : few)
    let count = 1 + edit.renditions.count
    for borders in [[0], [0, 40], [0, 7, 15, 33, 41, 60, 70]] {
      _ = try workshop.movie(of: edit, borders: borders, output: "show")
      let verified = try verified(edit)
      #expect(verified.faults == [] && verified.renditions.map(\.frames) == Array(repeating: 87, count: count - 1))
      for place in 0..<count {
        let (size, name) = (Self.sizes[place], place == 0 ? "picture" : "picture\(place + 1)")
        let frames = try decoded("show/\(name).m3u8")
        #expect(frames.count == 87)
        #expect(try decoded("show/master.m3u8", "v:\(place)") == frames)
        #expect(try decoded("show/manifest.mpd", "v:\(place)") == frames)
        let facts = try MediaTools.ffprobe([
          "-count_frames", "-select_streams", "v:\(place)", "-show_entries", "stream=width,height,nb_read_frames", "-of",
          "csv=p=0",
          workshop.file("show/master.m3u8"),
        ])
        #expect(facts.contains("\(size.width),\(size.height),87"), "\(facts)")
      }
    }
  }

  @Test func `has the same composited frames in each size, in any number of chunks`() throws {
    let edit = try ladder()
    // The digests of chunks are put together out of those of single frames.
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    var digests = Self.sizes.map { _ in [ContentDigest]() }
    let chunks = try proofs(of: edit, borders: [0])
    for index in 0..<87 {
      let frame = try renderer.frame(index)
      for (place, size) in Self.sizes.enumerated() {
        let whole = Rect(0, 0, Double(frame.width), Double(frame.height))
        let scaled = try frame.converted(
          whole, to: frame.format, width: size.width, height: size.height, color: edit.color)
        digests[place].append(try scaled.contentDigest())
      }
    }
    let wholes = try digests.map { frames in
      let hasher = try ContentHasher()
      for frame in frames { hasher.update(frame) }
      return "\(hasher.digest)"
    }
    #expect([chunks[0].segment.contentDigest] + chunks[0].renditions.map(\.contentDigest) == wholes)
    let (halves, again) = (try proofs(of: edit, borders: [0, 40], task: 10), try proofs(of: edit, borders: [0, 40], task: 20))
    #expect(halves.map(\.renditions) == again.map(\.renditions) && halves.allSatisfy { $0.renditions.count == 2 })
    #expect(halves.map(\.segment.file.byteDigest) == again.map(\.segment.file.byteDigest))
    #expect(Set((chunks + halves).map { $0.renditions.map(\.parameterSetDigest) }).count == 1)
  }

  @Test(arguments: [[0], [0, 40, 61], [0, 7, 15, 33, 41, 60, 70]])
  func `shows these frames exactly where nothing is lost`(borders: [Int]) throws {
    let edit = try ladder("h264", #""renditions": [{"size": [96, 64]}, {"size": [48, 32]}]"#, rate: #", "crf": 0"#)
    _ = try workshop.movie(of: edit, borders: borders, output: "show")
    let verified = try verified(edit)
    #expect(verified.faults == [] && verified.renditions.map(\.leastPSNR) == [nil, nil])
    #expect(verified.renditions.map(\.size) == Array(Self.sizes.dropFirst()))
  }

  @Test func `tells each size with what it takes, in both playlists`() throws {
    _ = try workshop.movie(of: ladder(), borders: [0, 40], output: "show")
    let master = try text("show/master.m3u8").split(separator: "\n").map(String.init)
    let streams = master.indices.filter { master[$0].hasPrefix("#EXT-X-STREAM-INF:") }
    #expect(streams.map { master[$0 + 1] } == ["picture.m3u8", "picture2.m3u8", "picture3.m3u8"])
    for (place, size) in zip(streams, Self.sizes) {
      let words = "RESOLUTION=\(size.width)x\(size.height),FRAME-RATE=29.970,VIDEO-RANGE=SDR,AUDIO=\"sound\""
      #expect(master[place].contains(words) && master[place].contains("CODECS=\"avc1."), "\(master[place])")
    }
    let bandwidth = /:BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=(\d+)/
    let peaks = streams.compactMap { master[$0].firstMatch(of: bandwidth).flatMap { Int($0.1) } }
    #expect(peaks.count == 3 && peaks == peaks.sorted().reversed())
    #expect(master.count { $0.hasPrefix("#EXT-X-I-FRAME-STREAM-INF:") } == 3)
    #expect(master.count { $0.hasPrefix("#EXT-X-MEDIA:") } == 1)
    let manifest = try text("show/manifest.mpd")
    #expect(manifest.matches(of: #/<AdaptationSet\s/#).count == 2 && manifest.matches(of: #/<Representation\s/#).count == 4)
    #expect(manifest.contains(#"media="picture3-$Number%05d$.m4s""#))
    // All pieces end at the same times.
    func durations(_ name: String) throws -> [Substring] {
      try text("show/\(name)").split(separator: "\n").filter { $0.hasPrefix("#EXTINF") }
    }
    #expect(try durations("picture.m3u8") == durations("picture2.m3u8"))
    #expect(try durations("picture.m3u8") == durations("picture3-iframes.m3u8"))
  }

  @Test func `keeps each rendition within its bound`() throws {
    let bounds = #""renditions": [{"size": [96, 64], "maxBitRate": 120000}, {"size": [48, 32], "maxBitRate": 60000}]"#
    let edit = try ladder("h264", bounds, rate: #", "crf": 18, "maxBitRate": 900000"#)
    _ = try workshop.movie(of: edit, borders: [0, 40], output: "show")
    #expect(try verified(edit, floor: 10).faults == [])
    for (name, rate) in [("picture", 900_000.0), ("picture2", 120_000), ("picture3", 60_000)] {
      let joined = workshop.file("joined.mp4")
      try MediaTools.ffmpeg(["-i", workshop.file("show/\(name).m3u8"), "-c", "copy", joined])
      let sizes = try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "packet=size", "-of", "csv=p=0", joined])
      let bits = sizes.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }.reduce(0, +) * 8
      #expect(bits <= 2.9 * rate + rate, "\(name): \(bits)")
    }
  }

  @Test func `is found again whole, and rendered anew where one rendition changed`() throws {
    workshop.cache = SegmentCache(of: workshop.store, .own)
    func render(_ export: String, task: Int64) throws -> [PictureProof] {
      let edit = try ladder("h264", export)
      let chunks = try [FrameRange(first: 0, count: 40), FrameRange(first: 40, count: 47)].enumerated().map { place, frames in
        try workshop.run(.picture(frames), task: task + Int64(place), of: edit, output: "show")
      }
      let sound = try workshop.run(.sound, task: task + 2, of: edit, output: "show")
      // The mux keeps what it takes.
      try workshop.run(.mux(of: chunks + [sound]), task: task + 3, of: edit, output: "show")
      return chunks.compactMap { if case .picture(let proof) = $0.proof { proof } else { nil } }
    }
    let first = try render(Self.renditions, task: 10)
    let again = try render(Self.renditions, task: 20)
    #expect(first.map(\.isFound) == [false, false] && again.map(\.isFound) == [true, true])
    #expect(again.map(\.renditions) == first.map(\.renditions))
    #expect(try render(Self.renditions.replacing("26", with: "27"), task: 30).map(\.isFound) == [false, false])
    #expect(try render(Self.renditions.replacing("48, 32", with: "60, 40"), task: 40).map(\.isFound) == [false, false])
    #expect(try render(#""renditions": []"#, task: 50).map(\.isFound) == [false, false])
  }

  @Test func `damage and false proofs are told`() throws {
    let edit = try ladder()
    var chunk = try workshop.run(.picture(FrameRange(first: 0, count: 87)), task: 1, of: edit, output: "show")
    let sound = try workshop.run(.sound, task: 2, of: edit, output: "show")
    guard case .picture(let proof) = chunk.proof else { return }
    var lying = proof
    lying.renditions[1].parameterSetDigest = proof.renditions[0].parameterSetDigest
    chunk.proof = .picture(lying)
    let false1 = #expect(throws: Failure.self) { try workshop.run(.mux(of: [chunk, sound]), task: 3, of: edit, output: "show") }
    #expect(false1?.damaged == [chunk.key])
    lying.renditions = []
    chunk.proof = .picture(lying)
    #expect(throws: Failure.self) { try workshop.run(.mux(of: [chunk, sound]), task: 4, of: edit, output: "show") }
    chunk.proof = .picture(proof)
    let muxed = try workshop.run(.mux(of: [chunk, sound]), task: 5, of: edit, output: "show")
    try workshop.run(.publish(of: muxed), task: 6, of: edit, output: "show")
    // Pieces of one rendition in the place of another's.
    for name in ["init.mp4", "00001.m4s", "00002.m4s", "00003.m4s", "00004.m4s", "00005.m4s", "00006.m4s"] {
      try [UInt8](contentsOf: workshop.file("show/picture3-\(name)")).write(toFile: workshop.file("show/picture2-\(name)"))
    }
    #expect(try verified(edit).faults == ["rendition 96x64: frame 0 is 48x32 \(edit.renderFormat)"])
    for name in try FileManager.default.contentsOfDirectory(atPath: workshop.file("show")) where name.hasPrefix("picture3") {
      try FileManager.default.removeItem(atPath: workshop.file("show/\(name)"))
    }
    #expect(try verified(edit).faults.contains("it has 1 rendition instead of 2"))
  }

  @Test(arguments: [
    (#"{"size": [384, 256]}"#, "export.renditions[0].size: 384x256 is larger than the frame of 192x128: nothing is scaled up"),
    (
      #"{"size": [96, 96]}"#,
      "export.renditions[0].size: 96x96 has another shape than the frame of 192x128: 96x64 would have it"
    ),
    (
      #"{"size": [192, 128]}"#,
      "export.renditions[0]: is the main picture again: give it another size, or another crf or maxBitRate"
    ),
    (
      #"{"size": [96, 64]}, {"size": [96, 64], "crf": 20}"#,
      "export.renditions[1]: is another rendition again: give it another size, or another crf or maxBitRate"
    ),
    (#"{"size": [192, 128], "crf": 30}, {"size": [96, 64]}, {"size": [96, 64], "crf": 30}"#, ""),
  ])
  func `is refused where its sizes cannot be`(renditions: String, fault: String) throws {
    do {
      _ = try edit(#""fileType": "cmaf", "renditions": [\#(renditions)]"#, sound: false)
      #expect(fault.isEmpty)
    } catch { #expect(!fault.isEmpty && "\(error)".contains(fault), "\(error)") }
  }

  @Test func `of AV1 and HEVC begins where its encoder does, and none is of sound alone`() throws {
    for (codec, least) in [("av1", "64x64"), ("hevc", "64x16")] {
      let small = #""fileType": "cmaf", "video": {"codec": "\#(codec)"}, "renditions": [{"size": [48, 32]}]"#
      let error = #expect(throws: (any Error).self) { try edit(small) }
      let words = "export.renditions[0].size: \(codec) is made from \(least) up, not of 48x32"
      #expect("\(error.map { "\($0)" } ?? "")".contains(words))
    }
    let sound = #expect(throws: (any Error).self) {
      try workshop.edit(
        """
        {"spool": 1, "assets": {"v": {"path": "v.mkv"}},
         "composition": {"tracks": [{"id": "A", "media": "audio", "segments": [{"asset": "v"}]}]},
         "export": {"fileType": "cmaf", "renditions": [{"size": [48, 32]}]}}
        """)
    }
    #expect("\(sound.map { "\($0)" } ?? "")".contains("export.renditions: a movie without a picture has no renditions"))
  }
}
