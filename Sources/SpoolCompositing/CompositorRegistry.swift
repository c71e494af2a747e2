internal import PlainText
package import Timeline

/// The compositors that a program was built with, by name.
package struct CompositorRegistry: Sendable {
  private let types: [String: any VideoCompositing.Type]

  /// - Precondition: each name is valid, and no two are the same.
  package init(_ types: [any VideoCompositing.Type] = []) {
    for type in types {
      precondition(CompositorInstruction.isName(type.name), "'\(type.name)' is no name of a compositor")
    }
    self.types = Dictionary(types.map { ($0.name, $0) }) { a, b in
      preconditionFailure("\(a) and \(b) are both named '\(a.name)'")
    }
  }

  /// The names of all compositors, sorted.
  package var names: [String] { types.keys.sorted() }

  /// Makes a compositor for a video composition that is rendered in `renderFormat` and `color`. Nil when none has this name.
  package func host(
    _ name: String, renderFormat: FrameFormat, _ composition: VideoComposition, _ color: ColorTags
  ) -> (any HostedCompositor)? {
    func host(_ type: (some VideoCompositing).Type) -> any HostedCompositor {
      CompositorHost(type, renderFormat: renderFormat, composition, color)
    }
    return types[name].map { host($0) }
  }

  /// The faults in the parameters of all instructions whose compositors are known here.
  package func parameterFaults(in edit: ResolvedTimeline) -> [DocumentFaults.Fault] {
    func check(_ use: CompositorUse, _ type: (some VideoCompositing).Type) -> DocumentFaults.Fault? {
      do {
        try use.check(type)
        return nil
      } catch { return use.fault(ofParameters: error) }
    }
    return edit.compositorUses.compactMap { use in types[use.compositor.name].flatMap { check(use, $0) } }
  }
}

extension CompositorUse {
  fileprivate func check<Compositor: VideoCompositing>(_: Compositor.Type) throws {
    _ = try Compositor.Instruction(InstructionStatement(self))
  }

  fileprivate func fault(ofParameters error: any Error) -> DocumentFaults.Fault {
    switch error {
    case let error as ParameterError: fault(ofParameter: [ParameterKey(error.parameter)], error.reason)
    case DecodingError.keyNotFound(let key, let context): fault(ofParameter: context.codingPath + [key], "missing")
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      fault(ofParameter: context.codingPath, JSONWords.found(error).reason)
    case DecodingError.dataCorrupted(let context):
      fault(ofParameter: context.codingPath, context.debugDescription.withoutFullStop)
    default: fault(ofParameter: [], "\(error)")
    }
  }
}

private struct ParameterKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension String {
  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
