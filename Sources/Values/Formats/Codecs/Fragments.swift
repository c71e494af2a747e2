/// The file types and codecs that are written in fragments: those that players take in them, whose headers FFmpeg 5.1 writes before the first packet, and whose
/// samples it counts exactly there.
extension FileType {
  package var holdsFragments: Bool { [.mp4, .mov, .m4a, .cmaf].contains(self) }
}

extension VideoCodec {
  package var standsInFragments: Bool { [.h264, .hevc, .av1, .vp9, .prores].contains(self) }
}

extension AudioCodec {
  package var standsInFragments: Bool { [.aac, .alac].contains(self) }
}
