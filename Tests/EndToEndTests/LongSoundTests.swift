import FarmTesting
import Subprocess
import Testing

/// Sound that is long enough for parts, made by a farm.
@Suite struct `Long sound` {
  @Test func `has the same bytes from one worker and from three, and the plan tells its parts`() throws {
    let studio = try Studio()
    // At 8000 samples a second, six minutes are soon made.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(200+2*t)*t)+0.1*(random(0)-0.5)':s=8000:d=370", "-c:a", "pcm_s16le",
      studio.file("long.wav"),
    ])
    let document = try studio.document(
      """
      {"spool": 1, "assets": {"long": {"path": "long.wav"}}, "composition": {"tracks": [
        {"id": "A", "media": "audio", "segments": [{"asset": "long"}]}]},
       "export": {"fileType": "m4a", "audio": {"codec": "aac", "sampleRate": 8000, "channelLayout": "mono", "bitRate": 32000}}}
      """)
    let planned = try SpoolProgram.run(["plan", document, "-o", studio.file("one.m4a"), "--data", studio.dataDirectory])
    #expect(planned.output.contains("and sound in 3 parts"), "\(planned.output)\(planned.errorOutput)")
    let one = try studio.render(document, to: "one.m4a", ["--workers", "1"])
    let three = try studio.render(document, to: "three.m4a", ["--workers", "3"])
    #expect(try [UInt8](contentsOf: one) == [UInt8](contentsOf: three))
    let raw = studio.file("decoded.raw")
    try MediaTools.ffmpeg(["-i", one, "-f", "s16le", raw])
    #expect(try [UInt8](contentsOf: raw).count == 2 * 8000 * 370)
  }
}
