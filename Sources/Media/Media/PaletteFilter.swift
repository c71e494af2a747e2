internal import CFFmpeg
internal import Formats

/// Brings pictures to 256 colours: FFmpeg's palettegen chooses them, and paletteuse gives each pixel one. The result depends on the
/// picture alone. One thread at a time.
struct PaletteFilter {
  let dither: GIF.Dither
  let hasAlpha: Bool

  private static let place = "palette"

  /// The picture with indices into its own palette.
  ///
  /// - Parameter frame: a picture in Y'CbCr, with its tags.
  /// - Throws: `MediaError` `unsupported` where FFmpeg lacks a filter or there is no libavfilter, `outOfMemory`.
  func paletted(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> OwnedFrame {
    let calls = try unsafe FilterLibrary.calls(at: Self.place)
    var graph = unsafe calls.pointee.avfilter_graph_alloc()
    guard let made = unsafe graph else {
      throw MediaError(.outOfMemory, at: Self.place, "there is not enough memory for a filter")
    }
    defer { unsafe calls.pointee.avfilter_graph_free(&graph) }
    unsafe made.pointee.nb_threads = 1
    var inputs: UnsafeMutablePointer<AVFilterInOut>?
    var outputs: UnsafeMutablePointer<AVFilterInOut>?
    defer {
      unsafe calls.pointee.avfilter_inout_free(&inputs)
      unsafe calls.pointee.avfilter_inout_free(&outputs)
    }
    let words = unsafe words(frame.pointee)
    try Self.check(unsafe calls.pointee.avfilter_graph_parse2(made, words, &inputs, &outputs), "avfilter_graph_parse2")
    try Self.check(unsafe calls.pointee.avfilter_graph_config(made, nil), "avfilter_graph_config")
    guard let source = unsafe calls.pointee.avfilter_graph_get_filter(made, "buffer@in"),
      let sink = unsafe calls.pointee.avfilter_graph_get_filter(made, "buffersink@out")
    else { throw MediaError(.internal, at: Self.place, "the graph has lost its ends") }
    try Self.check(unsafe calls.pointee.av_buffersrc_write_frame(source, frame), "av_buffersrc_write_frame")
    // No picture follows, so this one is not held back.
    try Self.check(unsafe calls.pointee.av_buffersrc_add_frame(source, nil), "av_buffersrc_add_frame")
    let result = try OwnedFrame()
    try Self.check(unsafe calls.pointee.av_buffersink_get_frame(sink, result.pointer), "av_buffersink_get_frame")
    return result
  }

  /// The graph in FFmpeg's words. Samples are converted by the picture's own matrix and range, by the same steps on every machine.
  private func words(_ frame: AVFrame) -> String {
    let size = unsafe "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format)"
    let way =
      switch dither {
      case .none: "none"
      case .bayer: "bayer:bayer_scale=3"
      case .sierra: "sierra2_4a"
      }
    return "buffer@in=\(size):time_base=1/1:pixel_aspect=1/1,scale=flags=accurate_rnd+full_chroma_int+bitexact,format=bgra,"
      + "split[picture][same];[same]palettegen=stats_mode=single:reserve_transparent=\(hasAlpha ? 1 : 0)[palette];"
      + "[picture][palette]paletteuse=new=1:dither=\(way),buffersink@out"
  }

  private static func check(_ code: Int32, _ call: String) throws(MediaError) {
    guard code < 0 else { return }
    throw code == spool_AVERROR_EAGAIN || code == spool_AVERROR_EOF
      ? MediaError(.internal, at: place, "no picture came out") : MediaError(code, from: call, at: place)
  }
}
