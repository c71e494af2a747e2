import EditFiles
import FoundationEssentials
import Ledger
import Messages
import Operations
import Testing
import Timeline

@Suite struct `A complaint` {
  @Test(arguments: [
    (LedgerError.unavailable("away"), ExitClass.unavailable), (.corrupt("old"), .unavailable), (.deposed("other"), .unavailable),
    (.forbidden("role"), .notPermitted), (.refused(statement: "s", "bug"), .software),
    (.outputTaken("/a.mp4", job: "j"), .cannotCreate),
  ])
  func `the database's errors have the class of what can be done about them`(error: LedgerError, exit: ExitClass) {
    let complaint = Complaint(about: error)
    #expect(complaint.exit == exit && complaint.faults == [error.description])
  }

  @Test(arguments: zip(Failure.Class.allCases, Failure.Class.allCases.map(Self.exit)))
  func `a job's failure keeps its class beside that of the exit`(class: Failure.Class, exit: ExitClass) {
    let record = FailureRecord(Complaint(about: Failure(`class`, at: "place", "reason")))
    #expect(record.class == `class`.rawValue && record.exitCode == exit.rawValue)
    #expect(record.faults.map(\.text) == ["reason"] && record.faults.map(\.kind) == [exit.word])
  }

  static func exit(of class: Failure.Class) -> ExitClass {
    switch `class` {
    case .content: .badDocument
    case .worker, .store: .cannotCreate
    case .source: .noInput
    case .transient: .unavailable
    case .bug: .software
    }
  }

  @Test func `it names the asset at fault, and the time in it`() {
    let assets = [ProbedAssets.Asset(id: AssetID("a"), path: "/m/a"), .init(id: AssetID("ab"), path: "/m/a b")]
    let failure = Failure(.content, at: "/m/a b track 0 at 1.5 s (asset 'ab')", "is damaged")
    let record = FailureRecord(Complaint(about: failure).located(among: assets))
    #expect(record.asset == "ab" && record.time == "1.5")
    let unread = Complaint(told: [FaultRecord(path: "assets.a", kind: "missing", text: "is missing")], .noInput)
    #expect(FailureRecord(unread.located(among: assets)).asset == "a")
    #expect(FailureRecord(unread).asset == nil)
  }

  @Test func `its JSON has these keys, and leaves out what is not known`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let record = FailureRecord(Complaint("--at", "is late", .usage))
    let text = String(decoding: try encoder.encode(record), as: UTF8.self)
    #expect(
      text == #"{"class":"usage","event":"failed","exitCode":64,"faults":[{"kind":"usage","path":"--at","text":"is late"}]}"#)
    #expect(try JSONDecoder().decode(FailureRecord.self, from: Data(text.utf8)) == record)
  }
}
