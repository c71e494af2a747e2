import Glibc

/// ICC profiles of RGB samples that are made for tests (ICC.1:2001, version 2), and files with them.
struct ProfileMaker {
  /// The columns of the map from light of red, green and blue to XYZ relative to D50.
  var colorants: [[Double]]
  var gamma: Double
  /// The curve as light at equal distances, in place of the gamma.
  var points: [Double] = []
  var space = "RGB "

  /// Adobe RGB (1998), section 4.3, adapted to D50 as its profile has it.
  static let adobeRGB = ProfileMaker(
    colorants: [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]], gamma: 563.0 / 256)
  /// Display P3's colorants, with a power in place of sRGB's curve.
  static let powerP3 = ProfileMaker(
    colorants: [[0.51512, 0.2412, -0.00105], [0.29198, 0.69225, 0.04189], [0.1571, 0.06657, 0.78407]], gamma: 2.2)
  static var displayP3: ProfileMaker { ProfileMaker(colorants: powerP3.colorants, gamma: 2.2, points: sRGB.points) }
  /// sRGB as its profiles have it, with a table of 1024 points.
  static let sRGB = ProfileMaker(
    colorants: [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.7141]], gamma: 2.2,
    points: (0..<1024).map { index in
      let value = Double(index) / 1023
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    })

  /// The sRGB values of samples in 0...1, by the profile's colorants and gamma and by IEC 61966-2-1: in 0...255, not cut off.
  func sRGB(of samples: [Double]) -> [Double] {
    let light = samples.map { pow($0, gamma) }
    let xyz = (0..<3).map { row in (0..<3).reduce(0) { $0 + colorants[$1][row] * light[$1] } }
    // The inverse of sRGB's colorants relative to D50.
    let inverse = [
      [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.033454], [0.0719453, -0.2289914, 1.4052427],
    ]
    return inverse.map { row in
      let light = zip(row, xyz).reduce(0) { $0 + $1.0 * $1.1 }
      return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }
  }

  var bytes: [UInt8] {
    var tags: [(name: String, content: [UInt8])] = [("desc", text), ("wtpt", Self.xyz(Self.white))]
    for (name, colorant) in zip(["rXYZ", "gXYZ", "bXYZ"], colorants) { tags.append((name, Self.xyz(colorant))) }
    for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
    var (table, data): ([UInt8], [UInt8]) = (Self.word(tags.count), [])
    for (name, content) in tags {
      table += Array(name.utf8)
      table += Self.word(132 + 12 * tags.count + data.count) + Self.word(content.count)
      data += content + Self.zeros((4 - content.count % 4) % 4)
    }
    var header = Self.word(128 + table.count + data.count) + Self.zeros(4) + [2, 0x40, 0, 0]
    header += Array("mntr\(space)XYZ ".utf8) + Self.zeros(12)
    header += Array("acsp".utf8) + Self.zeros(28)
    for part in Self.white { header += Self.fixed(part) }
    return header + Self.zeros(128 - header.count) + table + data
  }

  private var curve: [UInt8] {
    let numbers = points.isEmpty ? [Int(gamma * 256)] : points.map { Int(($0 * 65535).rounded()) }
    var bytes = Array("curv".utf8) + Self.zeros(4) + Self.word(numbers.count)
    for number in numbers { bytes += [UInt8(number >> 8), UInt8(number & 255)] }
    return bytes
  }

  private var text: [UInt8] { Array("desc".utf8) + Self.zeros(4) + Self.word(5) + Array("Test\0".utf8) + Self.zeros(79) }

  /// The JPEG with the profile.
  func jpeg(_ file: [UInt8]) -> [UInt8] {
    let segment: [UInt8] = Array("ICC_PROFILE\0".utf8) + [1, 1] + bytes
    let length = segment.count + 2
    return Array(file[..<2]) + [0xff, 0xe2, UInt8(length >> 8), UInt8(length & 255)] + segment + Array(file[2...])
  }

  /// The PNG with the profile, which is stored in it without compression.
  func png(_ file: [UInt8]) -> [UInt8] {
    let profile = bytes
    var (low, high) = (UInt32(1), UInt32(0))
    for byte in profile {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    let (first, second) = (UInt8(profile.count & 255), UInt8(profile.count >> 8))
    var content: [UInt8] = Array("iCCPTest\0".utf8) + [0, 0x78, 1, 1, first, second, ~first, ~second]
    content += profile + Self.word(Int(high << 16 | low))
    // IHDR ends behind byte 33.
    var result = Array(file[..<33]) + Self.word(content.count - 4)
    result += content + Self.word(Int(Self.crc(content)))
    return result + Array(file[33...])
  }

  /// The plain WebP with the profile, in the extended form.
  func webp(_ file: [UInt8], width: Int, height: Int) -> [UInt8] {
    let profile = bytes
    var body: [UInt8] = Array("WEBPVP8X".utf8) + Self.little(10, 4) + [0x20, 0, 0, 0]
    body += Self.little(width - 1, 3) + Self.little(height - 1, 3)
    body += Array("ICCP".utf8) + Self.little(profile.count, 4) + profile + Self.zeros(profile.count % 2)
    body += Array(file[12...])
    return Array("RIFF".utf8) + Self.little(body.count, 4) + body
  }

  private static let white = [0.9642, 1, 0.82491]
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  private static func word(_ number: Int) -> [UInt8] { little(number, 4).reversed() }
  private static func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(number >> (8 * $0) & 255) } }
  private static func fixed(_ number: Double) -> [UInt8] { word(Int((number * 65536).rounded())) }

  private static func xyz(_ point: [Double]) -> [UInt8] {
    var bytes = Array("XYZ ".utf8) + zeros(4)
    for part in point { bytes += fixed(part) }
    return bytes
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
