public let kCIInputImageKey = "inputImage"
public let kCIInputBackgroundImageKey = "inputBackgroundImage"
public let kCIInputTargetImageKey = "inputTargetImage"
public let kCIInputMaskImageKey = "inputMaskImage"
public let kCIInputGradientImageKey = "inputGradientImage"
public let kCIInputShadingImageKey = "inputShadingImage"
public let kCIInputTimeKey = "inputTime"
public let kCIInputTransformKey = "inputTransform"
public let kCIInputScaleKey = "inputScale"
public let kCIInputAspectRatioKey = "inputAspectRatio"
public let kCIInputCenterKey = "inputCenter"
public let kCIInputRadiusKey = "inputRadius"
public let kCIInputAngleKey = "inputAngle"
public let kCIInputWidthKey = "inputWidth"
public let kCIInputSharpnessKey = "inputSharpness"
public let kCIInputIntensityKey = "inputIntensity"
public let kCIInputEVKey = "inputEV"
public let kCIInputSaturationKey = "inputSaturation"
public let kCIInputColorKey = "inputColor"
public let kCIInputBrightnessKey = "inputBrightness"
public let kCIInputContrastKey = "inputContrast"
public let kCIInputBiasKey = "inputBias"
public let kCIInputWeightsKey = "inputWeights"
public let kCIInputExtentKey = "inputExtent"
public let kCIInputRefractionKey = "inputRefraction"
public let kCIInputAmountKey = "inputAmount"
public let kCIInputCountKey = "inputCount"
public let kCIInputThresholdKey = "inputThreshold"
public let kCIOutputImageKey = "outputImage"
public let kCIAttributeFilterName = "CIAttributeFilterName"
public let kCIAttributeFilterDisplayName = "CIAttributeFilterDisplayName"
public let kCIAttributeDefault = "CIAttributeDefault"
public let kCIAttributeClass = "CIAttributeClass"
public let kCICategoryTransition = "CICategoryTransition"
public let kCICategoryColorEffect = "CICategoryColorEffect"
public let kCICategoryColorAdjustment = "CICategoryColorAdjustment"
public let kCICategoryBlur = "CICategoryBlur"
public let kCICategorySharpen = "CICategorySharpen"
public let kCICategoryCompositeOperation = "CICategoryCompositeOperation"
public let kCICategoryGeometryAdjustment = "CICategoryGeometryAdjustment"
public let kCICategoryGenerator = "CICategoryGenerator"
public let kCICategoryGradient = "CICategoryGradient"
public let kCICategoryStylize = "CICategoryStylize"
public let kCICategoryTileEffect = "CICategoryTileEffect"
public let kCICategoryReduction = "CICategoryReduction"
public let kCICategoryVideo = "CICategoryVideo"
public let kCICategoryBuiltIn = "CICategoryBuiltIn"

/// A filter: a rule that makes a picture of inputs.
///
/// Inputs are set by their names, and where the filter was made by type, as properties. Names that a filter does not have are a fault
/// of the program, as in Core Image.
/// - Partly: which filters are made is in docs/avfoundation-pictures.md#filters
open class CIFilter: NSObject, NSCopying {
  open var name: String
  private let definition: FilterDefinition?
  private var values: [String: Any] = [:]

  /// The name of the filter's rule. `name` may be changed, so that animations of a layer can tell filters apart.
  final var kind: String { definition?.name ?? name }

  /// The inputs as they are set now, for a filter that is made here.
  var inputs: FilterInputs {
    FilterInputs(values: values, definition: definition ?? FilterDefinition(name, "", [:]) { _ in nil })
  }

  /// Makes a filter of a subclass's own.
  public override init() { (name, definition) = ("", nil) }

  /// Makes a filter by its name; nil for filters that are not made here, such as those of photo effects, whose rules are not public.
  public convenience init?(name: String) { self.init(name: name, parameters: nil) }

  public init?(name: String, parameters params: [String: Any]?) {
    guard let found = FilterDefinition.all[name] else {
      // Programs often unwrap the result by force, so that nil alone would say nothing.
      FileHandle.standardError.write(Data("CIFilter: \(FilterDefinition.isMissing(name))\n".utf8))
      return nil
    }
    (self.name, definition) = (name, found)
    super.init()
    for (key, value) in params ?? [:] { setValue(value, forKey: key) }
  }

  @available(*, deprecated, renamed: "init(name:parameters:)")
  public convenience init?(name: String, withInputParameters params: [String: Any]?) { self.init(name: name, parameters: params) }

  init(_ definition: FilterDefinition) { (name, self.definition) = (definition.name, definition) }

  /// The picture; nil where an input that it needs is not set.
  open var outputImage: CIImage? { definition.flatMap { $0.make(FilterInputs(values: values, definition: $0)) } }

