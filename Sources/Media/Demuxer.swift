internal import CFFmpeg
internal import MediaTime
internal import Timeline

/// An opened source: its streams and their packets. One thread at a time.
@safe final class Demuxer {
  /// How much of a file may be read to find its streams, and for how much media time: FFmpeg's defaults, said aloud.
  private static let maxProbedBytes = 5_000_000
  private static let maxProbedMicroseconds = 10_000_000
  /// More streams than any camera or broadcast has.
  private static let maxStreams = 256
  /// Of timestamps: differences of any two fit.
  static let maxTick: Int64 = 1 << 61
  /// What is said of those beyond.
  static let outOfRange = "its timestamps are beyond 2^61 ticks"

  /// As the user named it, but for what is secret in a URL: for errors.
  let path: String
  let context: UnsafeMutablePointer<AVFormatContext>
  /// Container time of the asset's zero, in seconds: 0, or the earliest start where all picture and sound starts later.
  private(set) var origin = Rational(0)
  /// What `nextPacket` read last.
  let packet: OwnedPacket
  /// The file is damaged in, or just before, what `nextPacket` read last: a checksum, a missing part, something that is no packet.
  private(set) var isAtFault = false
  /// Pictures are missing just before what `nextPacket` read last, which is whole itself.
  private(set) var followsGap = false
  /// Nil for other formats than AVI.
  private var places: AVIPlaces?
  /// Where in the file what `nextPacket` read last lies; negative where nothing was read, or nobody knows.
  private var lastPosition: Int64 = -1
  private let faults = FaultCount()
  /// The context reads from it, so it is closed after the context.
  private let input: SourceInput
  /// What the context reads in its place, where the source is a picture that FFmpeg does not read.
  private let foreign: (picture: ForeignPicture, input: SourceInput)?

  /// - Parameter path: of a file, or a URL.
  /// - Throws: `MediaError` when the policy refuses the source, it is not media, or its format's index is damaged.
  init(path: String, policy: SourcePolicy) throws(MediaError) {
    precondition(LibraryLog.isQuiet)
    packet = try OwnedPacket()
    let name: String
    if let url = try? MediaURL(path) {  // Anything else is a path.
      (self.path, name) = (url.description, "")
      input = .remote(try RemoteInput(try policy.open(url), at: url.description))
    } else if let file = policy.handed[path] {
      (self.path, name) = (path, "")
      input = .handed(try RemoteInput(file.source(path), at: path))
    } else {
      (self.path, name) = (path, try policy.resolve(path))
      input = .file(try SourceFile(name, path))
    }
    do throws(MediaError) {
      foreign = try Self.foreign(input, self.path)
      unsafe context = try Self.open(foreign == nil ? name : "", foreign?.input ?? input, self.path, form: foreign?.picture.form)
    } catch {
      // What the network said is nearer to the cause than what the format makes of it.
      throw input.failure ?? error
    }
    unsafe context.pointee.opaque = faults.reference
    if foreign == nil, formatName == "avi" { places = AVIPlaces() }
    try requireRead()
    if let color = foreign?.picture.color, streamCount > 0 {
      let parameters = unsafe stream(0).pointee.codecpar
      unsafe parameters?.pointee.color_primaries = AVColorPrimaries(rawValue: color.primaries)
      unsafe parameters?.pointee.color_trc = AVColorTransferCharacteristic(rawValue: color.transfer)
    }
    origin = max(try earliestStart() ?? Rational(0), Rational(0))
  }

  /// - Throws: what kept a source that is not on this machine from being read, which FFmpeg may have taken for its end.
  func requireRead() throws(MediaError) { if let failure = input.failure { throw failure } }

