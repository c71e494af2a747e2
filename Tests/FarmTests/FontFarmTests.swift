import FarmTesting
import Glibc
import Ledger
import Subprocess
import SyntheticFonts
import Testing

/// Workers on machines that have a job's fonts, and on others.
@Suite(.serialized) struct FontFarmTests {
  private static let dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
  private let farm: RealFarm

  init() throws {
    farm = try RealFarm()
    try SyntheticSource(width: 96, height: 64, frameCount: 25).write(to: "\(farm.directory)/a.mkv", ["-c:v", "ffv1"])
    try farm.startCoordinator()
  }

  /// The environment of a machine with one font file at that path.
  private func machine(_ name: String, _ font: [UInt8]) throws -> [String: String] {
    for folder in [name, "\(name)/fonts", "\(name)/cache"] {
      try #require(unsafe mkdir("\(farm.directory)/\(folder)", 0o755) == 0)
    }
    try font.write(toFile: "\(farm.directory)/\(name)/fonts/a.ttf")
    let folder = "\(farm.directory)/\(name)"
    try farm.write(
      "\(name)/fonts.conf",
      """
      <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
      <fontconfig><dir>\(folder)/fonts</dir><cachedir>\(folder)/cache</cachedir></fontconfig>
      """, mode: 0o644)
    return ["FONTCONFIG_FILE": "\(folder)/fonts.conf"]
  }

  private func submit(_ movie: String, font: String = "DejaVu Sans", _ assets: String = "") throws -> String {
    try farm.write(
      "edit.json",
      """
      {"spool": 1, "assets": {"a": {"path": "a.mkv"}\(assets)},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
       "layers": [{"text": "Spool", "font": "\(font)", "size": 20, "frame": [0, 10, 96, 40]}], "export": {"preset": "lossless"}}
      """, mode: 0o644)
    return try farm.verb("submit", "\(farm.directory)/edit.json", "-o", "\(farm.directory)/\(movie)", "--chunk-frames", "5")
  }

  @Test func `a worker that has another file of the family gets no chunk, and one that has the very file does them all`() throws {
    var other = try [UInt8](contentsOf: Self.dejavu)
    other[other.count / 2] ^= 1
    try farm.startWorker("other", renders: true, environment: machine("other", other))
    try farm.wait("other is registered") { try farm.ledger.workers().contains { $0.name == "other" } }
    let job = try submit("movie.mkv")
    let needs = try farm.psql("select split_part(tag, ':', 3) from spool.job, unnest(tags) tag")
    let reason = "it needs the font DejaVu Sans (digest \(needs)), which no connected worker has"
    try farm.wait("the font is missed") { try farm.verb("why", job).contains(reason) }
    // A worker is asked within milliseconds, and the search takes as long. After a second it is over.
    usleep(1_000_000)
    #expect(try farm.verb("why", job).contains(reason))
    #expect(try farm.psql("select count(*) from spool.attempt") == "0")
    #expect(try farm.verb("status").contains("needs the font DejaVu Sans"))

    // This machine has the same font under another name and in another place.
    try farm.startWorker("same", renders: true, environment: machine("same", [UInt8](contentsOf: Self.dejavu)))
    try farm.waitDone(job)
    #expect(try farm.psql("select distinct worker from spool.attempt") == "same")
    #expect(try farm.psql("select count(*) from spool.attempt where outcome <> 'won'") == "0")
    let verified = try farm.run(["verify", "\(farm.directory)/edit.json", "\(farm.directory)/movie.mkv"])
    #expect(verified.code == 0, "\(verified.output)\(verified.errorOutput)")
  }

  @Test func `no worker needs a font that the document states, and one that sees another file there draws nothing`() throws {
    let file = "\(farm.directory)/brand.ttf"
    try SyntheticFont("Brand", letters: "Spol", height: 700).bytes.write(toFile: file)
    let job = try submit("movie.mkv", font: "brand", #", "brand": {"path": "brand.ttf", "kind": "font"}"#)
    #expect(try farm.psql("select count(*) from spool.job, unnest(tags) t where t like 'font=%'") == "0")
    // Workers on other machines may see another file under the path.
    try SyntheticFont("Brand", letters: "Spol", height: 600).bytes.write(toFile: file)
    try farm.startWorker("wrong", renders: true)
    try farm.wait("it failed there") {
      try farm.psql("select count(*) from spool.attempt where failure_class = 'worker'") != "0"
    }
    let reason = try farm.psql("select distinct failure_reason from spool.attempt where failure_class = 'worker'")
    #expect(reason == "assets.brand: '\(file)' is not the file that the edit was checked with")
    try SyntheticFont("Brand", letters: "Spol", height: 700).bytes.write(toFile: file)
    try farm.startWorker("right", renders: true)
    try farm.waitDone(job)
  }

  @Test func `a file that is replaced after its worker told of it fails the attempts there, and draws nothing else`() throws {
    let whole = try [UInt8](contentsOf: Self.dejavu)
    try farm.startWorker("liar", renders: true, environment: machine("liar", whole))
    _ = try submit("first.mkv")
    try farm.wait("liar told of it") {
      try farm.psql("select count(*) from spool.worker, unnest(tags) t where t like 'font=%'") == "1"
    }
    try farm.wait("the first is done") { try farm.psql("select state from spool.job") == "done" }
    var other = whole
    other[other.count / 2] ^= 1
    try other.write(toFile: "\(farm.directory)/liar/fonts/a.ttf")
    let job = try submit("second.mkv")
    try farm.wait("it failed there") {
      try farm.psql("select count(*) from spool.attempt where failure_class = 'worker'") != "0"
    }
    let reason = try farm.psql("select distinct failure_reason from spool.attempt where failure_class = 'worker'")
    #expect(
      reason.hasPrefix("the font DejaVu Sans that the job was submitted with (") && reason.hasSuffix(") is not on this machine"))
    // Another worker does it.
    try farm.startWorker("honest", renders: true, environment: machine("honest", whole))
    try farm.waitDone(job)
  }
}