  open func setValue(_ value: Any?, forKey key: String) {
    precondition(
      definition.map { $0.inputs[key] != nil } ?? true, "CIFilter: \(name) has no input '\(key)'")
    values[key] = value
  }

  open func value(forKey key: String) -> Any? {
    if key == kCIOutputImageKey { return outputImage }
    if let value = values[key] { return value }
    guard case .some(.some(let value)) = definition?.inputs[key] else { return nil }
    return value
  }

  open func setDefaults() { values = [:] }
  open var inputKeys: [String] { (definition?.inputs.keys).map(Array.init)?.sorted() ?? [] }
  open var outputKeys: [String] { [kCIOutputImageKey] }
  open var attributes: [String: Any] {
    var made: [String: Any] = [kCIAttributeFilterName: name, kCIAttributeFilterDisplayName: name]
    for (key, value) in definition?.inputs ?? [:] { made[key] = value.map { [kCIAttributeDefault: $0] } ?? [:] }
    return made
  }

  open func copy(with zone: NSZone? = nil) -> Any {
    guard let definition else { return self }
    let copy = TypedFilter(definition)
    copy.values = values
    return copy
  }

  open class func filterNames(inCategory category: String?) -> [String] {
    FilterDefinition.all.values.filter { category == nil || category == kCICategoryBuiltIn || $0.category == category }
      .map(\.name).sorted()
  }
  open class func filterNames(inCategories categories: [String]?) -> [String] {
    guard let categories else { return filterNames(inCategory: nil) }
    return categories.reduce(Set(filterNames(inCategory: nil))) { $0.intersection(filterNames(inCategory: $1)) }.sorted()
  }
  open class func localizedName(forFilterName filterName: String) -> String? {
    FilterDefinition.all[filterName] == nil ? nil : filterName
  }
}

/// The inputs of a filter with their defaults, and its rule.
struct FilterDefinition: @unchecked Sendable {
  // Defaults are immutable values, and rules capture none.
  let name: String
  let category: String
  /// The inputs by their names; a default is nil where there is none.
  let inputs: [String: Any?]
  let make: (FilterInputs) -> CIImage?

  init(_ name: String, _ category: String, _ inputs: [String: Any?], _ make: @escaping (FilterInputs) -> CIImage?) {
    (self.name, self.category, self.inputs, self.make) = (name, category, inputs, make)
  }

  /// The sentence about a filter that is none of these.
  static func isMissing(_ name: String) -> String {
    "'\(name)' is not made here. docs/avfoundation-pictures.md lists the filters that are"
  }

  /// The filter of a name that is known to be there.
  static func named(_ name: String) -> FilterDefinition {
    guard let found = all[name] else { preconditionFailure("CIFilter: \(isMissing(name))") }
    return found
  }

  static let all: [String: FilterDefinition] = Dictionary(
    uniqueKeysWithValues: (color + moreColor + blends + geometry + blurs + transitions + generators + stylize).map {
      ($0.name, $0)
    })
}

/// The inputs of a filter, read as what its rule needs.
struct FilterInputs {
  let values: [String: Any]
  let definition: FilterDefinition

  private func value(_ key: String) -> Any? {
    if let value = values[key] { return value }
    guard case .some(.some(let value)) = definition.inputs[key] else { return nil }
    return value
  }

  func image(_ key: String = kCIInputImageKey) -> CIImage? { value(key) as? CIImage }

  /// The number of an input, whatever type of number it was set as.
  func number(_ key: String) -> Float {
    switch value(key) {
    case let value as Float: value
    case let value as Double: Float(value)
    case let value as CGFloat: Float(value)
    case let value as any BinaryInteger: Float(value)
    case let value as NSNumber: value.floatValue
    case let value as Bool: value ? 1 : 0
    default: 0
    }
  }

  func vector(_ key: String) -> CIVector {
    switch value(key) {
    case let value as CIVector: value
    case let value as CGPoint: CIVector(cgPoint: value)
    case let value as CGRect: CIVector(cgRect: value)
    default: CIVector([])
    }
  }

  func pixel(_ key: String) -> Pixel {
    let vector = vector(key)
    return Pixel(Float(vector.x), Float(vector.y), Float(vector.z), Float(vector.w))
  }

  func color(_ key: String) -> CIColor {
    switch value(key) {
    case let value as CIColor: value
    case let value as any ColorConvertible: CIColor(cgColor: value.cgColor)
    default: .black
    }
  }

  func transform(_ key: String) -> CGAffineTransform {
    switch value(key) {
    case let value as CGAffineTransform: value
    case let value as CIVector: value.cgAffineTransformValue
    default: .identity
    }
  }

  func data(_ key: String) -> Data? { value(key) as? Data }
  func space(_ key: String) -> CGColorSpace? { value(key) as? CGColorSpace }
  func text(_ key: String) -> Any? { value(key) }
}
