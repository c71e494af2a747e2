internal import CFFmpeg
internal import Formats
internal import Glibc
internal import MediaTime

/// Writes a file through an FFmpeg muxer: streams, header, packets in decode order, trailer. One owner, one thread.
///
/// The bytes depend on the arguments alone: no dates, no random identifiers, no version texts.
@safe final class ContainerWriter {
  let file: OutputFile
  /// Owned: freed in `deinit`; its `pb` belongs to `file`.
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let packet: UnsafeMutablePointer<AVPacket>

  /// - Parameter format: FFmpeg's short name of the container.
  /// - Throws: `MediaError` `unsupported` when FFmpeg lacks the muxer, `outOfMemory`.
  init(_ file: OutputFile, format: String) throws(MediaError) {
    precondition(LibraryLog.isQuiet)
    self.file = file
    var made: UnsafeMutablePointer<AVFormatContext>?
    // A muxer that reads its own file opens it again by this name.
    let code = unsafe avformat_alloc_output_context2(&made, nil, format, "file:" + file.openPath)
    guard let context = unsafe made, let packet = unsafe av_packet_alloc() else {
      unsafe avformat_free_context(made)
      throw MediaError(min(code, -ENOMEM), from: "avformat_alloc_output_context2(\(format))", at: file.path, while: .writing)
    }
    unsafe (self.context, self.packet) = (context, packet)
    unsafe context.pointee.pb = file.io
    unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
  }

  deinit {
    // This also frees what the muxer still holds where no trailer was written.
    unsafe avformat_free_context(context)
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Sets a value of the container's metadata, by FFmpeg's name. Call it before `start`.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func set(_ name: String, to text: String) throws(MediaError) {
    let code = unsafe av_dict_set(&context.pointee.metadata, name, text, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path) }
  }

