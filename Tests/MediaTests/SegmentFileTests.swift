import FarmTesting
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite struct `a segment file` {
  private let directory = TemporaryDirectory()
  private let synthetic: SyntheticSegments

  init() throws {
    synthetic = SyntheticSegments(frameDuration: try MediaTime(1, 25))
  }

  @Test func `has the size and digest that its facts say`() throws {
    let segment = try synthetic.write(0..<9, to: directory.file("a.nut"))
    let file = try FileDigest(of: segment.path)
    #expect(file == segment.facts.digest)
    #expect(try Data(contentsOf: URL(filePath: segment.path)).count == Int(file.byteCount))
    #expect(try entries(of: directory) == ["a.nut"])
  }

  @Test func `is not there until it is whole, and never when it is given up`() throws {
    do {
      let encoder = try synthetic.encoder()
      let writer = try SegmentWriter(path: directory.file("a.nut"), parameters: encoder.parameters)
      for index in 0..<60 { try encoder.encode(synthetic.frame(index), to: writer) }
      #expect(try entries(of: directory) == ["a.nut.part"])
    }
    #expect(try entries(of: directory) == [])
  }

  @Test func `cannot be written into a folder that is missing`() throws {
    let encoder = try synthetic.encoder()
    let error = #expect(throws: MediaError.self) {
      try SegmentWriter(path: directory.file("no/a.nut"), parameters: encoder.parameters)
    }
    #expect(error?.kind == .cannotWrite)
  }

  @Test func `does not take the place of a folder, and leaves nothing`() throws {
    let path = directory.file("a.nut")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let error = #expect(throws: MediaError.self) { try synthetic.write(0..<2, to: path) }
    #expect(error?.kind == .cannotWrite)
    #expect(try entries(of: directory) == ["a.nut"])
  }
}

@Suite struct `a file's digest` {
  @Test func `is XXH3-128`() throws {
    let directory = TemporaryDirectory()
    try Data("abc".utf8).write(to: URL(filePath: directory.file("abc")))
    // `printf abc
    // xxh128sum` prints this digest.
    let expected = "06b05ab6733a618578af5f94892f3950"
    #expect(try FileDigest(of: directory.file("abc")) == FileDigest(byteCount: 3, hash: expected))
  }

  @Test(arguments: ["/", "/dev/zero", "/nowhere/at/all"])
  func `is of regular files only`(path: String) throws {
    let error = #expect(throws: MediaError.self) { try FileDigest(of: path) }
    #expect(error?.kind == .unreadable)
    #expect(error?.place == path)
  }
}
