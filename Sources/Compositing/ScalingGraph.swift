internal import CZimg
package import Media
package import Timeline

#if canImport(Glibc)
  import Glibc
#endif

/// A zimg filter graph from one kind of picture to another: matrix, range, layout, depth and size in one pass.
///
/// What it decides, for the same pixels everywhere: bicubic with (b, c) = (0, 1/2), the Catmull-Rom spline, which leaves
/// samples alone where nothing is scaled and overshoots less than Lanczos at the hard edges of graphics; no dithering;
/// one instruction set for all machines of an architecture (`Units.pinned`), except where all are known to agree. Chroma is
/// taken to sit at the left, MPEG-2's and H.264's way. Pictures are taken as progressive: an interlaced one is scaled as the frame it is stored as.
///
/// Not for two threads at once: a graph owns its scratch memory.
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

    /// Whether sizes and layouts alone differ: zimg computes those in whole numbers, the same on all of its code paths, and
    /// any machine may use the widest units it has.
    fileprivate var keepsCodes: Bool { source.color == target.color && source.format.bitDepth == target.format.bitDepth }
  }

  /// The vector units that zimg may use.
  package enum Units: CaseIterable {
    /// None: portable C.
    case none
    /// The same on all machines: what involves floating point differs between them in the last bit.
    case pinned
    case widest

    fileprivate var cpuType: zimg_cpu_type_e {
      switch self {
      case .none: ZIMG_CPU_NONE
      case .pinned: spool_zimg_cpu_type()
      case .widest: ZIMG_CPU_AUTO_64B
      }
    }
  }

  /// zimg needs rows on 32-byte borders for AVX2; frames from the pool are on 64.
  static let alignment = 64

  private let route: Route
  private let graph: OpaquePointer
  private let scratch: UnsafeMutableRawPointer

  /// With the widest units where the result does not depend on them.
  ///
  /// - Precondition: widths and heights are whole numbers of chroma cells; light is the same (`LightPass` converts it).
  package convenience init(_ route: Route) throws(CompositingError) {
    try self.init(route, units: route.keepsCodes ? .widest : .pinned)
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
  /// - Precondition: the pictures have the route's formats, and rows on `alignment`-byte borders.
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
  /// The calling thread's last error of zimg's.
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
  /// zimg's planes are R, G, B; ours G, B, R.
  fileprivate func zimgPosition(ofPlane index: Int) -> Int32 { Int32(layout == .gbr ? (index + 1) % 3 : index) }
}
