internal import CFFmpeg

/// The times of an AVI's pictures, by the places in the file at which the AVI's index says that they lie.
///
/// Pictures in an AVI have no times. FFmpeg counts them as it reads them. So after a lost picture it gives all further ones a
/// time that is one frame too early, until a seek, which goes by the index. Nothing but the index tells of a picture that the
/// file lost.
struct AVIPlaces {
  /// The bytes of a chunk before its content: its name and its size.
  private static let headerSize: Int64 = 8
  /// The most entries of the index that are passed over in search of a packet: more than an hour of pictures.
  private static let mostPassedOver: Int32 = 1 << 18

  /// The number of ticks by which FFmpeg's count is behind the index.
  private var missing: Int64 = 0

  /// Gives a packet the time that the index states, where that is later than the time that FFmpeg counted.
  ///
  /// - Returns: whether pictures are missing between this packet and the one before.
  mutating func correct(_ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>) -> Bool {
    let (counted, place) = unsafe (packet.pointee.dts, packet.pointee.pos - Self.headerSize)
    let parameters = unsafe stream.pointee.codecpar!
    // The index counts changes of a palette as if they were pictures.
    guard unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, counted != spool_AV_NOPTS_VALUE, place > 0,
      unsafe !(1...8).contains(parameters.pointee.bits_per_coded_sample)
    else { return false }
    let before = missing
    if let time = unsafe time(ofChunkAt: place, from: counted + missing, stream), time > counted { missing = time - counted }
    unsafe packet.pointee.dts += missing
    if unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE { unsafe packet.pointee.pts += missing }
    return missing > before
  }

  /// The time that the index states for the chunk at `place`, in ticks; nil where the index has no such entry. It is searched
  /// from `tick` on.
  private func time(ofChunkAt place: Int64, from tick: Int64, _ stream: UnsafeMutablePointer<AVStream>) -> Int64? {
    let first = unsafe av_index_search_timestamp(stream, tick, AVSEEK_FLAG_ANY)
    guard first >= 0 else { return nil }
    let count = unsafe avformat_index_get_entries_count(stream)
    for number in first..<min(count, first + Self.mostPassedOver) {
      guard let entry = unsafe avformat_index_get_entry(stream, number), unsafe entry.pointee.pos <= place else { return nil }
      if unsafe entry.pointee.pos == place { return unsafe entry.pointee.timestamp }
    }
    return nil
  }
}