  /// What a server calls the content; nil for a file.
  var version: String? { if case .remote(let input) = input { input.version.tag } else { nil } }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
    unsafe avformat_close_input(&context)
  }

  var formatName: String {
    if let foreign { return foreign.picture.container }
    return unsafe String(cString: context.pointee.iformat.pointee.name)
  }

  /// Bytes of the source; negative for an error of FFmpeg's.
  var byteCount: Int64 { unsafe avio_size(input.pointer) }

  /// FFmpeg's name of what the stream is coded with.
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

  /// Reads the next packet of stream `index` into `packet`; packets of other streams are passed over.
  ///
  /// - Returns: false at the end of the file, also where damage makes the rest unreadable, as FFmpeg's tools have it.
  /// - Throws: `MediaError` `unreadable` for an I/O error; what became of a source that is not on this machine.
  func nextPacket(of index: Int) throws(MediaError) -> Bool {
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
      followsGap = unsafe places?.correct(packet.pointer, of: stream(index)) ?? false
      return true
    }
  }

  /// Lets the format skip the packets of every other stream.
  func select(_ index: Int) {
    for other in 0..<streamCount {
      unsafe stream(other).pointee.discard = other == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  /// Goes to a point from which packets lead up to `tick` (the stream's time base), as far as the format knows.
  ///
  /// - Returns: false when the format cannot.
  func seek(_ index: Int, to tick: Int64) -> Bool {
    lastPosition = -1
    // From there on FFmpeg counts by the index.
    if places != nil { places = AVIPlaces() }
    return unsafe av_seek_frame(context, Int32(index), tick, AVSEEK_FLAG_BACKWARD) >= 0
  }

  /// Whether the format's index, as far as it was read, has packets of stream `index` after decode time `tick`.
  func indexGoesOn(_ index: Int, after tick: Int64) -> Bool {
    let stream = unsafe stream(index)
    let count = unsafe avformat_index_get_entries_count(stream)
    guard count > 0, let last = unsafe avformat_index_get_entry(stream, count - 1) else { return false }
    // The index of an AVI counts the bytes of uncompressed sound, whose packets count samples: its times alone would go on for ever.
    if places != nil, unsafe last.pointee.pos <= lastPosition { return false }
    return unsafe last.pointee.timestamp > tick
  }

  private static func foreign(
    _ input: SourceInput, _ path: String
  ) throws(MediaError) -> (picture: ForeignPicture, input: SourceInput)? {
    guard let picture = try unsafe ForeignPicture.read(input.pointer, at: path) else { return nil }
    return (picture, .remote(try RemoteInput(picture.source, at: path)))
  }

  private static func open(
    _ name: String, _ input: SourceInput, _ path: String, form: String?
  ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
    // By content alone: a name may lie.
    var format: UnsafePointer<AVInputFormat>?
    var score = AVPROBE_SCORE_MAX
    if let form {
      unsafe format = av_find_input_format(form)
    } else {
      score = unsafe av_probe_input_buffer2(input.pointer, &format, "", nil, 0, 0)
      // FFmpeg takes anything for a program stream that holds its start code, as what a transport stream carries does.
      if score <= AVPROBE_SCORE_MAX / 4, unsafe TransportStream.isFound(in: input.pointer) {
        unsafe format = av_find_input_format("mpegts")
      }
    }
    guard score >= 0, let format = unsafe format else { throw isDrawing(input) ? drawing(path) : notMedia(path) }
    let kind = unsafe String(cString: format.pointee.name)
    guard form != nil || SourcePolicy.formats.contains(kind) else {
      if kind == "svg_pipe" { throw drawing(path) }
      throw MediaError(.unsupported, at: path, "looks like \(FormatName.words(kind)), which is not accepted as a source")
    }
    guard let context = unsafe avformat_alloc_context() else {
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for it")
    }
    unsafe context.pointee.pb = input.pointer
    var options = try OptionDictionary([
      "protocol_whitelist": "file", "format_whitelist": (form != nil ? [kind] : SourcePolicy.formats).joined(separator: ","),
      "probesize": "\(maxProbedBytes)", "analyzeduration": "\(maxProbedMicroseconds)", "max_streams": "\(maxStreams)",
    ])
    var opened: UnsafeMutablePointer<AVFormatContext>? = unsafe context
    // Frees the context when it fails, but leaves the file open.
    let code = unsafe avformat_open_input(&opened, name, format, &options.pointer)
    guard code >= 0 else {
      if code == spool_AVERROR_PATCHWELCOME {
        throw MediaError(.unsupported, at: path, "is of a kind of \(FormatName.words(kind)) that FFmpeg does not read")
      }
      guard code == spool_AVERROR_INVALIDDATA || code == spool_AVERROR_EOF else {
        throw MediaError(code, from: "avformat_open_input", at: path)
      }
      if score < AVPROBE_SCORE_MAX / 4 { throw isDrawing(input) ? drawing(path) : notMedia(path) }
      throw MediaError(
        .corrupt, at: path, "is cut off or damaged: it begins as \(FormatName.words(kind)), but cannot be read as such")
    }
    let found = unsafe avformat_find_stream_info(context, nil)
    guard found >= 0 else {
      unsafe avformat_close_input(&opened)
      throw MediaError(found, from: "avformat_find_stream_info", at: path)
    }
    return unsafe context
  }

  /// Whether it is a text that begins as SVG does, after a prolog if it has one.
  private static func isDrawing(_ input: SourceInput) -> Bool {
    var head = [UInt8](repeating: 0, count: 1024)
    guard unsafe avio_seek(input.pointer, 0, SEEK_SET) == 0 else { return false }
    let count = unsafe avio_read(input.pointer, &head, Int32(head.count))
    guard count > 0 else { return false }
    return String(decoding: head.prefix(Int(count)), as: UTF8.self).contains("<svg")
  }

  private static func drawing(_ path: String) -> MediaError {
    MediaError(.unsupported, at: path, "is an SVG drawing, which is not read: export it as PNG")
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

/// What a source is read from.
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

  /// Why it could not be read, where FFmpeg does not say.
  var failure: MediaError? {
    switch self {
    case .file: nil
    case .handed(let input), .remote(let input): input.failure
    }
  }
}

/// An open file, read by no other protocol than "file".
@safe private final class SourceFile {
  let pointer: UnsafeMutablePointer<AVIOContext>

  /// - Parameter resolved: where the policy found the file. What is opened is that, or nothing: a folder of the path may have
  ///   become a link since.
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
    // Read only: closing can lose nothing.
    unsafe avio_closep(&pointer)
  }
}

extension AVStream {
  /// Whether it is picture or sound in time; a cover image is neither.
  var isPlayedBack: Bool {
    let kind = unsafe codecpar.pointee.codec_type
    return
      unsafe (kind == AVMEDIA_TYPE_VIDEO && disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS) == 0)
      || kind == AVMEDIA_TYPE_AUDIO
  }

  /// `tick` of its time base in seconds; nil for no timestamp.
  func seconds(_ tick: Int64, _ path: String) throws(MediaError) -> Rational? {
    guard tick != spool_AV_NOPTS_VALUE else { return nil }
    do {
      return try unsafe Rational(Int128(tick) * Int128(time_base.num), over: Int128(time_base.den))
    } catch {
      throw unsafe MediaError(.corrupt, at: "\(path) track \(index)", "has a time base of \(time_base.num)/\(time_base.den)")
    }
  }
}
