internal import CFFmpeg

/// Where an AVI's own index says that the pictures of a track lie.
///
/// Pictures have no times there: FFmpeg counts them as they come, and so takes all that follow a lost one to be a frame earlier than
/// they are, but after a seek, which goes by the index. Of a picture that the file lost nothing else tells.
struct AVIPlaces {
  /// Bytes of a chunk before its content: its name and its size.
  private static let headerSize: Int64 = 8
  /// Entries of the index that are passed over in search of a packet's: more than an hour of pictures.
  private static let mostPassedOver: Int32 = 1 << 18

  /// Ticks by which FFmpeg's count is behind the index.
  private var missing: Int64 = 0

  /// Gives a packet the time that the index says, where that is later than FFmpeg counted.
  ///
  /// - Returns: whether pictures are missing between it and the one before.
  mutating func correct(_ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>) -> Bool {
    let (counted, place) = unsafe (packet.pointee.dts, packet.pointee.pos - Self.headerSize)
    let parameters = unsafe stream.pointee.codecpar!
    // The index counts changes of a palette, too, as if they were pictures.
    guard unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, counted != spool_AV_NOPTS_VALUE, place > 0,
      unsafe !(1...8).contains(parameters.pointee.bits_per_coded_sample)
    else { return false }
    let before = missing
    if let time = unsafe time(ofChunkAt: place, from: counted + missing, stream), time > counted { missing = time - counted }
    unsafe packet.pointee.dts += missing
    if unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE { unsafe packet.pointee.pts += missing }
    return missing > before
  }

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
