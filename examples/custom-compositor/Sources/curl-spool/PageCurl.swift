import SpoolCompositing

/// A transition that rolls the first track's picture off the second one's, as a page is turned.
final class PageCurl: VideoCompositing {
  static let name = "page-curl"

  /// What the document says: `{"parameters": {"radius": 0.1, "slant": 0.4, "paper": [0.96, 0.95, 0.92]}}`, all optional.
  struct Instruction: VideoCompositionInstruction {
    private struct Parameters: Decodable {
      let radius: Double?
      let slant: Double?
      let paper: [Double]?
    }

    let statement: InstructionStatement
    /// The radius of the roll, in heights of the frame.
    let radius: Double
    /// How far the roll leans: 0 is upright, 1 is at 45 degrees.
    let slant: Double
    /// R'G'B' of the page's back, 0...1.
    let paper: [Double]

    init(_ statement: InstructionStatement) throws {
      let parameters: Parameters = try statement.parameters()
      self.statement = statement
      radius = parameters.radius ?? 0.1
      slant = parameters.slant ?? 0.4
      paper = parameters.paper ?? [0.96, 0.95, 0.92]
      guard (0.01...1).contains(radius) else { throw ParameterError("radius", "\(radius) is not in 0.01...1") }
      guard (-2...2).contains(slant) else { throw ParameterError("slant", "\(slant) is not in -2...2") }
      guard paper.count == 3, paper.allSatisfy((0...1).contains) else {
        throw ParameterError("paper", "expected three numbers in 0...1")
      }
      guard statement.requiredSourceTrackIDs.count == 2 else {
        throw ParameterError("requiredTracks", "a page curl goes from one track to another: it needs two")
      }
    }
  }

  let sourceFormats: [FrameFormat] = [.rgb8, .rgb16]
  let sourceSize = SourceSize.render(.resizeAspectFill)

  func startRequest(_ request: VideoCompositionRequest<Instruction>) {
    request.finish { try composed(request) }
  }

  private func composed(_ request: VideoCompositionRequest<Instruction>) throws -> VideoFrame {
    let tracks = request.instruction.requiredSourceTrackIDs
    let (page, ground) = (request.sourceFrame(byTrackID: tracks[0]), request.sourceFrame(byTrackID: tracks[1]))
    guard let page else { throw MissingSourceFrame(trackID: tracks[0]) }
    guard let ground else { throw MissingSourceFrame(trackID: tracks[1]) }
    let frame = try request.renderContext.newFrame()
    let sheet = CurledSheet(
      width: frame.width, height: frame.height, radius: request.instruction.radius, slant: request.instruction.slant,
      progress: request.progress)
    // The geometry is worked out once for the three components.
    let sights = sheet.sights()
    for (component, paper) in zip(frame.format.components, request.instruction.paper) {
      if frame.format.bitDepth == 8 {
        draw(sights, paper, page.plane(component, as: UInt8.self), ground.plane(component), into: frame.mutablePlane(component))
      } else {
        draw(sights, paper, page.plane(component, as: UInt16.self), ground.plane(component), into: frame.mutablePlane(component))
      }
    }
    return frame
  }

  private func draw<Sample>(
    _ sights: [CurledSheet.Sight], _ paper: Double, _ page: VideoPlane<Sample>, _ ground: VideoPlane<Sample>,
    into target: MutableVideoPlane<Sample>
  ) {
    let white = Double(Sample.max)
    for y in 0..<target.height {
      for x in 0..<target.width {
        let value: Double
        switch sights[y * target.width + x] {
        case .ground(let light): value = Double(ground[x, y]) * light
        case .front(let pageX, let pageY, let light): value = page.value(pageX, pageY) * light
        case .back(let pageX, let pageY, let light):
          // Paper is not quite opaque: the picture shows through.
          value = (0.8 * paper * white + 0.2 * page.value(pageX, pageY)) * light
        }
        target[x, y] = Sample(min(max(value + 0.5, 0), white))
      }
    }
  }
}

extension VideoPlane {
  /// Between four samples; places are those of samples' middles, and lie in the plane.
  fileprivate func value(_ x: Double, _ y: Double) -> Double {
    let (left, top) = (min(Int(x), width - 1), min(Int(y), height - 1))
    let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
    let (toRight, toBottom) = (x - Double(left), y - Double(top))
    let upper = Double(self[left, top]) * (1 - toRight) + Double(self[right, top]) * toRight
    let lower = Double(self[left, bottom]) * (1 - toRight) + Double(self[right, bottom]) * toRight
    return upper * (1 - toBottom) + lower * toBottom
  }
}
