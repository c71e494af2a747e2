package import MediaTime

/// VP9 as libvpx encodes it.
package struct VP9: VideoCoder {
  /// The speeds, by libvpx's `cpu-used`.
  package enum Speed: String, Hashable, Sendable, CaseIterable {
    case veryfast, faster, fast, medium, slow, slower

    var cpuUsed: Int {
      switch self {
      case .veryfast: 5
      case .faster: 4
      case .fast: 3
      case .medium: 2
      case .slow: 1
      case .slower: 0
      }
    }
  }

  /// The constant quality, from 0 to 63.
  package var crf: Double
  package var speed: Speed

  package init(crf: Double = 31, speed: Speed = .fast) { (self.crf, self.speed) = (crf, speed) }

  package var fileTypes: [FileType] { [.webm, .mkv, .mp4] }
  package var isLossless: Bool { false }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }
  /// Alpha is a second stream beside each frame, of 8 bits.
  package var alphaBitDepths: [Int] { [8] }
  /// FFmpeg writes the second stream into Matroska only.
  package var alphaFileTypes: [FileType] { [.webm, .mkv] }

  package var keys: [CodecKey] {
    [
      CodecKey(name: "crf", form: .number(0...63)),
      CodecKey(name: "speed", form: .word(Speed.allCases.map(\.rawValue))),
    ]
  }

  package subscript(key: String) -> CodecKey.Value? {
    get {
      switch key {
      case "crf": .number(crf)
      case "speed": .word(speed.rawValue)
      default: nil
      }
    }
    set {
      switch (key, newValue) {
      case ("crf", .number(let number)): crf = number.rounded()
      case ("speed", .word(let word)): speed = Speed(rawValue: word) ?? speed
      default: break
      }
    }
  }

  package var secondsPerPixel: Double {
    switch speed {
    case .veryfast: 79e-9
    case .faster: 85e-9
    case .fast: 90e-9
    case .medium: 126e-9
    case .slow: 150e-9
    case .slower: 450e-9
    }
  }

  package var workWords: [String] { [speed.rawValue] }

  /// A step of `crf` is some percent of the bits, which is more than a chunk may miss its share by.
  package var targetObjection: String? {
    "whole steps of crf are too coarse for a share of the bits: use crf, or h264, hevc or mpeg2"
  }

  package var encoderName: String { "libvpx-vp9" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_ frameDuration: MediaTime) -> Int64 { H264().keyInterval(frameDuration) }

  /// FFmpeg's encoder has no pictures of the future (`auto-alt-ref`) beside alpha.
  package func options(for picture: EncodedPicture) -> [String: String] {
    [
      "crf": "\(Int(crf))", "deadline": "good", "cpu-used": "\(speed.cpuUsed)", "row-mt": "0",
      "auto-alt-ref": picture.hasAlpha ? "0" : "1",
    ]
  }
}
