package import MediaTime

/// Apple's ProRes as FFmpeg encodes it: 10 bits, each frame on its own.
package struct ProRes: VideoCoder {
  package enum Profile: String, Hashable, Sendable, CaseIterable {
    case proxy, lt, standard, hq
    case p4444 = "4444"
    case p4444xq = "4444xq"
  }

  package var profile: Profile

  package init(profile: Profile = .standard) { self.profile = profile }

  package var fileTypes: [FileType] { [.mov, .mkv] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { nil }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }
  package var bitDepths: [Int] { [10] }
  package var chroma: ChromaSampling { [.p4444, .p4444xq].contains(profile) ? .yuv444 : .yuv422 }
  package var alphaBitDepths: [Int] { chroma == .yuv444 ? [10] : [] }
  package var keys: [CodecKey] { [CodecKey(name: "profile", form: .word(Profile.allCases.map(\.rawValue)))] }

  package subscript(key: String) -> CodecKey.Value? {
    get { key == "profile" ? .word(profile.rawValue) : nil }
    set {
      if case ("profile", .word(let word)) = (key, newValue) { profile = Profile(rawValue: word) ?? profile }
    }
  }

  package var secondsPerPixel: Double { chroma == .yuv444 ? 84e-9 : 62e-9 }
  package var workWords: [String] { [profile.rawValue] }

  package var encoderName: String { "prores_ks" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }

  package var sampleEntry: String? {
    switch profile {
    case .proxy: "apco"
    case .lt: "apcs"
    case .standard: "apcn"
    case .hq: "apch"
    case .p4444: "ap4h"
    case .p4444xq: "ap4x"
    }
  }

  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  /// Some editors refuse ProRes whose maker is not Apple. Alpha has 16 bits, into which the encoder spreads the movie's 10.
  package func options(for picture: EncodedPicture) -> [String: String] {
    ["profile": profile.rawValue, "vendor": "apl0"].merging(picture.hasAlpha ? ["alpha_bits": "16"] : [:]) { $1 }
  }
}
