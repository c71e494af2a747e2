internal import JSON

/// The formats that people deliver and that are not made, by the names that documents give them.
enum UnmadeFormat {
  /// The bits of a component that frames are not composited in, though codecs have them.
  static let unmadeDepths = [12, 14, 16]

  /// The reason for which a format is not made, and what would do; nil for a name that is none of these.
  static func objection(to name: String) -> String? {
    switch name.lowercased().filter({ $0.isLetter || $0.isNumber }) {
    case "exr", "exrsequence", "openexr", "openexrsequence":
      "OpenEXR is not made, because its samples are linear light in floating point, and frames are composited in whole numbers: use "
        + "tiffSequence"
    case "heaac", "heaacv1", "heaacv2", "aache", "aachev1", "aachev2", "aacplus":
      "HE-AAC is not made, because Debian's FFmpeg has no encoder of it: use opus at low rates, or aac"
    case "vorbis":
      "Vorbis is not made, because FFmpeg's encoder gives back other numbers of samples than it was given: use opus or flac"
    default: nil
    }
  }

  static func objection(toBits bits: Int) -> String {
    "frames are composited in 8 or 10 bits, so no movie has \(bits): use 10"
  }
}

extension DocumentNode {
  /// A format. One that is not made is refused with the reason.
  func format<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) -> Choice? where Choice.RawValue == String {
    if case .string(let name) = value, let objection = UnmadeFormat.objection(to: name) { return refuse(because: objection) }
    return choice(type)
  }
}
