/// Finds the places of sound that only counting from the start of the file can tell. All readers of the same files on one thread
/// share it.
///
/// A scan decodes a track once, as far as it is asked about. One thread at a time.
@safe package final class SoundScans {
  /// A frame that is known by its timestamp (in the stream's ticks), and its place (in samples).
  struct Landmark {
    let tick: Int64
    let position: Int64
  }

  private struct Key: Hashable {
    let path: String
    let track: Int
  }

  private final class Scan {
    let decoder: SoundDecoder
    /// The landmarks of the blocks that were reached. Block 0 needs none, so the first is that of block 1.
    var landmarks: [Landmark?] = []
    var hasEnded = false

    init(_ decoder: SoundDecoder) { self.decoder = decoder }
  }

  private var scans: [Key: Scan] = [:]

  package init() {}

  /// The first frame with a timestamp of its own that begins within `lead` samples before block `block`; nil where there is none.
  ///
  /// - Parameters:
  ///   - length: the length of a block, in samples.
  ///   - open: opens the track for a first scan, at its start.
  func landmark(
    ofBlock block: Int, length: Int64, lead: Int64, path: String, track: Int, open: () throws(MediaError) -> SoundDecoder
  ) throws(MediaError) -> Landmark? {
    let key = Key(path: path, track: track)
    let scan: Scan
    if let known = scans[key] {
      scan = known
    } else {
      scan = Scan(try open())
      scans[key] = scan
    }
    while scan.landmarks.count < block, !scan.hasEnded {
      guard let placed = try scan.decoder.next() else {
        scan.hasEnded = true
        break
      }
      while placed.position >= Int64(scan.landmarks.count + 1) * length { scan.landmarks.append(nil) }
      if let tick = placed.tick, placed.position >= Int64(scan.landmarks.count + 1) * length - lead {
        scan.landmarks.append(Landmark(tick: tick, position: placed.position))
      }
    }
    return block <= scan.landmarks.count ? scan.landmarks[block - 1] : nil
  }
}
