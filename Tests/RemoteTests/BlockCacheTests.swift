import FarmTesting
import FoundationEssentials
import Glibc
import Media
import Remote
import Testing
import Transfer

@Suite struct BlockCacheTests {
  private static let limit: Int64 = 8 << 20
  private let directory = TemporaryDirectory()
  private let version = RemoteVersion(byteCount: 1 << 40, tag: "\"1\"")

  private func cache() throws -> BlockCache {
    let cache = BlockCache(folder: directory.file("a/b/cache"), limit: Self.limit)
    try cache.prepare()
    return cache
  }

  private func key(_ number: Int64, url: String = "https://h/x", tag: String? = nil) -> BlockCache.Key {
    var version = version
    if let tag { version.tag = tag }
    return BlockCache.Key(url: url, version: version, number: number)
  }

  private func block(_ number: Int64) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: RemoteMedia.blockSize)
  }

  private func files(_ cache: BlockCache) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: cache.folder).filter { $0.hasSuffix(".block") || $0.hasPrefix(".part") }
  }

  private func byteCount(_ cache: BlockCache) throws -> Int64 {
    try files(cache).reduce(0) { sum, name in
      var facts = stat()
      #expect(unsafe stat("\(cache.folder)/\(name)", &facts) == 0)
      return sum + Int64(facts.st_size)
    }
  }

  @Test func `a block is found by its URL, version and number, and by nothing else`() throws {
    let cache = try cache()
    #expect(cache.bytes(of: key(3)) == nil)
    #expect(cache.keep(block(3), of: key(3)))
    #expect(cache.bytes(of: key(3)) == block(3))
    for other in [key(4), key(3, url: "https://h/y"), key(3, tag: "\"2\"")] { #expect(cache.bytes(of: other) == nil) }
  }

  @Test func `the files never have more than the limit, and what was used last stays`() throws {
    let cache = try cache()
    for number in 0..<40 as Range<Int64> {
      #expect(cache.keep(block(number), of: key(number)))
      #expect(try byteCount(cache) <= Self.limit)
      // Block 0 is used again and again.
      #expect(cache.bytes(of: key(0)) == block(0))
    }
    #expect(cache.bytes(of: key(39)) == block(39) && cache.bytes(of: key(20)) == nil)
  }

  @Test func `a damaged block, one cut short, and one under another's name are none`() throws {
    let cache = try cache()
    #expect(cache.keep(block(1), of: key(1)))
    let first = try #require(files(cache).first)
    #expect(cache.keep(block(2), of: key(2)))
    let second = try #require(files(cache).first { $0 != first })
    var bytes = try [UInt8](contentsOf: "\(cache.folder)/\(first)")
    try bytes.write(toFile: "\(cache.folder)/\(second)")
    #expect(cache.bytes(of: key(2)) == nil && cache.bytes(of: key(1)) == block(1))
    bytes[1000] ^= 1
    try bytes.write(toFile: "\(cache.folder)/\(first)")
    #expect(cache.bytes(of: key(1)) == nil)
    try Array(bytes.dropLast()).write(toFile: "\(cache.folder)/\(first)")
    #expect(cache.bytes(of: key(1)) == nil)
    // The block can be kept again.
    #expect(cache.keep(block(1), of: key(1)) && cache.bytes(of: key(1)) == block(1))
  }

  @Test func `a folder that others may write to is no cache`() throws {
    let cache = try cache()
    #expect(unsafe chmod(cache.folder, 0o775) == 0)
    let error = try #require(throws: TransferError.self) { try cache.prepare() }
    #expect(error.kind == .local && error.place == cache.folder && error.reason.contains("others may write to it"))
  }

  @Test func `what killed processes left is counted and removed in its turn`() throws {
    let cache = try cache()
    try block(0).write(toFile: "\(cache.folder)/.part-killed")
    for number in 0..<20 as Range<Int64> { #expect(cache.keep(block(number), of: key(number))) }
    #expect(try byteCount(cache) <= Self.limit)
    #expect(try !files(cache).contains(".part-killed"))
  }

  @Test func `a tally that was lost is made again`() throws {
    let cache = try cache()
    for number in 0..<6 as Range<Int64> { #expect(cache.keep(block(number), of: key(number))) }
    #expect(unsafe unlink("\(cache.folder)/.tally") == 0)
    for number in 6..<12 as Range<Int64> {
      #expect(cache.keep(block(number), of: key(number)))
      #expect(try byteCount(cache) <= Self.limit)
    }
  }

  @Test func `room that others hold and have not filled yet is not given away when old blocks are removed`() throws {
    let (cache, other) = (try cache(), try self.cache())
    // Other processes have made room and not written yet.
    var held = (100..<105 as Range<Int64>).map { (number: $0, room: other.room(for: key($0))) }
    #expect(held.allSatisfy { $0.room != nil })
    for number in 0..<20 as Range<Int64> { #expect(cache.keep(block(number), of: key(number))) }
    for (number, room) in held {
      #expect(try other.keep(block(number), of: key(number), in: #require(room)))
      #expect(try byteCount(cache) <= Self.limit)
    }
    held = []
    #expect(try byteCount(cache) <= Self.limit && !files(cache).contains { $0.hasPrefix(".part") })
  }

  @Test func `room that is given up is free again`() throws {
    let cache = try cache()
    for number in 0..<40 as Range<Int64> { #expect(cache.room(for: key(number)) != nil) }
    #expect(try files(cache).isEmpty && cache.keep(block(1), of: key(1)))
  }

  @Test func `many may keep at once`() async throws {
    let cache = try cache()
    await withTaskGroup { group in
      for writer in 0..<4 as Range<Int64> {
        group.addTask {
          for number in 0..<8 as Range<Int64> {
            let number = number * 4 + writer
            // A writer that has to wait for the others too long does not keep the block.
            _ = cache.keep(block(number), of: key(number))
          }
        }
      }
    }
    #expect(try byteCount(cache) <= Self.limit)
    let found = (0..<32 as Range<Int64>).filter { number in cache.bytes(of: key(number)).map { $0 == block(number) } ?? false }
    #expect(try !found.isEmpty && files(cache).count == found.count)
  }
}
