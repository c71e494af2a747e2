/// The header of a fragment of a movie: `moof`, and the beginning of `mdat` (ISO/IEC 14496-12, 8.8).
enum MovieFragment {
  /// A packet, as the header tells it.
  struct Sample {
    let byteCount: Int
    /// The time until the next packet is decoded, in the track's ticks.
    let duration: Int64
    /// How much later than it is decoded it is shown, in the track's ticks.
    let offset: Int64
    let isKey: Bool
  }

  /// The packets of one track.
  struct Run {
    let track: Int
    let isPicture: Bool
    /// The time at which its first packet is decoded, in the track's ticks.
    var decodeTime: Int64 = 0
    var samples: [Sample] = []

    var byteCount: Int { samples.reduce(0) { $0 + $1.byteCount } }
    /// The time that its packets take, in the track's ticks.
    var duration: Int64 { samples.reduce(0) { $0 + $1.duration } }
  }

  /// The bytes before the packets, which follow run by run.
  ///
  /// - Parameter number: the number of the fragment, from 1.
  static func head(number: Int, _ runs: [Run]) -> [UInt8] {
    let mediaData = BoxBytes.mediaDataHeader(of: runs.reduce(0) { $0 + $1.byteCount })
    func movieFragment(dataOffset: Int) -> [UInt8] {
      var sequence = BoxBytes(full: "mfhd", version: 0, flags: 0)
      sequence.add(UInt32(truncatingIfNeeded: number))
      var (content, offset) = (sequence.bytes, dataOffset)
      for run in runs {
        content += trackFragment(run, dataOffset: offset)
        offset += run.byteCount
      }
      return BoxBytes.box("moof", content)
    }
    let size = movieFragment(dataOffset: 0).count
    return movieFragment(dataOffset: size + mediaData.count) + mediaData
  }

  private static func trackFragment(_ run: Run, dataOffset: Int) -> [UInt8] {
    // Data offset, duration and size; for pictures also flags and composition offset.
    var table = BoxBytes(full: "trun", version: 0, flags: run.isPicture ? 0xf01 : 0x301)
    table.add(UInt32(run.samples.count))
    table.add(UInt32(truncatingIfNeeded: dataOffset))
    for sample in run.samples {
      table.add(UInt32(truncatingIfNeeded: sample.duration))
      table.add(UInt32(sample.byteCount))
      guard run.isPicture else { continue }
      table.add(sample.isKey ? BoxBytes.keyFlags : BoxBytes.dependentFlags)
      table.add(UInt32(truncatingIfNeeded: sample.offset))
    }
    // The base of offsets is the fragment; sound's samples can all be decoded on their own.
    var header = BoxBytes(full: "tfhd", version: 0, flags: run.isPicture ? 0x020000 : 0x020020)
    header.add(UInt32(run.track))
    if !run.isPicture { header.add(BoxBytes.keyFlags) }
    var time = BoxBytes(full: "tfdt", version: 1, flags: 0)
    time.add(UInt64(run.decodeTime))
    return BoxBytes.box("traf", header.bytes + time.bytes + table.bytes)
  }
}
