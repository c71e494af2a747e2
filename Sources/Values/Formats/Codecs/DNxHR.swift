package import MediaTime

/// Avid's DNxHR (VC-3) as FFmpeg encodes it: each frame on its own.
package struct DNxHR: VideoCoder {
  package enum Profile: String, Hashable, Sendable, CaseIterable {
    case lb, sq, hq, hqx
    case p444 = "444"
  }

  package var profile: Profile

  package init(profile: Profile = .sq) { self.profile = profile }

  package var fileTypes: [FileType] { [.mov, .mxf] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { "dnxhr has no fields, which are Avid's older DNxHD's alone" }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }
  /// The codec's own bound.
  package var leastSize: PixelSize { PixelSize(256, 120) }
  package var bitDepths: [Int] { [.hqx, .p444].contains(profile) ? [10] : [8] }
  package var chroma: ChromaSampling { profile == .p444 ? .yuv444 : .yuv422 }
  package var keys: [CodecKey] { [CodecKey(name: "profile", form: .word(Profile.allCases.map(\.rawValue)))] }

  package subscript(key: String) -> CodecKey.Value? {
    get { key == "profile" ? .word(profile.rawValue) : nil }
    set {
      if case ("profile", .word(let word)) = (key, newValue) { profile = Profile(rawValue: word) ?? profile }
    }
  }

  package var secondsPerPixel: Double { bitDepths == [8] ? 9e-9 : 33e-9 }
  package var workWords: [String] { [profile.rawValue] }

  package var encoderName: String { "dnxhd" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package var sampleEntry: String? { "AVdh" }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] { ["profile": "dnxhr_\(profile.rawValue)"] }
}
