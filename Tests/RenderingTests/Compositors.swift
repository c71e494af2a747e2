import FoundationEssentials
import Formats
import Linux
import Media
import Rendering
import SpoolCompositing
import Synchronization
import Timeline

/// A compositor of these tests. It is given pictures in yuv420 of 8 bits, and makes such, unless it says otherwise.
protocol TestCompositor: HostedCompositor {
  static var name: String { get }
  init(_ canvas: HostedCanvas)
  /// The instruction's value. Its errors are about the document's parameters.
  static func value(of statement: CompositorStatement) throws -> any Sendable
}

extension TestCompositor {
  var sourceForm: HostedForm? { HostedForm(.yuv420) }
  var keptFormat: PixelFormat { .yuv420 }
  static func value(of statement: CompositorStatement) throws -> any Sendable { statement }
  func cancel() {}

  /// The compositor as programs register it.
  static var kind: HostedKind {
    HostedKind(name) {
      Self($0)
    } instruction: {
      HostedInstruction(try value(of: $0), $0.traits)
    } check: {
      _ = try value(of: $0)
    }
  }
}

extension CompositorRegistry {
  init(of types: [any TestCompositor.Type]) { self.init(types.map { $0.kind }) }
}

extension HostedRequest {
  func picture(of track: String) -> HostedPicture? { sources.first { $0.track.rawValue == track }?.picture }
}

/// The error of a track without a picture.
struct MissingPicture: Error, CustomStringConvertible {
  let track: String
  var description: String { "track '\(track)' has no frame" }
}

/// A compositor that notes what it is given, and shows nothing.
final class Witness: TestCompositor {
  struct Parameters: Decodable { let level: Int }

  struct Sight {
    let time, frameDuration, color: String
    let tracks: [String]
    let level: Int
    let size: [Int]
    let sizes: [String: [Int]]
    let formats: Set<PixelFormat>
  }

  static let name = "witness"
  static let seen = Mutex<[Sight]>([])
  private let canvas: HostedCanvas

  init(_ canvas: HostedCanvas) { self.canvas = canvas }

  static func value(of statement: CompositorStatement) throws -> any Sendable {
    let level = try JSONDecoder().decode(Parameters.self, from: Data(statement.parametersJSON)).level
    if level < 0 { throw MissingPicture(track: "level") }
    return level
  }

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    let buffers = request.sources.map { ($0.track.rawValue, $0.picture.buffer) }
    let sight = Sight(
      time: "\(request.time)", frameDuration: "\(canvas.frameDuration)", color: canvas.color.matrix.rawValue,
      tracks: buffers.map(\.0), level: request.instruction.value as? Int ?? 0,
      size: [canvas.renderSize.width, canvas.renderSize.height],
      sizes: Dictionary(uniqueKeysWithValues: buffers.map { ($0.0, [$0.1.width, $0.1.height]) }),
      formats: Set(buffers.map(\.1.format)))
    Self.seen.withLock { $0.append(sight) }
    answer(.of { try canvas.picture(.yuv420) })
  }
}

extension ComposedAnswer {
  /// The answer that a closure returns or throws.
  static func of(_ compose: () throws -> HostedPicture) -> ComposedAnswer {
    do { return .composed(try compose()) } catch { return .failed(error) }
  }
}

extension HostedCanvas {
  /// A picture of the render size, with undefined content.
  func picture(_ format: PixelFormat) throws -> HostedPicture {
    let color = format.layout == .gbr ? ColorTags(color.primaries, color.transfer, .rgb, .full) : color
    return HostedPicture(
      try PixelBuffer(format: format, width: renderSize.width, height: renderSize.height, color: color), color)
  }
}

/// A compositor that gives the first source picture back.
final class Giver: TestCompositor {
  static let name = "give"
  init(_ canvas: HostedCanvas) {}

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    answer(
      .of {
        guard let source = request.sources.first else { throw MissingPicture(track: "first") }
        return source.picture
      })
  }
}

/// A compositor that gives its source picture back, in the form that the test chooses.
final class Former: TestCompositor {
  static let name = "form"
  @TaskLocal static var form = HostedForm(.yuv420)

  let sourceForm: HostedForm? = Former.form
  let keptFormat =
    Former.form.format.layout == .gbr
    ? PixelFormat(.yuv444, bitDepth: 10)
    : PixelFormat(Former.form.format.layout, bitDepth: Former.form.format.bitDepth > 8 ? 10 : 8)

  init(_ canvas: HostedCanvas) {}

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    answer(
      .of {
        guard let picture = request.picture(of: "A") else { throw MissingPicture(track: "A") }
        precondition(picture.buffer.format == Self.form.format)
        return picture
      })
  }
}

/// A compositor that paints the mean of its source's first row. It counts its calls under the name in its parameters.
final class Tally: TestCompositor {
  struct Parameters: Decodable { let counter: String }

  static let name = "tally"
  private static let counts = Mutex<[String: Int]>([:])
  private let canvas: HostedCanvas

  static func count(_ counter: String) -> Int { counts.withLock { $0[counter, default: 0] } }

  init(_ canvas: HostedCanvas) { self.canvas = canvas }

  static func value(of statement: CompositorStatement) throws -> any Sendable {
    try JSONDecoder().decode(Parameters.self, from: Data(statement.parametersJSON)).counter
  }

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    Self.counts.withLock { $0[request.instruction.value as? String ?? "", default: 0] += 1 }
    answer(
      .of {
        guard let source = request.picture(of: "A")?.buffer else { throw MissingPicture(track: "A") }
        let picture = try canvas.picture(.yuv420)
        for index in 0..<3 {
          let (from, to) = unsafe (source.plane(index), picture.buffer.plane(index))
          let mean = unsafe UInt8((0..<from.width).reduce(0) { unsafe $0 + Int(from.base[$1]) } / from.width)
          for y in unsafe 0..<to.height { unsafe (to.base + y * to.stride).update(repeating: mean, count: to.width) }
        }
        return picture
      })
  }
}

/// A compositor that answers from a thread of its own.
final class Late: TestCompositor {
  static let name = "late"
  init(_ canvas: HostedCanvas) {}

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    _ = JoinableThread {
      answer(
        .of {
          guard let picture = request.picture(of: "A") else { throw MissingPicture(track: "A") }
          return picture
        })
    }
  }
}

/// A compositor that cannot do without its track.
final class Needy: TestCompositor {
  static let name = "needy"
  private let canvas: HostedCanvas
  init(_ canvas: HostedCanvas) { self.canvas = canvas }

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    answer(
      .of {
        guard request.picture(of: "B") != nil else { throw MissingPicture(track: "B") }
        return try canvas.picture(.yuv420)
      })
  }
}

/// A compositor that holds its request until the request is cancelled.
final class Stuck: TestCompositor {
  static let name = "stuck"
  static let whenAsked = Mutex<(@Sendable () -> Void)?>(nil)
  static let drained = Mutex(0)
  private let pending = Mutex<[@Sendable (ComposedAnswer) -> Void]>([])

  init(_ canvas: HostedCanvas) {}

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    pending.withLock { $0.append(answer) }
    if let whenAsked = Self.whenAsked.withLock({ $0 }) { _ = JoinableThread { whenAsked() } }
  }

  func cancel() {
    let answers = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    Self.drained.withLock { $0 += answers.count }
    for answer in answers { answer(.cancelled) }
  }
}
