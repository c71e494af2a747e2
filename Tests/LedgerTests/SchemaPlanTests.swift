import FarmTesting
import FoundationEssentials
import Ledger
import Testing

/// The migrations' files, as the program carries them.
struct SchemaPlanTests {
  private static let schema = Array("-- Tables.\n-- Functions: and views.\n".utf8)

  @Test func `the program carries every migration that lies in its folder, and no other`() throws {
    let folder = SchemaFixture.repository.appending(path: "Sources/Farm/Ledger/Migrations")
    try expect(SchemaPlan.current.migrations, toBe: folder)
    // The same holds for the tests' own migrations, of which there are always some.
    let later = try SchemaFixture.later().migrations.dropFirst(SchemaPlan.current.migrations.count)
    try expect(Array(later), toBe: SchemaFixture.folder.appending(path: "Migrations"))
    #expect(try SchemaFixture.later().migrations.map(\.version) == [26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36])
  }

  @Test func `migrations are sorted by their numbers, and the last one gives the version`() throws {
    let plan = try plan("0027-b.sql", "0026-z.sql", "0028-a.sql")
    #expect(plan.migrations.map(\.name) == ["0026-z.sql", "0027-b.sql", "0028-a.sql"])
    #expect(plan.migrations.map(\.sql) == ["-- 0026-z.sql", "-- 0027-b.sql", "-- 0028-a.sql"])
    #expect(plan.version == 28)
    #expect(try self.plan().version == 25)
  }

  @Test(arguments: [
    (["0026-a.sql", "0028-b.sql"], "0028-b.sql", 27),
    (["0027-a.sql"], "0027-a.sql", 26),
    (["0026-a.sql", "0026-b.sql"], "0026-b.sql", 27),
    (["0026-a.sql", "0027-b.sql", "0027-c.sql", "0029-d.sql"], "0027-c.sql", 28),
    (["0025-a.sql", "0026-b.sql"], "0025-a.sql", 26),
  ])
  func `a number that is missing, or given twice, is refused`(names: [String], at file: String, expected: Int) {
    #expect(throws: SchemaPlan.Fault.outOfTurn(file: file, expected: expected)) {
      _ = try SchemaPlan(schema: Self.schema, oldest: 25, files: names.map { ($0, []) })
    }
  }

  @Test(arguments: [
    "26-a.sql", "0026.sql", "0026-.sql", "0026-A.sql", "0026-a b.sql", "0026-a.txt", "0026-a.sql.bak", "00026-a.sql",
  ])
  func `a file of another name is refused`(name: String) {
    #expect(throws: SchemaPlan.Fault.misnamed(file: name)) { _ = try plan(name) }
  }

  @Test func `a schema that says nowhere what is run again is refused`() {
    #expect(throws: SchemaPlan.Fault.renewsNothing) {
      _ = try SchemaPlan(schema: Array("create schema spool;\n".utf8), oldest: 25, files: [])
    }
  }

  private func plan(_ names: String...) throws -> SchemaPlan {
    try SchemaPlan(schema: Self.schema, oldest: 25, files: names.map { ($0, Array("-- \($0)".utf8)) })
  }

  private func expect(_ migrations: [SchemaPlan.Migration], toBe folder: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }.sorted()
    #expect(migrations.map(\.name) == names)
    for migration in migrations {
      #expect(try migration.sql == String(contentsOfFile: folder.appending(path: migration.name).path, encoding: .utf8))
    }
  }
}
