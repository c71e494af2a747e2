internal import Synchronization

/// The classes that this program registers for farms: workers of the same program know them by the same names.
// Types do not change.
package struct FarmClasses: @unchecked Sendable {
  package let compositors: [String: any AVVideoCompositing.Type]
  package let instructions: [String: any AVVideoCompositionInstructionProtocol.Type]

  /// The classes of this program; nil where it registers none.
  package static var ofProgram: FarmClasses? {
    get { registered.withLock(\.self) }
    set { registered.withLock { $0 = newValue } }
  }
  private static let registered = Mutex<FarmClasses?>(nil)

  /// - Precondition: no two compositors, and no two instructions, have one name.
  package init(
    compositors: [any AVVideoCompositing.Type], instructions: [any AVVideoCompositionInstructionProtocol.Type]
  ) {
    self.compositors = Dictionary(compositors.map { (String(describing: $0), $0) }) { known, _ in
      preconditionFailure("two compositors are named \(known)")
    }
    self.instructions = Dictionary(instructions.map { (String(describing: $0), $0) }) { known, _ in
      preconditionFailure("two instructions are named \(known)")
    }
  }

  /// The name by which documents refer to a compositor.
  func name(of kind: any AVVideoCompositing.Type) -> String? { compositors.first { $0.value == kind }?.key }

  /// The name under which instructions of a class, and not of another one below it, travel.
  func name(of kind: any AVVideoCompositionInstructionProtocol.Type) -> String? {
    instructions.first { $0.value == kind }?.key
  }
}
