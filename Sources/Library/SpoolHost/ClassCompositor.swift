internal import AVFoundation
internal import CoreVideo
internal import Formats
internal import Media
internal import MediaTime
internal import SampleStream
internal import SpoolCompositing
internal import Timeline

/// A compositor of AVFoundation's kind, as the renderer calls it.
// The stage guards itself.
final class ClassCompositor: HostedCompositor {
  /// An instruction and its tracks. The object is only read while frames are made.
  struct Work: @unchecked Sendable {  // The instruction is handed over, and nobody else has it.
    let instruction: any AVVideoCompositionInstructionProtocol
    let tracks: [(track: TrackID, id: CMPersistentTrackID)]
  }

  let sourceForm: HostedForm?
  let keptFormat: PixelFormat
  private let stage: CompositorStage

  init(_ stage: CompositorStage) {
    self.stage = stage
    sourceForm = stage.sourceSamples.map { samples in
      HostedForm(Self.format(samples.layout, samples.bitDepth), isFullRange: samples.isFullRange)
    }
    keptFormat = Self.format(stage.kept.layout, stage.kept.bitDepth)
  }

  private static func format(_ layout: String, _ bitDepth: Int) -> PixelFormat {
    guard let layout = PixelFormat.Layout(rawValue: layout) else { preconditionFailure("the names of layouts are the same") }
    return PixelFormat(layout, bitDepth: bitDepth)
  }

  func start(_ request: HostedRequest, answer: @escaping @Sendable (ComposedAnswer) -> Void) {
    guard let work = request.instruction.value as? Work else { preconditionFailure("an instruction of another compositor") }
    let sources = request.sources.compactMap { source in
      work.tracks.first { $0.track == source.track }.map { (id: $0.id, samples: source.picture.samples) }
    }
    stage.start(work.instruction, at: request.time, sources) { made in
      answer(
        made.flatMap { samples in Result { try samples.map { .composed(try $0.picture) } ?? .cancelled } }.answer)
    }
  }

  func cancel() { stage.cancel() }
}

extension Result where Success == ComposedAnswer, Failure == any Error {
  fileprivate var answer: ComposedAnswer {
    switch self {
    case .success(let answer): answer
    case .failure(let error): .failed(error)
    }
  }
}

extension HostedPicture {
  /// The picture in planes.
  fileprivate var samples: CompositorStage.Samples {
    let form = SampleTrack.PictureForm(
      width: buffer.width, height: buffer.height, layout: buffer.format.layout.rawValue, bitDepth: buffer.format.bitDepth,
      color: color)
    return .init(form, buffer.packed())
  }
}

extension CompositorStage.Samples {
  fileprivate var picture: HostedPicture {
    get throws {
      guard let layout = PixelFormat.Layout(rawValue: form.layout) else {
        preconditionFailure("the names of layouts are the same")
      }
      let buffer = try PixelBuffer(
        format: PixelFormat(layout, bitDepth: form.bitDepth), width: form.width, height: form.height, color: form.color)
      precondition(buffer.unpack(bytes), "a picture has the bytes of its form")
      return HostedPicture(buffer, form.color)
    }
  }
}

extension CompositorRegistry {
  /// The compositors of a program's classes.
  init(_ classes: FarmClasses) {
    self.init(
      classes.compositors.keys.map { name in
        HostedKind(name) { canvas in
          guard let kind = classes.compositors[name] else { preconditionFailure("the name is one of the classes'") }
          return ClassCompositor(
            try CompositorStage(
              kind, renderSize: canvas.renderSize, frameDuration: canvas.frameDuration, canvas.color))
        } instruction: { statement in
          let written = DocumentInstruction(statement)
          let instruction =
            try classes.instruction(ofParameters: statement.parametersJSON, [.documentInstruction: written]) ?? written
          return HostedInstruction(
            ClassCompositor.Work(instruction: instruction, tracks: statement.trackIDs),
            CompositorTraits(
              containsTweening: instruction.containsTweening, enablePostProcessing: instruction.enablePostProcessing))
        } check: { statement in
          try classes.check(parameters: statement.parametersJSON, [.documentInstruction: DocumentInstruction(statement)])
        }
      })
  }
}
