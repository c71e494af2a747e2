import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `The verb waveform` {
  private func withSound(_ body: (String) throws -> Void) throws {
    try TemporaryDirectory.with { folder in
      // Two channels whose samples are exact in 16 bits: a ramp, and its negative of three times the size.
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "aevalsrc='(mod(n,1000)-500)/32768|(1500-3*mod(n,1000))/32768':s=8000:n=512:d=0.5", "-c:a",
        "pcm_s16le",
        folder + "/a.wav",
      ])
      try body(folder)
    }
  }

  private struct Peaks: Decodable {
    let version: Int, channels: Int, sample_rate: Int, samples_per_pixel: Int, bits: Int, length: Int, data: [Int]
  }

  /// The peaks of the mean of the channels, computed from ffmpeg's samples.
  private func expected(_ folder: String, each: Int, divisor: Int) throws -> [Int] {
    let raw = folder + "/a.raw"
    try MediaTools.ffmpeg(["-i", folder + "/a.wav", "-f", "s16le", raw])
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: raw)))
    let samples = stride(from: 0, to: bytes.count, by: 2).map {
      Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
    }
    let means = stride(from: 0, to: samples.count, by: 2).map { (samples[$0] + samples[$0 + 1]) / 2 }
    return stride(from: 0, to: means.count, by: each).flatMap { start in
      let pixel = means[start..<min(start + each, means.count)]
      return [(pixel.min() ?? 0) / divisor, (pixel.max() ?? 0) / divisor]
    }
  }

  @Test func `writes the peaks of the mean of all channels, in audiowaveform's forms`() throws {
    try withSound { folder in
      var run = try SpoolProgram.run("waveform", "a.wav", "-o", "a.json", "--samples-per-pixel", "300", folder: folder)
      #expect(run.code == 0 && run.errorOutput == "")
      let peaks = try JSONDecoder().decode(Peaks.self, from: Data(contentsOf: URL(filePath: folder + "/a.json")))
      #expect(peaks.version == 2 && peaks.channels == 1 && peaks.sample_rate == 8000 && peaks.bits == 16)
      #expect(peaks.samples_per_pixel == 300 && peaks.length == 14 && peaks.data.count == 28)
      #expect(try peaks.data == expected(folder, each: 300, divisor: 1))

      run = try SpoolProgram.run("waveform", "a.wav", "-o", "a.dat", "--samples-per-pixel", "512", "--bits", "8", folder: folder)
      #expect(run.code == 0 && run.errorOutput == "")
      let bytes = try [UInt8](Data(contentsOf: URL(filePath: folder + "/a.dat")))
      let head = stride(from: 0, to: 24, by: 4).map { start in (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) } }
      #expect(head == [2, 1, 8000, 512, 8, 1])
      #expect(try bytes.dropFirst(24).map { Int(Int8(bitPattern: $0)) } == expected(folder, each: 512, divisor: 256))
    }
  }

  @Test func `draws pictures`() throws {
    try withSound { folder in
      let png = try SpoolProgram.run(
        "waveform", "a.wav", "-o", "a.png", "--width", "64", "--height", "32", "--bars", "4", "--color", "#ff0000", "--json",
        folder: folder)
      #expect(png.code == 0 && png.output.contains(#""form":"png","length":4"#))
      let probe = try MediaTools.ffprobe(["-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", folder + "/a.png"])
      #expect(probe.contains("png,64,32"))
      let svg = try SpoolProgram.run("waveform", "a.wav", "-o", "a.svg", "--bars", "4", "--floor=-60", folder: folder)
      #expect(svg.code == 0)
      let text = String(decoding: try Data(contentsOf: URL(filePath: folder + "/a.svg")), as: UTF8.self)
      #expect(text.hasPrefix("<svg ") && text.count(where: { $0 == "M" }) == 4)
    }
  }

  @Test(arguments: [
    (["-o", "a.gif"], 64, "error: a.gif: a waveform's name ends with .png, .svg, .json or .dat\n"),
    (["-o", "a.png", "--style", "dots"], 64, "error: --style: 'dots' is not one of bars, area, line\n"),
    (["-o", "a.png", "--width", "33"], 64, "error: --width: 33 is not an even number in 16...8192\n"),
    (["-o", "a.png", "--color", "red"], 64, "error: --color: 'red' is not a colour like #ffc040\n"),
    (["-o", "a.dat", "--bits", "12"], 64, "error: --bits: 12 is neither 8 nor 16\n"),
    (["-o", "there.json"], 73, "error: there.json: exists already\n"),
  ])
  func `refuses what makes no sense`(arguments: [String], code: Int32, error: String) throws {
    try withSound { folder in
      try Data().write(to: URL(filePath: folder + "/there.json"))
      let run = try SpoolProgram.run(["waveform", "a.wav"] + arguments, folder: folder)
      #expect(run.code == code && run.errorOutput == error)
    }
  }

  @Test func `says when a medium has no sound, or is none`() throws {
    try TemporaryDirectory.with { folder in
      try EditFixture.writeClip(in: folder)
      let silent = try SpoolProgram.run("waveform", "clip.mkv", "-o", "a.json", folder: folder)
      #expect(silent.code == 65 && silent.errorOutput == "error: clip.mkv: has no sound that can be decoded\n")
      let drawn = try SpoolProgram.run("waveform", "clip.mkv", "-o", "a.png", folder: folder)
      #expect(drawn.code == 65 && drawn.errorOutput == "error: clip.mkv: has no sound that can be decoded\n")
      #expect(try SpoolProgram.run("waveform", "none.wav", "-o", "a.png", folder: folder).code == 66)
    }
  }
}
