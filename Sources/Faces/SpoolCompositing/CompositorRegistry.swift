internal import PlainText
package import Scenes
package import Timeline

/// A compositor that documents may name.
package struct HostedKind: Sendable {
  package let name: String
  /// Makes a compositor for frames of a canvas.
  package let make: @Sendable (HostedCanvas) throws -> any HostedCompositor
  /// Makes the instruction of the document's one.
  ///
  /// Its errors are about the document's parameters. Only a process that is contained calls it.
  package let instruction: @Sendable (CompositorStatement) throws -> HostedInstruction
  /// Checks the parameters of the document's instruction, as far as that is safe in a process that is not contained.
  package let check: @Sendable (CompositorStatement) throws -> Void

  package init(
    _ name: String, make: @escaping @Sendable (HostedCanvas) throws -> any HostedCompositor,
    instruction: @escaping @Sendable (CompositorStatement) throws -> HostedInstruction,
    check: @escaping @Sendable (CompositorStatement) throws -> Void
  ) {
    (self.name, self.make, self.instruction, self.check) = (name, make, instruction, check)
  }
}

/// The compositors that a program was built with, by name.
package struct CompositorRegistry: Sendable {
  private let kinds: [String: HostedKind]

  /// - Precondition: each name is valid, and no two are the same.
  package init(_ kinds: [HostedKind] = []) {
    for kind in kinds {
      precondition(CompositorInstruction.isName(kind.name), "'\(kind.name)' is no name of a compositor")
    }
    self.kinds = Dictionary(kinds.map { ($0.name, $0) }) { kind, _ in
      preconditionFailure("two compositors are named '\(kind.name)'")
    }
  }

  /// The names of all compositors, sorted.
  package var names: [String] { kinds.keys.sorted() }

  /// Makes a compositor for frames of a canvas. Nil when none has this name.
  ///
  /// - Throws: the compositor's own error.
  package func host(_ name: String, for canvas: HostedCanvas) throws -> (any HostedCompositor)? {
    try kinds[name]?.make(canvas)
  }

  /// Makes the instruction of a compositor from the document's. Nil when no compositor has its name.
  ///
  /// - Throws: the error of the compositor about the document's parameters.
  package func instruction(_ statement: CompositorStatement) throws -> HostedInstruction? {
    try kinds[statement.name]?.instruction(statement)
  }

  /// The faults in the parameters of all instructions whose compositors are known here.
  package func parameterFaults(in edit: ResolvedTimeline) -> [DocumentFaults.Fault] {
    edit.compositorUses.compactMap { use in
      do {
        try kinds[use.statement.name]?.check(use.statement)
        return nil
      } catch { return use.fault(ofParameters: error) }
    }
  }
}

extension CompositorUse {
  fileprivate func fault(ofParameters error: any Error) -> DocumentFaults.Fault {
    switch error {
    case DecodingError.keyNotFound(let key, let context): fault(ofParameter: context.codingPath + [key], "missing")
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      fault(ofParameter: context.codingPath, JSONWords.found(error).reason)
    case DecodingError.dataCorrupted(let context):
      fault(ofParameter: context.codingPath, context.debugDescription.withoutFullStop)
    default: fault(ofParameter: [], "\(error)")
    }
  }
}

extension String {
  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
