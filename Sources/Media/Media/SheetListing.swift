internal import Formats
internal import MediaTime

/// The sheets of thumbnails as players of HLS and DASH find them.
///
/// HLS has no words of its own for them. The ones here are those of the image media playlist that Roku and others read (version 0.4), which
/// other players pass over. In DASH they are a set of adaptations with tiles (DASH-IF IOP 4.3, section 6.2.6).
struct SheetListing {
  private let sheets: ThumbnailSheets
  private let byteCounts: [Int]

  /// - Parameter byteCounts: the bytes of each sheet's file.
  init(_ sheets: ThumbnailSheets, byteCounts: [Int]) { (self.sheets, self.byteCounts) = (sheets, byteCounts) }

  /// The microseconds for which a sheet with all its places would do.
  private var sheetMicroseconds: Int64 {
    let value = Int128(sheets.interval.value) * Int128(sheets.tilesPerSheet) * 1_000_000
    return Int64(clamping: value / Int128(sheets.interval.timescale))
  }

  /// The most bits a second that fetching the sheets takes while the movie plays.
  private var bitRate: Int {
    let most = Int128(byteCounts.max() ?? 0) * 8_000_000
    return max(1, Int(clamping: (most + Int128(sheetMicroseconds) - 1) / Int128(max(1, sheetMicroseconds))))
  }

  /// The line of the master playlist.
  var stream: String {
    "#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=\(bitRate),RESOLUTION=\(sheets.tile.width)x\(sheets.tile.height),CODECS=\"jpeg\","
      + "URI=\"\(StillNames.playlist)\""
  }

  /// The playlist of the sheets. Each but the last lasts as long as all its places; the last one ends with the movie.
  var playlist: String {
    let duration = Int64(clamping: Int128(sheets.duration.value) * 1_000_000 / Int128(sheets.duration.timescale))
    let lengths = (0..<sheets.sheetCount).map { min(sheetMicroseconds, duration - Int64($0) * sheetMicroseconds) }
    let target = max(1, lengths.map { ($0 + 500_000) / 1_000_000 }.max() ?? 1)
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(target)", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD",
      "#EXT-X-IMAGES-ONLY",
    ]
    let interval = Int64(clamping: Int128(sheets.interval.value) * 1_000_000 / Int128(sheets.interval.timescale))
    let tiles =
      "#EXT-X-TILES:RESOLUTION=\(sheets.tile.width)x\(sheets.tile.height),LAYOUT=\(sheets.columns)x\(sheets.rows),"
      + "DURATION=\(MediaPlaylist.seconds(interval))"
    for (index, length) in lengths.enumerated() {
      lines += ["#EXTINF:\(MediaPlaylist.seconds(length)),", tiles, StillNames().sheet(index + 1)]
    }
    return MediaPlaylist.text(lines + ["#EXT-X-ENDLIST"])
  }

  /// The lines of the presentation for DASH.
  var adaptationSet: [String] {
    let duration = Int128(sheets.interval.value) * Int128(sheets.tilesPerSheet)
    return [
      "    <AdaptationSet contentType=\"image\" mimeType=\"image/jpeg\">",
      "      <SegmentTemplate media=\"\(StillNames.template)\" timescale=\"\(sheets.interval.timescale)\" "
        + "duration=\"\(duration)\" startNumber=\"1\"/>",
      "      <Representation id=\"thumbnails\" bandwidth=\"\(bitRate)\" width=\"\(sheets.size.width)\" "
        + "height=\"\(sheets.size.height)\">",
      "        <EssentialProperty schemeIdUri=\"http://dashif.org/guidelines/thumbnail_tile\" "
        + "value=\"\(sheets.columns)x\(sheets.rows)\"/>",
      "      </Representation>", "    </AdaptationSet>",
    ]
  }
}
