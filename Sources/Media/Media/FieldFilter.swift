internal import CFFmpeg
internal import Formats

/// A libavfilter filter that makes each picture from that picture, the one before and the one after. All pictures are of one
/// format, size and colour.
///
/// A result comes one picture late: each picture after the first brings out the result for the one before it. The first result is
/// made without a picture before. The last picture is given twice, and so stands for the one after it. One thread at a time.
@safe final class FieldFilter {
  enum Work: Hashable {
    /// One picture from a frame with two fields of different moments, at the moment of the first field.
    case deinterlace
    /// A frame's first field, together with the second field that belongs to it: that of the same frame, of the one before, or of
    /// the one after.
    case match
  }

  /// Whether the picture is large enough for the filter. bwdif states its own limits; fieldmatch needs one block of 16 x 16.
  static func takes(_ picture: PixelBuffer, _ work: Work) -> Bool {
    switch work {
    case .deinterlace: picture.width >= 3 && picture.height >= 4
    case .match: picture.width >= 16 && picture.height >= 16
    }
  }

  /// A picture of the format, size and colour that the filter takes.
  let model: PixelBuffer
  let order: FieldOrder
  private let graph: UnsafeMutablePointer<AVFilterGraph>
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>
  private let place: String
  private let calls: UnsafeMutablePointer<spool_filter_calls>
  private var count: Int64 = 0

  /// - Throws: `MediaError` `unsupported` for samples that the filter does not take, and where there is no libavfilter; `outOfMemory`.
  init(_ work: Work, _ model: PixelBuffer, _ order: FieldOrder, at place: String) throws(MediaError) {
    (self.model, self.order, self.place) = (model, order, place)
    let calls = try unsafe FilterLibrary.calls(at: place)
    var made = unsafe calls.pointee.avfilter_graph_alloc()
    guard let graph = unsafe made else { throw MediaError(.outOfMemory, at: place, "there is not enough memory for a filter") }
    // A second thread would cost more than it saves, and would change no picture.
    unsafe graph.pointee.nb_threads = 1
    // The largest value is AVFILTER_AUTO_CONVERT_NONE.
    unsafe calls.pointee.avfilter_graph_set_auto_convert(graph, UInt32.max)
    do throws(MediaError) {
      let parts = try unsafe Self.parts(work, like: model, order, in: graph, calls, at: place)
      guard unsafe calls.pointee.avfilter_graph_config(graph, nil) >= 0 else {
        throw MediaError(.unsupported, at: place, "interlaced pictures of \(model.format) are not supported")
      }
      unsafe (self.graph, source, sink, self.calls) = (graph, parts.source, parts.sink, calls)
    } catch {
      unsafe calls.pointee.avfilter_graph_free(&made)
      throw error
    }
  }

  deinit {
    var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
    unsafe calls.pointee.avfilter_graph_free(&graph)
  }

  /// Takes the next picture. Returns the result for the one before it, or nil for the first.
  func next(_ picture: PixelBuffer) throws(MediaError) -> OwnedFrame? {
    let frame = try OwnedFrame()
    let shared = unsafe av_frame_ref(frame.pointer, picture.frame)
    guard shared >= 0 else { throw MediaError(shared, from: "av_frame_ref", at: place) }
    unsafe (frame.pointer.pointee.interlaced_frame, frame.pointer.pointee.repeat_pict) = (1, 0)
    unsafe frame.pointer.pointee.pts = count
    count += 1
    let sent = unsafe calls.pointee.av_buffersrc_add_frame(source, frame.pointer)
    guard sent >= 0 else { throw MediaError(sent, from: "av_buffersrc_add_frame", at: place) }
    let made = try OwnedFrame()
    let code = unsafe calls.pointee.av_buffersink_get_frame(sink, made.pointer)
    if code == spool_AVERROR_EAGAIN { return nil }
    guard code >= 0 else { throw MediaError(code, from: "av_buffersink_get_frame", at: place) }
    return made
  }

  private static func parts(
    _ work: Work, like model: PixelBuffer, _ order: FieldOrder, in graph: UnsafeMutablePointer<AVFilterGraph>,
    _ calls: UnsafeMutablePointer<spool_filter_calls>, at place: String
  ) throws(MediaError) -> (source: UnsafeMutablePointer<AVFilterContext>, sink: UnsafeMutablePointer<AVFilterContext>) {
    let size = unsafe "video_size=\(model.width)x\(model.height):pix_fmt=\(model.frame.pointee.format)"
    let source = try unsafe filter("buffer", "\(size):time_base=1/1:pixel_aspect=1/1", in: graph, calls, at: place)
    let parity = order == .topFirst ? "tff" : "bff"
    let middle =
      switch work {
      case .deinterlace: try unsafe filter("bwdif", "mode=send_frame:parity=\(parity):deint=all", in: graph, calls, at: place)
      case .match: try unsafe filter("fieldmatch", "order=\(parity):mode=pc_n:combmatch=full", in: graph, calls, at: place)
      }
    let sink = try unsafe filter("buffersink", nil, in: graph, calls, at: place)
    for unsafe(from, to) in unsafe [(source, middle), (middle, sink)] {
      let code = unsafe calls.pointee.avfilter_link(from, 0, to, 0)
      guard code >= 0 else { throw MediaError(code, from: "avfilter_link", at: place) }
    }
    return unsafe (source, sink)
  }

  private static func filter(
    _ name: String, _ arguments: String?, in graph: UnsafeMutablePointer<AVFilterGraph>,
    _ calls: UnsafeMutablePointer<spool_filter_calls>, at place: String
  ) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext> {
    guard let kind = unsafe calls.pointee.avfilter_get_by_name(name) else {
      throw MediaError(.unsupported, at: place, "FFmpeg has no filter \(name) here")
    }
    var made: UnsafeMutablePointer<AVFilterContext>?
    let code = unsafe calls.pointee.avfilter_graph_create_filter(&made, kind, name, arguments, nil, graph)
    guard code >= 0, let made = unsafe made else { throw MediaError(code, from: "avfilter_graph_create_filter", at: place) }
    return unsafe made
  }
}
