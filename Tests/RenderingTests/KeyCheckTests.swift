import FarmTesting
import FoundationEssentials
import Glibc
import KeyChecks
import Testing

/// Tests whether frames that have one key are the same. In the long form (`scripts/check-keys`) the environment says how many documents
/// are tried, and from which seed on.
@Suite struct `Keys of changed documents` {
  private static let environment = ProcessInfo.processInfo.environment
  private static let first = environment["SPOOL_KEY_SEED"].flatMap { UInt64($0) } ?? 0
  private static let count = environment["SPOOL_KEY_COUNT"].flatMap { UInt64($0) }

  @Test func `are the same only where frames are`() throws {
    let report = try TemporaryDirectory.with { folder in
      try KeyCheck(in: folder).report(
        first: Self.first, count: Self.count ?? 100_000, threads: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
    #expect(report.faults == [])
    #expect(report.edits > report.documents / 10 && report.drawn > report.documents / 100 && report.kept > report.documents / 20)
    // A few documents have hardly a key twice.
    if report.documents >= 50_000 { #expect(report.sameKeys > report.drawn / 5 && report.encoded > report.drawn / 100) }
    if Self.count != nil { print("check-keys: \(report)") }
  }
}
