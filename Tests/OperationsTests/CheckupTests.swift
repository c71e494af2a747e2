import FarmTesting
import FoundationEssentials
import Glibc
import Operations
import Testing

/// The findings of `Checkup`.
@Suite struct `A checkup` {
  private let folder = TemporaryDirectory()
  private let environment = ["PATH": "/usr/bin:/bin"]

  private func findings(_ change: (inout CheckupRequest) -> Void) -> [String: Finding] {
    var request = CheckupRequest(data: nil)
    change(&request)
    return Dictionary(Checkup.machine(request, environment: environment).map { ($0.subject, $0) }) { first, _ in first }
  }

  @Test func `tells of this machine what the tests need of it, and leaves nothing in the folders`() throws {
    let found = findings { request in
      (request.data, request.store, request.mediaRoots) = (folder.file("not/yet/there"), folder.path, [folder.path])
    }
    for subject in ["libraries", "encoders", "fonts", "PostgreSQL", "data folder", "store", "media root"] {
      #expect(found[subject]?.state != .fault, "\(subject)")
    }
    #expect(found["encoders"]?.text.hasPrefix("all ") == true)
    let memory = Double(sysconf(Int32(_SC_PHYS_PAGES))) * Double(sysconf(Int32(_SC_PAGESIZE))) / Double(1 << 30)
    let told = found["machine"]?.text.firstMatch(of: /([0-9.]+) GiB of memory/).flatMap { Double($0.1) }
    #expect(abs((told ?? 0) - memory) < 0.051)
    #expect(found["PostgreSQL"]?.text.hasPrefix("/usr/lib/postgresql/") == true)
    #expect(found["fonts"]?.text.hasSuffix(" faces") == true && found["store"]?.text.hasPrefix(folder.path) == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    #expect(try JSONDecoder().decode([Finding].self, from: JSONEncoder().encode(Array(found.values))) == Array(found.values))
  }

  @Test func `names the encoders that FFmpeg lacks, in the order of the alphabet`() throws {
    let lacking = Checkup.encoders { $0 == "libx264" }
    let names = try #require(lacking.text.wholeMatch(of: /FFmpeg lacks (.*)/)?.1).split(separator: ", ")
    #expect(lacking.state == .notice && names.count > 10 && names == names.sorted() && !names.contains("libx264"))
    #expect(Checkup.encoders { _ in true }.state == .fine)
  }

  @Test func `names the libraries that movies depend on, with their versions, and those that are not the system's`() {
    let own = Checkup.libraries(LoadedLibrary.ofThisProcess)
    for name in ["libavcodec", "libx264", "libzimg", "libpango-1.0", "libpq", "libzmq"] {
      #expect(own.text.contains("\(name) "), "\(name) in \(own.text)")
    }
    #expect(own.text.firstMatch(of: /libavcodec [0-9]+\.[0-9]+\.[0-9]+/) != nil)
    let maps = """
      7f3a2c000000-7f3a2c021000 rw-p 00000000 00:00 0
      7f3a2d400000-7f3a2d4b0000 r--p 00000000 fe:01 263  /usr/lib/x86_64-linux-gnu/libavcodec.so.59.37.100
      7f3a2d4b0000-7f3a2dc00000 r-xp 000b0000 fe:01 263  /usr/lib/x86_64-linux-gnu/libavcodec.so.59.37.100
      7f3a2e000000-7f3a2e100000 r-xp 00000000 fe:01 264  /opt/new one/lib/libx264.so.165
      7f3a2f000000-7f3a2f100000 r-xp 00000000 fe:01 265  /opt/swift/usr/lib/swift/linux/libswiftCore.so
      7ffd10000000-7ffd10021000 rw-p 00000000 00:00 0    [stack]
      """
    let all = LoadedLibrary.all(in: maps)
    #expect(all.map(\.name) == ["libavcodec", "libx264"] && all.map(\.version) == ["59.37.100", "165"])
    #expect(Checkup.libraries([all[0]]) == Finding("libraries", "libavcodec 59.37.100"))
    let strange = Checkup.libraries(all)
    #expect(strange.state == .notice && strange.advice != nil)
    #expect(strange.text == "libx264 is not the system's, but from /opt/new one/lib: libavcodec 59.37.100, libx264 165")
  }

  @Test func `finds folders that are missing, or are none, or cannot be written to`() throws {
    try Data("x".utf8).write(to: URL(filePath: folder.file("file")))
    let missing = findings { ($0.store, $0.mediaRoots) = (folder.file("none"), [folder.file("none")]) }
    #expect(missing["store"]?.state == .fault && missing["store"]?.text.hasSuffix("No such file or directory") == true)
    #expect(missing["media root"]?.state == .fault && missing["media root"]?.advice != nil)
    let file = findings { ($0.data, $0.store) = (folder.file("file"), folder.file("file")) }
    #expect(file["store"]?.text.hasSuffix("is not a directory") == true && file["data folder"]?.state == .fault)
    // No user can make a file in this one.
    #expect(findings { $0.store = "/proc" }["store"]?.state == .fault)
  }

  @Test func `finds no database, no coordinator and no worker`() throws {
    let away = Farm { "host=\(folder.path) dbname=none connect_timeout=1" }.checkup()
    #expect(away.map(\.subject) == ["database"] && away.map(\.state) == [.fault])
    #expect(away[0].advice?.contains("its server runs") == true)
    let empty = try TestCluster.shared.get().makeDatabase()
    #expect(Farm { empty }.checkup().map { $0.advice?.contains("as new as the farm's") } == [true])
    let bench = try FarmBench()
    let found = bench.farm.checkup()
    #expect(found.map(\.subject) == ["database", "coordinators", "workers", "clock"])
    #expect(found.map(\.state) == [.fine, .fault, .fault, .fine] && found[1].text == "none leads")
  }

  @Test func `tells how far this machine's clock is from the database's`() {
    #expect(Checkup.clock(ahead: -4.9).state == .fine && Checkup.clock(ahead: 1).advice == nil)
    let behind = Checkup.clock(ahead: -90)
    #expect(behind.state == .notice && behind.text == "this machine's is 90 s behind the database's" && behind.advice != nil)
    #expect(Checkup.clock(ahead: 1e300).text.hasSuffix(" s ahead of the database's"))
  }
}
