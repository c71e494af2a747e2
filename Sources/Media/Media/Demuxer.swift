internal import CFFmpeg
internal import Formats
internal import MediaTime

/// An open source: its streams and their packets. One thread at a time.
@safe final class Demuxer {
  /// The limits for finding the streams, in bytes of the file and in microseconds of media time. They are FFmpeg's defaults.
  private static let maxProbedBytes = 5_000_000
  private static let maxProbedMicroseconds = 10_000_000
  /// The most streams of a file. No camera or broadcast has as many.
  private static let maxStreams = 256
  /// The largest magnitude of a timestamp. The difference of any two such timestamps fits into 64 bits.
  static let maxTick: Int64 = 1 << 61
  /// The message for a timestamp beyond `maxTick`.
  static let outOfRange = "its timestamps are beyond 2^61 ticks"

  /// The source's name for errors: the path as the user wrote it, or the URL without its secret parts.
  let path: String
  let context: UnsafeMutablePointer<AVFormatContext>
  /// The container time of the asset's zero, in seconds. It is 0, or the earliest start where all picture and sound starts later.
  private(set) var origin = Rational(0)
  /// The packet that `nextPacket` read last.
  let packet: OwnedPacket
  /// Whether the file is damaged in, or just before, the packet that `nextPacket` read last: a wrong checksum, a missing part, or
  /// bytes that are no packet.
  private(set) var isAtFault = false
  /// Whether pictures are missing just before the packet that `nextPacket` read last. The packet itself is whole.
  private(set) var followsGap = false
  /// The times by an AVI's index; nil for other formats.
  private var places: AVIPlaces?
  /// The place in the file of the packet that `nextPacket` read last, in bytes; negative where nothing was read since a seek, or
  /// FFmpeg does not know the place.
  private var lastPosition: Int64 = -1
  /// The end of that packet, by its decode time and duration, in the stream's ticks; nil where it states no time.
  private var lastEnd: Int64?
  private let faults = FaultCount()
  /// A packet of an Ogg file that was read to learn the time of the one before it.
  private var held: (packet: OwnedPacket, isAtFault: Bool)?
  /// The file or connection that `context` reads from. It is closed after `context`.
  private let input: SourceInput
  /// The source that `context` reads instead, where the file is a picture that FFmpeg does not read.
  private let foreign: (picture: ForeignPicture, input: SourceInput)?

  /// - Parameters:
  ///   - path: a path, or a URL.
  ///   - isKnownPCM: whether the file was probed, and what it calls PCM was found to be PCM.
  /// - Throws: `MediaError` when the policy refuses the source, it is not media, or its format's index is damaged.
  init(path: String, policy: SourcePolicy, isKnownPCM: Bool = false) throws(MediaError) {
    precondition(LibraryLog.isQuiet)
    packet = try OwnedPacket()
    let name: String
    let source = SourceName(path)
    self.path = source.shown
    switch source {
    case .remote(let url):
      name = ""
      input = .remote(try RemoteInput(try policy.open(url), at: url.description))
    case .embedded(let data):
      name = ""
      input = .handed(try RemoteInput(RemoteFile(data.bytes), at: data.description))
    case .file(let path):
      if let file = policy.handed[path] {
        name = ""
        input = .handed(try RemoteInput(file.source(path), at: path))
      } else {
        name = try policy.resolve(path)
        input = .file(try SourceFile(name, path))
      }
    }
    do throws(MediaError) {
      foreign = try Self.foreign(input, self.path)
      unsafe context = try Self.open(
        foreign == nil ? name : "", foreign?.input ?? input, at: self.path, form: foreign?.picture.form, isKnownPCM: isKnownPCM,
        faults)
    } catch {
      // The network's error is nearer to the cause than the error that the format makes of it.
      throw input.failure ?? error
    }
    if foreign == nil, formatName == "avi" { places = AVIPlaces() }
    try requireRead()
    if let color = foreign?.picture.color, streamCount > 0 {
      let parameters = unsafe stream(0).pointee.codecpar
      unsafe parameters?.pointee.color_primaries = AVColorPrimaries(rawValue: color.primaries)
      unsafe parameters?.pointee.color_trc = AVColorTransferCharacteristic(rawValue: color.transfer)
    }
    origin = max(try earliestStart() ?? Rational(0), Rational(0))
  }

