/// The values of one of AVFoundation's own instructions, for the way to a farm.
struct PlainInstruction: Codable {
  private struct Color: Codable {
    let space: String?
    let components: [CGFloat]

    /// The colour; nil for one of another number of parts than its space has.
    var color: CGColor? {
      let usual = components.count == 2 ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB()
      let space = space.flatMap { CGColorSpace(name: $0) } ?? usual
      guard components.count == space.numberOfComponents + 1 else { return nil }
      return unsafe components.withUnsafeBufferPointer { parts in
        unsafe parts.baseAddress.flatMap { unsafe CGColor(colorSpace: space, components: $0) }
      }
    }
  }

  private struct Layer: Codable {
    let trackID: CMPersistentTrackID
    let opacity: Ramps<Float>
    let transform: Ramps<CGAffineTransform>
    let crop: Ramps<CGRect>
  }

  private let timeRange: CodedRange
  private let background: Color?
  private let layers: [Layer]
  private let enablePostProcessing: Bool

  /// The classes that travel so. Those below them may have values of their own.
  static let names: Set<String> = ["AVVideoCompositionInstruction", "AVMutableVideoCompositionInstruction"]

  static func name(of kind: any AVVideoCompositionInstructionProtocol.Type) -> String? {
    kind == AVVideoCompositionInstruction.self || kind == AVMutableVideoCompositionInstruction.self ? "\(kind)" : nil
  }

  init(_ instruction: AVVideoCompositionInstruction) {
    timeRange = CodedRange(instruction.timeRange)
    background = instruction.backgroundColor.map { color in
      Color(space: color.colorSpace?.name.map { "\($0)" }, components: color.components ?? [])
    }
    layers = instruction.layerInstructions.map { layer in
      Layer(trackID: layer.trackID, opacity: layer.opacity, transform: layer.transform, crop: layer.crop)
    }
    enablePostProcessing = instruction.enablePostProcessing
  }

  func instruction(named name: String) -> AVVideoCompositionInstruction {
    let isMutable = name == "AVMutableVideoCompositionInstruction"
    let made = isMutable ? AVMutableVideoCompositionInstruction() : AVVideoCompositionInstruction()
    (made.range, made.isPostProcessed) = (timeRange.range, enablePostProcessing)
    made.background = background.flatMap(\.color)
    made.layers = layers.map { layer in
      let made = AVMutableVideoCompositionLayerInstruction()
      (made.id, made.opacity, made.transform, made.crop) = (layer.trackID, layer.opacity, layer.transform, layer.crop)
      return made
    }
    return made
  }
}

/// A time as it travels: nothing of it is lost.
struct CodedTime: Codable {
  private let parts: [Int64]

  init(_ time: CMTime) { parts = [time.value, Int64(time.timescale), Int64(time.flags.rawValue), time.epoch] }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    parts = try container.decode([Int64].self)
    guard parts.count == 4, Int32(exactly: parts[1]) != nil, UInt32(exactly: parts[2]) != nil else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "is no time: four numbers")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(parts)
  }

  var time: CMTime {
    CMTime(
      value: parts[0], timescale: Int32(clamping: parts[1]), flags: CMTimeFlags(rawValue: UInt32(clamping: parts[2])),
      epoch: parts[3])
  }
}

/// A range of time as it travels.
struct CodedRange: Codable {
  private let start: CodedTime
  private let duration: CodedTime

  init(_ range: CMTimeRange) { (start, duration) = (CodedTime(range.start), CodedTime(range.duration)) }

  var range: CMTimeRange { CMTimeRange(start: start.time, duration: duration.time) }
}