  /// Adds chapters to the container. Call it once, before `start`.
  ///
  /// - Parameter shift: how much later than in the movie the chapters begin by the container's clock.
  /// - Throws: `MediaError` `outOfMemory`.
  func add(_ chapters: [MovieChapter], shiftedByMilliseconds shift: Int64) throws(MediaError) {
    guard !chapters.isEmpty else { return }
    if unsafe ["ogg", "flac"].contains(String(cString: context.pointee.oformat.pointee.name)) {
      return try comment(chapters)
    }
    let size = unsafe MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
    guard let list = unsafe av_calloc(chapters.count, size) else {
      throw MediaError(-ENOMEM, from: "av_calloc", at: file.path)
    }
    // The container owns the list and its chapters from here on.
    unsafe context.pointee.chapters = unsafe list.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
    for (index, chapter) in chapters.enumerated() {
      guard let room = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else {
        throw MediaError(-ENOMEM, from: "av_mallocz", at: file.path)
      }
      let entry = unsafe room.assumingMemoryBound(to: AVChapter.self)
      unsafe context.pointee.chapters[index] = entry
      unsafe context.pointee.nb_chapters = UInt32(index + 1)
      unsafe entry.pointee.id = Int64(index)
      unsafe entry.pointee.time_base = AVRational(num: 1, den: 1000)
      let (start, end) = (chapter.timeRange.start, chapter.timeRange.end)
      unsafe entry.pointee.start = av_rescale(start.value, 1000, Int64(start.timescale)) + shift
      unsafe entry.pointee.end = av_rescale(end.value, 1000, Int64(end.timescale)) + shift
      let code = unsafe av_dict_set(&entry.pointee.metadata, "title", chapter.title, 0)
      guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path) }
    }
  }

  /// Writes chapters as Vorbis comments. FFmpeg 5.1 rounds their times wrongly: half a second becomes one and a half.
  private func comment(_ chapters: [MovieChapter]) throws(MediaError) {
    func digits(_ number: Int64, _ count: Int) -> String {
      String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
    }
    for (index, chapter) in chapters.enumerated() {
      let start = chapter.timeRange.start
      let time = av_rescale(start.value, 1000, Int64(start.timescale))
      let (seconds, name) = (time / 1000, "CHAPTER" + digits(Int64(index), 3))
      let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }.joined(separator: ":")
      try set(name, to: "\(clock).\(digits(time % 1000, 3))")
      try set(name + "NAME", to: chapter.title)
    }
  }

  /// Sets what the file says of the movie. Call it before `start`.
  ///
  /// - Parameters:
  ///   - words: further words by their keys.
  ///   - names: the names under which the tags stand.
  /// - Throws: `MediaError` `outOfMemory`.
  func set(_ tags: MovieTags, beside words: [String: String], names: MovieForm.TagNames) throws(MediaError) {
    for key in MovieTags.Key.allCases {
      guard let text = tags.texts[key] else { continue }
      if names != .quickTime { try set(key == .albumArtist ? "album_artist" : key.rawValue, to: text) }
      if names != .plain { try set(QuickTimeWords.key(of: key), to: text) }
    }
    if let location = tags.location {
      if names != .quickTime { try set("location", to: location.iso6709) }
      if names != .plain { try set(QuickTimeWords.place, to: location.iso6709) }
    }
    for (key, text) in words.merging(tags.custom, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
      try set(key, to: text)
    }
  }

  /// Adds a stream. Call it before `start`.
  ///
  /// - Parameters:
  ///   - timeBase: the unit that the stream's clock should count in. The container may choose a finer or coarser one.
  ///   - tag: the four characters that name the codec in this container; nil for the muxer's own choice.
  ///   - isDefault: whether players show the stream without being asked.
  ///   - language: by the three letters of ISO 639-2; nil where it is not known.
  ///   - title: the name that players show; nil for none.
  ///   - handler: the name of the track's handler in mp4 and mov; nil for the title.
  ///   - adjust: changes the copy of `parameters`.
  /// - Returns: the stream's index.
  /// - Throws: `MediaError` `outOfMemory`.
  @discardableResult
  func addStream(
    _ parameters: UnsafePointer<AVCodecParameters>, timeBase: AVRational, hdrMetadata: HDRMetadata? = nil, tag: String? = nil,
    isDefault: Bool = true, language: String? = nil, title: String? = nil, handler: String? = nil,
    adjust: (UnsafeMutablePointer<AVCodecParameters>) -> Void = { _ in }
  ) throws(MediaError) -> Int {
    guard let stream = unsafe avformat_new_stream(context, nil),
      unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters) >= 0
    else { throw MediaError(-ENOMEM, from: "avformat_new_stream", at: file.path) }
    unsafe stream.pointee.time_base = timeBase
    if isDefault { unsafe stream.pointee.disposition = AV_DISPOSITION_DEFAULT }
    // Players of mp4 and mov show the name of the track's handler.
    for (key, text) in [("language", language), ("title", title), ("handler_name", handler ?? title)] {
      guard let text else { continue }
      let code = unsafe av_dict_set(&stream.pointee.metadata, key, text, 0)
      guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path) }
    }
    unsafe adjust(stream.pointee.codecpar)
    try unsafe hdrMetadata?.attach(to: stream)
    unsafe stream.pointee.sample_aspect_ratio = stream.pointee.codecpar.pointee.sample_aspect_ratio
    // A numbered codec tag is valid only in the container it was read from.
    unsafe stream.pointee.codecpar.pointee.codec_tag = tag.map(FourCharacters.code) ?? 0
    if unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO {
      unsafe stream.pointee.avg_frame_rate = AVRational(num: timeBase.den, den: timeBase.num)
    }
    return unsafe Int(stream.pointee.index)
  }

  /// Tells players to turn a stream's pictures. Call it before `start`.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func turn(_ stream: Int, _ orientation: Orientation) throws(MediaError) {
    // `addStream` gave the index, so the stream is there.
    let target = unsafe context.pointee.streams[stream]!
    let matrix = unsafe orientation.displayMatrix(
      width: target.pointee.codecpar.pointee.width, height: target.pointee.codecpar.pointee.height)
    let count = matrix.count * MemoryLayout<Int32>.size
    guard let data = unsafe av_stream_new_side_data(target, AV_PKT_DATA_DISPLAYMATRIX, count) else {
      throw MediaError(-ENOMEM, from: "av_stream_new_side_data", at: file.path)
    }
    unsafe matrix.withUnsafeBytes { unsafe data.update(from: $0.bindMemory(to: UInt8.self).baseAddress!, count: count) }
  }

  /// Writes the header.
  ///
  /// - Throws: `MediaError` `unsupported` for parameters or options that the container refuses, and errors as `OutputFile.check`.
  func start(options: [String: String] = [:], metadata: [String: String] = [:]) throws(MediaError) {
    for (key, value) in options {
      let code = unsafe av_opt_set(context, key, value, AV_OPT_SEARCH_CHILDREN)
      guard code >= 0 else { throw MediaError(code, from: "av_opt_set(\(key)=\(value))", at: file.path, while: .writing) }
    }
    for (key, value) in metadata {
      let code = unsafe av_dict_set(&context.pointee.metadata, key, value, 0)
      guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path, while: .writing) }
    }
    let code = unsafe avformat_write_header(context, nil)
    // A muxer reports an invalid argument only for codecs that its container cannot hold.
    guard code != -EINVAL else {
      let codecs = unsafe (0..<Int(context.pointee.nb_streams)).map { index in
        unsafe String(cString: avcodec_get_name(context.pointee.streams[index]!.pointee.codecpar.pointee.codec_id))
      }
      let name = unsafe String(cString: context.pointee.oformat.pointee.name)
      throw MediaError(.unsupported, at: file.path, "\(name) does not hold \(codecs.joined(separator: " with "))")
    }
    try file.check(code, "avformat_write_header")
  }

  /// Writes one packet. Its data is not copied and stays the caller's.
  ///
  /// - Parameters:
  ///   - source: the packet, with its times in `unit`.
  ///   - unit: the unit of the packet's `pts`, `dts` and `duration`.
  ///   - stream: the index that `addStream` gave.
  /// - Throws: errors as `OutputFile.check`.
  func write(_ source: UnsafePointer<AVPacket>, unit: AVRational, to stream: Int) throws(MediaError) {
    try file.check(unsafe av_packet_ref(packet, source), "av_packet_ref")
    defer { unsafe av_packet_unref(packet) }
    unsafe packet.pointee.stream_index = Int32(stream)
    unsafe packet.pointee.pos = -1
    unsafe av_packet_rescale_ts(packet, unit, context.pointee.streams[stream]!.pointee.time_base)
    try file.check(unsafe av_write_frame(context, packet), "av_write_frame")
  }

  /// Writes the trailer, and hands the file to the disk.
  ///
  /// - Parameter mend: changes what the muxer wrote.
  /// - Returns: the digest of a sequential file, or of a movie.
  /// - Throws: errors as `OutputFile.finish`.
  @discardableResult
  func finish(_ mend: (OutputFile) throws(MediaError) -> Void = { _ in }) throws(MediaError) -> FileDigest? {
    try file.check(unsafe av_write_trailer(context), "av_write_trailer")
    try mend(file)
    return try file.finish()
  }
}