  /// Opens a still picture whose bytes are in memory, as FFmpeg reads it.
  init(_ picture: RemoteFile, at path: String) throws(MediaError) {
    (packet, self.path, foreign) = (try OwnedPacket(), path, nil)
    input = .handed(try RemoteInput(picture, at: path))
    unsafe context = try Self.open("", input, at: path, form: nil, isKnownPCM: false, faults)
  }

  /// - Throws: the error that kept a source from being read, where it is not a file that FFmpeg opens itself. FFmpeg may have
  ///   taken such an error for the end of the source.
  func requireRead() throws(MediaError) { if let failure = input.failure { throw failure } }

  /// The server's tag for this version of the content; nil for a file.
  var version: String? { if case .remote(let input) = input { input.version.tag } else { nil } }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
    unsafe avformat_close_input(&context)
  }

  var formatName: String {
    if let foreign { return foreign.picture.container }
    return unsafe String(cString: context.pointee.iformat.pointee.name)
  }

  /// The picture as it is drawn in any size; nil for one that has pixels, and for all other media.
  var drawing: VectorDrawing? { foreign?.picture.drawing }

  /// The size of the source in bytes; a negative number is an FFmpeg error code.
  var byteCount: Int64 { unsafe avio_size(input.pointer) }

  /// FFmpeg's name of the stream's codec.
  func codecName(_ index: Int) -> String {
    if let foreign { return foreign.picture.codec }
    return unsafe stream(index).pointee.codecpar.pointee.codecName
  }

  var streamCount: Int { unsafe Int(context.pointee.nb_streams) }

  /// - Precondition: `index` is below `streamCount`.
  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> {
    precondition((0..<streamCount).contains(index))
    return unsafe context.pointee.streams[index]!
  }

  /// Reads the next packet of stream `index` into `packet`. Packets of other streams are passed over.
  ///
  /// - Returns: false at the end of the file. As in FFmpeg's tools, it is also false where damage makes the rest unreadable.
  /// - Throws: `MediaError` `unreadable` for an I/O error; the network's error for a source that is not on this machine.
  func nextPacket(of index: Int) throws(MediaError) -> Bool {
    if let held {
      self.held = nil
      unsafe av_packet_unref(packet.pointer)
      unsafe av_packet_move_ref(packet.pointer, held.packet.pointer)
      isAtFault = held.isAtFault
      return true
    }
    guard try readPacket(of: index) else { return false }
    if isAtFault, formatName == "ogg" { try findTime(index) }
    return true
  }

  /// Gives the packet that was read last, the first after a fault of an Ogg file, its time. FFmpeg does not know it, and counts on
  /// from the packet before the fault; the time of the next packet it knows. Where there is no such packet, the one at fault is
  /// no longer told to be a keyframe, so that nothing is shown of it.
  private func findTime(_ index: Int) throws(MediaError) {
    let first = try OwnedPacket(sharing: packet)
    if try readPacket(of: index) { held = (try OwnedPacket(sharing: packet), isAtFault) }
    if let held, !held.isAtFault, unsafe held.packet.pointer.pointee.pts != spool_AV_NOPTS_VALUE,
      unsafe held.packet.pointer.pointee.pts.magnitude <= Self.maxTick
    {
      let time = unsafe held.packet.pointer.pointee.pts - min(first.pointer.pointee.duration, Self.maxTick)
      unsafe (first.pointer.pointee.pts, first.pointer.pointee.dts) = (time, time)
    } else {
      unsafe first.pointer.pointee.flags &= ~AV_PKT_FLAG_KEY
    }
    unsafe av_packet_unref(packet.pointer)
    unsafe av_packet_move_ref(packet.pointer, first.pointer)
    isAtFault = true
  }

  private func readPacket(of index: Int) throws(MediaError) -> Bool {
    while true {
      unsafe av_packet_unref(packet.pointer)
      let code = unsafe av_read_frame(context, packet.pointer)
      try requireRead()
      if code == spool_AVERROR_EOF || code == spool_AVERROR_INVALIDDATA { return false }
      if code == spool_AVERROR_EAGAIN { continue }
      guard code >= 0 else { throw MediaError(code, from: "av_read_frame", at: path) }
      guard unsafe Int(packet.pointer.pointee.stream_index) == index else { continue }
      isAtFault = unsafe packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
      if faults.take() { isAtFault = true }
      if let foreign, unsafe foreign.picture.isBroken(packet.pointer.pointee) {
        unsafe packet.pointer.pointee.flags |= AV_PKT_FLAG_CORRUPT
      }
      lastPosition = unsafe packet.pointer.pointee.pos
      let (time, duration) = unsafe (packet.pointer.pointee.dts, packet.pointer.pointee.duration)
      lastEnd = time == spool_AV_NOPTS_VALUE ? nil : Int64(clamping: Int128(time) + Int128(max(duration, 0)))
      followsGap = unsafe places?.correct(packet.pointer, of: stream(index)) ?? false
      return true
    }
  }

  /// Makes the format skip the packets of all other streams.
  func select(_ index: Int) {
    for other in 0..<streamCount {
      unsafe stream(other).pointee.discard = other == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  /// Moves to a point from which reading on leads up to `tick`, as far as the format knows.
  ///
  /// - Parameter tick: a time in the stream's time base.
  /// - Returns: false when the format cannot.
  func seek(_ index: Int, to tick: Int64) -> Bool {
    (lastPosition, lastEnd, held) = (-1, nil, nil)
    // After a seek FFmpeg counts by the index.
    if places != nil { places = AVIPlaces() }
    return unsafe av_seek_frame(context, Int32(index), tick, AVSEEK_FLAG_BACKWARD) >= 0
  }

  /// Whether the format's index, as far as it was read, has packets of stream `index` with decode times after `tick`.
  func indexGoesOn(_ index: Int, after tick: Int64) -> Bool {
    let stream = unsafe stream(index)
    let count = unsafe avformat_index_get_entries_count(stream)
    guard count > 0, let last = unsafe avformat_index_get_entry(stream, count - 1) else { return false }
    // For uncompressed sound the index of an AVI counts bytes, while packets count samples. By its times alone it would go on for
    // ever.
    if places != nil, unsafe last.pointee.pos <= lastPosition { return false }
    // A generic index is FFmpeg's own: it has an entry for each packet that was met. After a seek uncompressed sound is cut into
    // packets at other places. The index keeps both, so an entry may lie inside of the last packet.
    if let lastEnd, unsafe context.pointee.iformat.pointee.flags & AVFMT_GENERIC_INDEX != 0 {
      return unsafe last.pointee.timestamp > tick && last.pointee.timestamp >= lastEnd
    }
    return unsafe last.pointee.timestamp > tick
  }

  private static func foreign(
    _ input: SourceInput, _ path: String
  ) throws(MediaError) -> (picture: ForeignPicture, input: SourceInput)? {
    guard let picture = try unsafe ForeignPicture.read(input.pointer, at: path) else { return nil }
    return (picture, .remote(try RemoteInput(picture.source, at: path)))
  }

  private static func open(
    _ name: String, _ input: SourceInput, at path: String, form: String?, isKnownPCM: Bool, _ faults: FaultCount
  ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
    // The format is found by content alone, since a file's name may be wrong.
    var format: UnsafePointer<AVInputFormat>?
    var score = AVPROBE_SCORE_MAX
    if let form {
      unsafe format = av_find_input_format(form)
    } else {
      score = unsafe av_probe_input_buffer2(input.pointer, &format, "", nil, 0, 0)
      // FFmpeg takes any file with MPEG start codes for a program stream. What a transport stream carries has them, too.
      if score <= AVPROBE_SCORE_MAX / 4, unsafe TransportStream.isFound(in: input.pointer) {
        unsafe format = av_find_input_format("mpegts")
      }
    }
    guard score >= 0, let format = unsafe format else { throw notMedia(path) }
    let kind = unsafe String(cString: format.pointee.name)
    guard form != nil || SourcePolicy.formats.contains(kind) else {
      throw MediaError(.unsupported, at: path, "looks like \(FormatName.words(kind)), which is not accepted as a source")
    }
    guard let context = unsafe avformat_alloc_context() else {
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for it")
    }
    unsafe context.pointee.pb = input.pointer
    unsafe context.pointee.opaque = faults.reference
    var options = try OptionDictionary([
      "protocol_whitelist": "file", "format_whitelist": (form != nil ? [kind] : SourcePolicy.formats).joined(separator: ","),
      "probesize": "\(maxProbedBytes)", "analyzeduration": "\(maxProbedMicroseconds)", "max_streams": "\(maxStreams)",
    ])
    // What a WAV calls PCM may be DTS, which FFmpeg looks for in the first 128 KiB again and again. PCM was none in the first packet either.
    if isKnownPCM { unsafe context.pointee.max_probe_packets = 1 }
    var opened: UnsafeMutablePointer<AVFormatContext>? = unsafe context
    // On failure this call frees the context, but leaves the input open.
    let code = unsafe avformat_open_input(&opened, name, format, &options.pointer)
    guard code >= 0 else {
      if code == spool_AVERROR_PATCHWELCOME {
        throw MediaError(.unsupported, at: path, "is of a kind of \(FormatName.words(kind)) that FFmpeg does not read")
      }
      guard code == spool_AVERROR_INVALIDDATA || code == spool_AVERROR_EOF else {
        throw MediaError(code, from: "avformat_open_input", at: path)
      }
      if score < AVPROBE_SCORE_MAX / 4 { throw notMedia(path) }
      throw MediaError(
        .corrupt, at: path, "is cut off or damaged: it begins as \(FormatName.words(kind)), but cannot be read as such")
    }
    let found = unsafe avformat_find_stream_info(context, nil)
    guard found >= 0 else {
      unsafe avformat_close_input(&opened)
      throw MediaError(found, from: "avformat_find_stream_info", at: path)
    }
    // The packets that were read meanwhile wait to be read. Where there was a fault among them, they are read from the file once
    // more, so that the fault is met again just before the packet that it is in.
    let start = unsafe context.pointee.start_time
    if faults.take(), unsafe av_seek_frame(context, -1, start == spool_AV_NOPTS_VALUE ? 0 : start, AVSEEK_FLAG_BACKWARD) < 0 {
      unsafe avformat_close_input(&opened)
      throw MediaError(.corrupt, at: path, "is damaged near its beginning")
    }
    return unsafe context
  }

  private static func notMedia(_ path: String) -> MediaError {
    MediaError(.unsupported, at: path, "is no media file, or too damaged to be known as one")
  }

  private func earliestStart() throws(MediaError) -> Rational? {
    var earliest: Rational?
    for index in 0..<streamCount {
      let stream = unsafe stream(index).pointee
      guard unsafe stream.isPlayedBack, let start = try unsafe stream.seconds(stream.start_time, path) else { continue }
      earliest = earliest.map { min($0, start) } ?? start
    }
    return earliest
  }
}

/// The file or connection that a source is read from.
@safe private enum SourceInput {
  case file(SourceFile)
  case handed(RemoteInput)
  case remote(RemoteInput)

  var pointer: UnsafeMutablePointer<AVIOContext> {
    switch self {
    case .file(let file): unsafe file.pointer
    case .handed(let input), .remote(let input): unsafe input.pointer
    }
  }

  /// The error that kept the source from being read, where FFmpeg does not report it.
  var failure: MediaError? {
    switch self {
    case .file: nil
    case .handed(let input), .remote(let input): input.failure
    }
  }
}

/// A file that FFmpeg opens itself. Only the protocol "file" is allowed.
@safe private final class SourceFile {
  let pointer: UnsafeMutablePointer<AVIOContext>

  /// - Parameter resolved: the place where the policy found the file. Opening fails where the path leads elsewhere by now, as
  ///   when a folder of it has become a link since.
  init(_ resolved: String, _ path: String) throws(MediaError) {
    let file = try InputFile(path, at: resolved)
    guard try file.resolvedPath == resolved else { throw MediaError(.unreadable, at: path, "was moved while it was opened") }
    var pointer: UnsafeMutablePointer<AVIOContext>?
    var options = try OptionDictionary(["protocol_whitelist": "file"])
    let code = unsafe avio_open2(&pointer, file.openPath, AVIO_FLAG_READ, nil, &options.pointer)
    guard code >= 0, let pointer = unsafe pointer else { throw MediaError(code, from: "avio_open2", at: path) }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVIOContext>? = unsafe pointer
    // The file is only read, so closing it can lose nothing.
    unsafe avio_closep(&pointer)
  }
}

extension AVStream {
  /// Whether the stream is sound or moving pictures. A cover image is neither.
  var isPlayedBack: Bool {
    let kind = unsafe codecpar.pointee.codec_type
    return
      unsafe (kind == AVMEDIA_TYPE_VIDEO && disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS) == 0)
      || kind == AVMEDIA_TYPE_AUDIO
  }

  /// The time of `tick` in seconds; nil for no timestamp.
  func seconds(_ tick: Int64, _ path: String) throws(MediaError) -> Rational? {
    guard tick != spool_AV_NOPTS_VALUE else { return nil }
    do {
      return try unsafe Rational(Int128(tick) * Int128(time_base.num), over: Int128(time_base.den))
    } catch {
      throw unsafe MediaError(.corrupt, at: "\(path) track \(index)", "has a time base of \(time_base.num)/\(time_base.den)")
    }
  }
}
