import Document
import Formats
import Testing
import Timeline

/// Documents that ask for movies of fields, and for formats that are not made.
@Suite struct `Documents of deliveries` {
  private func document(_ export: String) -> String {
    Documents.opening.replacing("\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true", with: export)
  }

  private func faults(_ export: String) -> [String] { Documents.faults(document(export)) }

  @Test func `keep their fields in canonical form`() throws {
    for fields in [#""fields": "topFirst""#, #""fields": "bottomFirst", "fieldFilter": "none""#] {
      let text = document(#""fileType": "mov", "video": {"codec": "prores", \#(fields)}"#)
      let canonical = try Documents.canonical(text)
      #expect(try Documents.canonical(canonical) == canonical)
      #expect(canonical.filter { !$0.isWhitespace }.contains(fields.split(separator: ",")[0].filter { !$0.isWhitespace }))
      #expect(canonical.contains("fieldFilter") == fields.contains("none"))
    }
  }

  @Test(arguments: VideoCodec.allCases) func `ask only codecs for fields that make them`(codec: VideoCodec) throws {
    let type = try #require(codec.fileTypes.first { $0 != .cmaf })
    let found = faults(#""fileType": "\#(type)", "video": {"codec": "\#(codec)", "fields": "topFirst"}"#)
    let made: Set<VideoCodec> = [.h264, .mpeg2, .prores, .ffv1, .v210]
    if made.contains(codec) { return #expect(found == []) }
    #expect(found.count == 1 && found.first?.hasPrefix("export.video.fields: ") == true)
    #expect(found.first?.hasSuffix(": use h264, prores, mpeg2, ffv1 or v210") == true, "\(found)")
  }

  @Test func `are refused where fields do not go with the rest`() {
    #expect(
      faults(#""fileType": "mkv", "video": {"codec": "ffv1", "alpha": true, "fields": "topFirst"}"#) == [
        "export.video.fields: a movie with alpha is not made of fields: leave one of them out"
      ])
    #expect(
      faults(#""fileType": "cmaf", "video": {"fields": "topFirst"}"#) == [
        "export.video.fields: pieces for HLS and DASH are played as whole frames: use mp4, or leave fields out"
      ])
    #expect(
      faults(#""fileType": "mp4", "video": {"fieldFilter": "none"}"#) == [
        "export.video.fieldFilter: is the filter of fields, which are missing: give fields, or leave it out"
      ])
    #expect(
      faults(#""fileType": "mp4", "video": {"fields": "topFirst", "copy": "auto"}"#) == [
        "export.video.copy: packets are not copied into a movie of fields"
      ])
    #expect(
      faults(#""fileType": "mp4", "video": {"fields": "top"}"#) == [
        "export.video.fields: 'top' is not one of topFirst, bottomFirst"
      ])
  }

  @Test func `are told why a format is not made, and what would do`() {
    #expect(
      faults(#""fileType": "exrSequence""#) == [
        "export.fileType: OpenEXR is not made, because its samples are linear light in floating point, and frames are composited in whole "
          + "numbers: use tiffSequence"
      ])
    for name in ["heAAC", "he-aac", "HE-AACv2"] {
      #expect(
        faults(#""fileType": "mp4", "audio": {"codec": "\#(name)"}"#) == [
          "export.audio.codec: HE-AAC is not made, because Debian's FFmpeg has no encoder of it: use opus at low rates, or aac"
        ])
    }
    #expect(
      faults(#""fileType": "mp4", "video": {"codec": "hevc", "bitDepth": 12}"#) == [
        "export.video.bitDepth: frames are composited in 8 or 10 bits, so no movie has 12: use 10"
      ])
    #expect(
      faults(#""fileType": "ogg", "audio": {"codec": "vorbis"}"#) == [
        "export.audio.codec: Vorbis is not made, because FFmpeg's encoder gives back other numbers of samples than it was given: use opus or "
          + "flac"
      ])
  }

  @Test func `have a loudness range within its bounds, of the movie and of tracks`() throws {
    let text = document(#""loudness": {"integrated": -16, "range": 7.5}"#)
    let canonical = try Documents.canonical(text)
    #expect(try canonical.contains("\"range\"") && Documents.canonical(canonical) == canonical)
    #expect(
      faults(#""loudness": {"integrated": -16, "range": 0.5}"#) == ["export.loudness.range: 0.5 is not in 1...60"])
    #expect(faults(#""loudness": {"range": 7}"#).first == "export.loudness.integrated: missing")
  }
}
