internal import CFFmpeg
internal import Timeline

/// Makes whole pictures of frames that hold two fields of different moments, by FFmpeg's bwdif.
///
/// A picture depends on its frame and on those before and after it alone. Where these are asked for in order, each is
/// filtered once. One thread at a time.
@safe final class Deinterlacer {
  typealias Frame = (tick: Int64, picture: PixelBuffer)

  /// Codecs whose frames say of themselves whether they are interlaced; of others the container knows.
  private static let outspoken: Set<String> = [
    "h264", "mpeg1video", "mpeg2video", "mpeg4", "vc1", "wmv3", "prores", "dvvideo", "dnxhd", "mjpeg", "hevc", "cavs",
  ]
  /// bwdif's own limits.
  private static let (leastWidth, leastHeight) = (3, 4)

  /// Of frames that do not say it.
  private let fallback: FieldOrder?
  private var filter: FieldFilter?
  /// The frames that the filter was given last, by time.
  private var given: [Int64] = []

  init(_ track: TrackFacts) {
    guard case .video(let video) = track.detail, !Self.outspoken.contains(track.codec) else {
      fallback = nil
      return
    }
    fallback = video.fieldOrder
  }

  /// Nil for a frame that is whole.
  func order(of frame: OwnedFrame) -> FieldOrder? { frame.fieldOrder ?? fallback }

  /// The picture of `frame` for the moment of its first field.
  ///
  /// - Parameters:
  ///   - before: nil for the first of the track, whose picture is made of it alone, as bwdif does it.
  ///   - after: nil for the last, which stands for it itself.
  ///   - place: for errors.
  /// - Throws: `MediaError` `unsupported` for samples that bwdif does not take, `outOfMemory`.
  func whole(
    _ frame: Frame, before: Frame?, after: Frame?, _ order: FieldOrder, at place: String
  ) throws(MediaError) -> PixelBuffer {
    let picture = frame.picture
    guard picture.width >= Self.leastWidth, picture.height >= Self.leastHeight else { return picture }
    // One of another size or format cannot be compared.
    let before = before.flatMap { $0.picture.isAlike(picture) ? $0 : nil }
    let after = after.flatMap { $0.picture.isAlike(picture) ? $0 : nil } ?? frame
    let filter: FieldFilter
    if let known = self.filter, let before, given == [before.tick, frame.tick], known.order == order, known.model.isAlike(picture)
    {
      filter = known
    } else {
      filter = try FieldFilter(picture, order, at: place)
      if let before { _ = try filter.next(before.picture) }
      _ = try filter.next(picture)
    }
    (self.filter, given) = (nil, [])
    guard let made = try filter.next(after.picture) else {
      throw MediaError(.internal, at: place, "the deinterlacing filter gives no picture, which is a bug of spool")
    }
    (self.filter, given) = (filter, [frame.tick, after.tick])
    return PixelBuffer(adopting: made, format: picture.format, color: picture.color)
  }
}

extension OwnedFrame {
  /// As the codec says; nil for a frame that is whole.
  var fieldOrder: FieldOrder? {
    let raw = unsafe pointer.pointee
    return unsafe raw.interlaced_frame == 0 ? nil : raw.top_field_first != 0 ? .topFirst : .bottomFirst
  }
}

extension PixelBuffer {
  fileprivate func isAlike(_ other: PixelBuffer) -> Bool {
    format == other.format && width == other.width && height == other.height && color == other.color
  }
}

/// bwdif over pictures of one kind: from the second on, each picture that it is given makes the one before whole.
@safe private final class FieldFilter {
  /// A picture of the kind.
  let model: PixelBuffer
  let order: FieldOrder
  private let graph: UnsafeMutablePointer<AVFilterGraph>
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>
  private let place: String
  private var count: Int64 = 0

  init(_ model: PixelBuffer, _ order: FieldOrder, at place: String) throws(MediaError) {
    (self.model, self.order, self.place) = (model, order, place)
    var made = unsafe avfilter_graph_alloc()
    guard let graph = unsafe made else { throw MediaError(.outOfMemory, at: place, "there is not enough memory for a filter") }
    // A thread more would cost more than it saves, and change no picture.
    unsafe graph.pointee.nb_threads = 1
    // AVFILTER_AUTO_CONVERT_NONE
    unsafe avfilter_graph_set_auto_convert(graph, UInt32.max)
    let size = unsafe "video_size=\(model.width)x\(model.height):pix_fmt=\(model.frame.pointee.format)"
    do throws(MediaError) {
      let source = try unsafe Self.filter("buffer", "\(size):time_base=1/1:pixel_aspect=1/1", in: graph, place)
      let parity = order == .topFirst ? "tff" : "bff"
      let middle = try unsafe Self.filter("bwdif", "mode=send_frame:parity=\(parity):deint=all", in: graph, place)
      let sink = try unsafe Self.filter("buffersink", nil, in: graph, place)
      for unsafe(from, to) in unsafe [(source, middle), (middle, sink)] {
        let code = unsafe avfilter_link(from, 0, to, 0)
        guard code >= 0 else { throw MediaError(code, from: "avfilter_link", at: place) }
      }
      guard unsafe avfilter_graph_config(graph, nil) >= 0 else {
        throw MediaError(.unsupported, at: place, "interlaced pictures of \(model.format) are not supported")
      }
      unsafe (self.graph, self.source, self.sink) = (graph, source, sink)
    } catch {
      unsafe avfilter_graph_free(&made)
      throw error
    }
  }

  deinit {
    var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
    unsafe avfilter_graph_free(&graph)
  }

  /// Takes the next picture; the one before it, made whole, or nil.
  func next(_ picture: PixelBuffer) throws(MediaError) -> OwnedFrame? {
    let frame = try OwnedFrame()
    let shared = unsafe av_frame_ref(frame.pointer, picture.frame)
    guard shared >= 0 else { throw MediaError(shared, from: "av_frame_ref", at: place) }
    unsafe (frame.pointer.pointee.interlaced_frame, frame.pointer.pointee.repeat_pict) = (1, 0)
    unsafe frame.pointer.pointee.pts = count
    count += 1
    let sent = unsafe av_buffersrc_add_frame(source, frame.pointer)
    guard sent >= 0 else { throw MediaError(sent, from: "av_buffersrc_add_frame", at: place) }
    let made = try OwnedFrame()
    let code = unsafe av_buffersink_get_frame(sink, made.pointer)
    if code == spool_AVERROR_EAGAIN { return nil }
    guard code >= 0 else { throw MediaError(code, from: "av_buffersink_get_frame", at: place) }
    return made
  }

  private static func filter(
    _ name: String, _ arguments: String?, in graph: UnsafeMutablePointer<AVFilterGraph>, _ place: String
  ) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext> {
    guard let kind = unsafe avfilter_get_by_name(name) else {
      throw MediaError(.unsupported, at: place, "FFmpeg has no filter \(name) here")
    }
    var made: UnsafeMutablePointer<AVFilterContext>?
    let code = unsafe avfilter_graph_create_filter(&made, kind, name, arguments, nil, graph)
    guard code >= 0, let made = unsafe made else { throw MediaError(code, from: "avfilter_graph_create_filter", at: place) }
    return unsafe made
  }
}
