// All refused: kernels are not compiled. `init?(source:)` is nil, as for a fault in the source, and says so; the others throw

// Code of kernels is Metal's or Core Image's own language, and this machine has no compiler for either. Filters by name and colour cubes are made.

/// A function that computes a picture, in a language of its own.
open class CIKernel: NSObject {
  public typealias ROICallback = (Int32, CGRect) -> CGRect
  public let name: String

  /// - Returns: nil, since kernels are not compiled.
  public init?(source string: String) {
    CIKernel.tell("init(source:)")
    return nil
  }
  public init(functionName name: String, fromMetalLibraryData data: Data) throws { throw CIKernel.fault(name) }
  public init(functionName name: String, fromMetalLibraryData data: Data, outputPixelFormat format: CIFormat) throws {
    throw CIKernel.fault(name)
  }

  /// - Returns: nil, since kernels are not compiled.
  open class func makeKernels(source string: String) -> [CIKernel]? {
    tell("makeKernels(source:)")
    return nil
  }
  open class func kernels(withMetalString source: String) throws -> [CIKernel] { throw fault("a kernel of Metal") }
  open class func kernelNames(fromMetalLibraryData data: Data) -> [String] { [] }

  /// Never called, since there are no kernels.
  open func apply(extent: CGRect, roiCallback callback: @escaping ROICallback, arguments args: [Any]?) -> CIImage? { nil }

  private static let words = "kernels are not compiled here; filters by name and colour cubes are made"
  private static func tell(_ call: String) { FileHandle.standardError.write(Data("CIKernel.\(call): \(words)\n".utf8)) }
  private static func fault(_ name: String) -> NSError {
    NSError(domain: "CIKernel", code: 1, userInfo: [NSLocalizedDescriptionKey: "CIKernel: \(name): \(words)"])
  }
}

/// A kernel that computes a pixel of the pixels at its place.
open class CIColorKernel: CIKernel {
  /// Never called, since there are no kernels.
  open func apply(extent: CGRect, arguments args: [Any]?) -> CIImage? { nil }
}

/// A kernel that computes the place from which a pixel is taken.
open class CIWarpKernel: CIKernel {
  /// Never called, since there are no kernels.
  open func apply(
    extent: CGRect, roiCallback callback: @escaping ROICallback, image: CIImage, arguments args: [Any]?
  ) -> CIImage? { nil }
}
