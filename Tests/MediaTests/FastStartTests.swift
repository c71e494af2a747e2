import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Testing

/// A movie whose index stands in front of its packets (decision 0263). FFmpeg reads it, and so does a walk through its boxes.
@Suite struct `An index in front of a movie's packets` {
  private let directory = TemporaryDirectory()
  private let synthetic: SyntheticSegments
  private let segments: [SegmentInput]

  private init() throws {
    synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(1, 25))
    segments = try synthetic.write([30, 31, 7], in: directory)
  }

  @Test(arguments: [FileType.mp4, .mov])
  func `finds the packets that it finds at the end`(fileType: FileType) throws {
    let (plain, fast) = (directory.file("plain"), directory.file("fast"))
    try synthetic.mux(segments, to: plain, fileType)
    try synthetic.mux(segments, to: fast, fileType, moovFirst: true)
    let packets = try MediaTools.ffmpeg(["-i", plain, "-c", "copy", "-f", "framemd5", "-"], isStrict: true)
    #expect(packets.split(separator: "\n").count > 68)
    #expect(try MediaTools.ffmpeg(["-i", fast, "-c", "copy", "-f", "framemd5", "-"], isStrict: true) == packets)
    let types = ISOBox.all(in: try [UInt8](contentsOf: fast)[...]).map(\.type)
    #expect(types == ["ftyp", "moov", "free", fileType == .mov ? "wide" : "free", "mdat"])
    let (before, after) = (try [UInt8](contentsOf: plain), try [UInt8](contentsOf: fast))
    let index = try #require(ISOBox.all(in: before[...]).first { $0.type == "moov" })
    #expect((after.count - before.count + index.bytes.count) % 4096 == 0)
  }

  /// Memory has file systems that insert nothing, and take no direct writes: all packets are moved there, through the cache.
  @Test func `has the same bytes on a file system that moves the packets`() throws {
    let count = 9_000_000
    let sound = try writeSound(.usual(.pcm), count: count, to: directory.file("sound.nut"), blocks: 100_000) {
      Float(($1 >> 8 + $0) & 1023) / 1024
    }
    var form = MovieForm(.mov, frameDuration: .oneSecond, color: .bt709)
    form.optimizeForNetworkUse = true
    func write(_ movie: String) throws -> FileDigest {
      try MovieMux.write(MovieSegments(pictures: [], sound: sound), as: form, to: movie, progress: { _, _ in }).digest
    }
    var template = Array("/dev/shm/spool-start-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    let memory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let (moved, inserted) = ("\(memory)/movie", directory.file("movie"))
    defer {
      unsafe unlink(moved)
      unsafe rmdir(memory)
    }
    let digest = try write(moved)
    #expect(try write(inserted) == digest)
    #expect(try FileDigest(ofMovie: moved) == digest)
    #expect(try [UInt8](contentsOf: moved) == [UInt8](contentsOf: inserted))
    let samples = try MediaTools.ffmpeg(["-i", moved, "-f", "md5", "-"], isStrict: true)
    #expect(try samples == MediaTools.ffmpeg(["-i", directory.file("sound.nut"), "-f", "md5", "-"], isStrict: true))
  }

  /// A table of the places of packets.
  private func table(_ type: String, _ places: [Int]) -> ISOBox {
    let width = type == "stco" ? 4 : 8
    return ISOBox(
      type: type, payload: [0, 0, 0, 0] + ISOBox.number(places.count, 4) + places.flatMap { ISOBox.number($0, width) })
  }

  private func index(_ tables: [ISOBox]) -> [UInt8] {
    let tracks = tables.map { table in
      ["stbl", "minf", "mdia", "trak"].reduce(table) { ISOBox(type: $1, children: [ISOBox(type: "skip", payload: [1, 2]), $0]) }
    }
    return ISOBox(type: "moov", children: [ISOBox(type: "mvhd", payload: [7])] + tracks).bytes
  }

  /// The places of an index, each table by its type.
  private func places(_ index: [UInt8]) throws -> [(type: String, places: [Int])] {
    try #require(ISOBox.all(in: index[...]).first).all("stbl").flatMap { $0.children.dropFirst() }.map { table in
      let width = table.type == "stco" ? 4 : 8
      #expect(table[4] * width == table.entries.count)
      return (
        table.type,
        stride(from: 0, to: table.entries.count, by: width).map { table.entries[$0..<$0 + width].reduce(0) { $0 << 8 | Int($1) } }
      )
    }
  }

  @Test func `has eight bytes for places that were below 4 GiB, and are not any more`() throws {
    let limit = Int(UInt32.max)
    // The last place fits until the first table has grown.
    let edge = limit - 8192
    let many = (0..<1500).map { 40 + $0 }
    let tables = [table("stco", many + [limit - 10]), table("stco", [48, edge]), table("co64", [limit + 9]), table("stco", [5])]
    let (shift, moved) = try #require(FastStart.moved(index(tables)))
    #expect(shift % 4096 == 0 && shift >= moved.count + 16 && shift < moved.count + 16 + 4096)
    let found = try places(moved)
    #expect(found.map(\.type) == ["co64", "co64", "co64", "stco"])
    #expect(found.map(\.places) == [many + [limit - 10], [48, edge], [limit + 9], [5]].map { $0.map { $0 + shift } })
    // All else stays as it is.
    let others = try #require(ISOBox.all(in: moved[...]).first)
    #expect(others.all("mvhd").map(\.payload) == [[7]] && others.all("skip").allSatisfy { $0.payload == [1, 2] })
  }

  @Test func `is none where its boxes do not fit in each other`() {
    let whole = index([table("stco", [1, 2, 3])])
    for length in [0, 7, 8, 20, whole.count - 1] { #expect(FastStart.moved(Array(whole.prefix(length))) == nil) }
    var counted = ISOBox.all(in: whole[...])[0]
    counted.change("stco") { $0[4] = 4 }
    #expect(FastStart.moved(counted.bytes) == nil)
  }
}

/// Units of H.264 behind start codes (ITU-T H.264, annex B).
@Suite struct `Units behind start codes` {
  /// The rule as it stands, a byte at a time.
  private func reference(_ bytes: [UInt8]) -> [Range<Int>]? {
    var (places, start, zeros): ([Range<Int>], Int?, Int) = ([], nil, 0)
    for (index, byte) in bytes.enumerated() {
      if byte == 1, zeros >= 2 {
        if let start, start < index - zeros { places.append(start..<(index - zeros)) }
        start = index + 1
      }
      zeros = byte == 0 ? zeros + 1 : 0
    }
    guard let start else { return nil }
    return start < bytes.count - zeros ? places + [start..<(bytes.count - zeros)] : places
  }

  @Test func `are found wherever they begin`() {
    var random = SeededRandom(seed: 16)
    for round in 0..<20_000 {
      // Half of the bytes are those of which start codes are made.
      let length = Int.random(in: 0...(round % 100 == 0 ? 2000 : 200), using: &random)
      let bytes = (0..<length).map { _ in
        Bool.random(using: &random) ? UInt8.random(in: 0...1, using: &random) : UInt8.random(in: 0...255, using: &random)
      }
      let found = unsafe bytes.withUnsafeBufferPointer { unsafe CodedUnits.places(in: $0, lengthSize: nil) }
      #expect(found == reference(bytes), "\(bytes)")
    }
  }
}
