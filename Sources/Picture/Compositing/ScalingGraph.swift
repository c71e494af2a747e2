internal import CZimg
package import Formats
package import Media

#if canImport(Glibc)
  import Glibc
#endif

/// A zimg filter graph from one kind of picture to another. It converts matrix, range, layout, depth and size in one pass.
///
/// These choices give the same pixels everywhere. The filter is bicubic with (b, c) = (0, 1/2), the Catmull-Rom spline: it leaves
/// samples alone where nothing is scaled, and overshoots less than Lanczos at the hard edges of graphics. There is no dithering.
/// All machines of an architecture use one instruction set (`Units.pinned`), because zimg's sets do not all agree, not even in whole
/// numbers. Chroma is taken to be at the left of its cell, as in MPEG-2 and H.264. Pictures are taken as progressive: an interlaced
/// one is scaled as the frame that is stored.
///
/// One thread at a time, since a graph owns its scratch memory.
// Safe: both pointers are owned, set once, and freed once.
@safe package final class ScalingGraph {
  package struct Route: Hashable {
    package var source: PictureFormat
    /// The part of the source that becomes the whole target, in the source's pixels.
    package var region: Rect
    package var target: PictureFormat

    package init(source: PictureFormat, region: Rect, target: PictureFormat) {
      (self.source, self.region, self.target) = (source, region, target)
    }
  }

  /// The vector units that zimg may use.
  package enum Units: CaseIterable {
    /// No vector units: portable C.
    case none
    /// The same units on all machines: AVX2 or NEON. Results with floating point would otherwise differ in the last bit, and zimg
    /// up to 3.0.5 computes wrong pixels with AVX-512 where a picture is made smaller with certain counts of taps.
    case pinned

    fileprivate var cpuType: zimg_cpu_type_e {
      switch self {
      case .none: ZIMG_CPU_NONE
      case .pinned: spool_zimg_cpu_type()
      }
    }
  }

  /// The alignment of rows, in bytes. zimg needs 32 for AVX2, and `PixelBuffer` gives 64.
  static let alignment = 64

  private let route: Route
  private let graph: OpaquePointer
  private let scratch: UnsafeMutableRawPointer

  /// Makes a graph with the units that all machines use.
  ///
  /// - Precondition: widths and heights are whole numbers of chroma cells; transfer functions and primaries are the same
  ///   (`LightPass` converts those).
  package convenience init(_ route: Route) throws(CompositingError) {
    try self.init(route, units: .pinned)
  }

  package init(_ route: Route, units: Units) throws(CompositingError) {
    var source = route.source.described
    (source.active_region.left, source.active_region.top) = (route.region.x, route.region.y)
    (source.active_region.width, source.active_region.height) = (route.region.width, route.region.height)
    var target = route.target.described
    var parameters = zimg_graph_builder_params()
    unsafe zimg_graph_builder_params_default(&parameters, spool_ZIMG_API_VERSION)
    parameters.resample_filter = ZIMG_RESIZE_BICUBIC
    parameters.resample_filter_uv = ZIMG_RESIZE_BICUBIC
    (parameters.filter_param_a, parameters.filter_param_b) = (0, 0.5)
    (parameters.filter_param_a_uv, parameters.filter_param_b_uv) = (0, 0.5)
    parameters.dither_type = ZIMG_DITHER_NONE
    parameters.cpu_type = units.cpuType

    guard let graph = unsafe zimg_filter_graph_build(&source, &target, &parameters) else {
      throw .lastZimgError("zimg_filter_graph_build")
    }
    var size = 0
    let code = unsafe zimg_filter_graph_get_tmp_size(graph, &size)
    guard code == ZIMG_ERROR_SUCCESS else {
      unsafe zimg_filter_graph_free(graph)
      throw .lastZimgError("zimg_filter_graph_get_tmp_size")
    }
    var scratch: UnsafeMutableRawPointer?
    guard unsafe posix_memalign(&scratch, Self.alignment, max(size, Self.alignment)) == 0, let scratch = unsafe scratch else {
      unsafe zimg_filter_graph_free(graph)
      throw .zimg(call: "posix_memalign", code: Int32(ZIMG_ERROR_OUT_OF_MEMORY.rawValue), reason: "no memory for scaling")
    }
    self.route = route
    unsafe (self.graph, self.scratch) = (graph, scratch)
  }

  deinit {
    unsafe zimg_filter_graph_free(graph)
    unsafe free(scratch)
  }

  /// Converts `source` into `target`.
  ///
  /// - Precondition: the pictures have the route's formats, and rows that are aligned to `alignment` bytes.
  package func convert(_ source: PixelBuffer, into target: PixelBuffer) throws(CompositingError) {
    var input = zimg_image_buffer_const()
    var output = zimg_image_buffer()
    (input.version, output.version) = (spool_ZIMG_API_VERSION, spool_ZIMG_API_VERSION)
    for index in 0..<source.format.planeCount {
      let plane = unsafe source.plane(index)
      unsafe spool_set_input_plane(&input, source.format.zimgPosition(ofPlane: index), plane.base, plane.stride)
    }
    for index in 0..<target.format.planeCount {
      let plane = unsafe target.plane(index)
      unsafe spool_set_output_plane(&output, target.format.zimgPosition(ofPlane: index), plane.base, plane.stride)
    }
    let code = unsafe zimg_filter_graph_process(graph, &input, &output, scratch, nil, nil, nil, nil)
    guard code == ZIMG_ERROR_SUCCESS else { throw .lastZimgError("zimg_filter_graph_process") }
  }
}

extension CompositingError {
  /// The last error of zimg on the calling thread.
  fileprivate static func lastZimgError(_ call: String) -> CompositingError {
    let reason = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      unsafe text.initialize(repeating: 0)
      let code = unsafe zimg_get_last_error(text.baseAddress, text.count)
      return unsafe (code: code.rawValue, text: String(cString: text.baseAddress!))
    }
    return .zimg(call: call, code: Int32(reason.code), reason: reason.text)
  }
}

extension PixelFormat {
  /// The position that zimg gives to a plane. RGB planes are in the order R, G, B in zimg, and G, B, R here.
  fileprivate func zimgPosition(ofPlane index: Int) -> Int32 { Int32(layout == .gbr ? (index + 1) % 3 : index) }
}
