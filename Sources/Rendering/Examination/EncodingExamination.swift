package import CharacterSets
internal import Messages

extension EncodingFinding {
  /// Looks at the first bytes of a file in another process, which they may crash.
  ///
  /// - Throws: `EditExamination.Broken`, `Failure`, `SubprocessError`.
  package init(of bytes: [UInt8], _ setting: ExaminationSetting) throws {
    let examination = try Examination(.encoding(Array(bytes.prefix(Self.mostBytes + 1))), setting)
    var found: EncodingFinding?
    while true {
      switch try examination.next() {
      case .silence: continue
      case .done:
        guard let found else { throw EditExamination.Broken(reason: "the process that looks at its encoding said nothing") }
        self = found
        return
      case .broken(let reason), .hung(let reason): throw EditExamination.Broken(reason: reason)
      case .report(.encoding(let finding)): found = finding
      case .report(.failed(let failure)): throw Failure(failure.class, at: failure.place.shown(), failure.reason.shown())
      case .report: continue
      }
    }
  }
}
