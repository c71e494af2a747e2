import FoundationEssentials
import Operations
import Terminal
import Testing

@Suite struct `The tables of what was done` {
  private let audit: Audit
  private let deliveries: Deliveries

  init() throws {
    audit = try JSONDecoder().decode(
      Audit.self,
      from: Data(
        """
        {"entries":[{"id":1,"at":"2026-11-25T10:15:02.123Z","verb":"prioritise","role":"spool_operator",
        "caller":"annabelle@edit-station-1.example","address":"10.20.30.40","peer":"10.20.30.41","program":"spool client",
        "job":"b7kq2mzr9x4t","changes":[{"fact":"priority","before":"0","after":"10"}],"times":1},
        {"id":2,"at":"2026-11-25T10:15:03.123Z","verb":"drain","role":"r","program":"psql","worker":"render-node-0000017.example",
        "changes":[],"refusal":"it takes the role operate","times":3}]}
        """.utf8))
    deliveries = try JSONDecoder().decode(
      Deliveries.self,
      from: Data(
        """
        {"deliveries":[{"id":12345678,"webhook":"the-portal-of-the-newsroom","message":"m","event":"job.cancelled",
        "job":"b7kq2mzr9x4t","madeAt":"2026-11-25T10:15:02Z","dueAt":"2026-11-25T10:20:02Z","tries":3,"status":503,
        "failure":"it answers 503, which is no success"},
        {"id":9,"webhook":"a","message":"n","event":"job.done","job":"m3hv8tnc5bzk","madeAt":"2026-11-25T10:15:02Z",
        "deliveredAt":"2026-11-25T10:15:03Z","tries":1,"status":200}]}
        """.utf8))
  }

  @Test(arguments: [60, 79, 80, 99, 100, 120, 200])
  func `they fit the terminal and keep ids, verbs and events whole`(columns: Int) {
    let texts = [audit.table(columns: columns), deliveries.table(columns: columns)].map { $0.text(columns: columns) }
    for line in texts.joined().split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    #expect(texts[0].contains("prioritise  b7kq2mzr9x4t") && texts[1].contains("cancelled  b7kq2mzr9x4t"))
    #expect(texts[1].contains("12345678") && texts[0].contains("10:15"))
  }

  @Test func `without a terminal nothing is left out`() {
    let told = audit.table(columns: nil).text + deliveries.table(columns: nil).text
    for words in [
      "2026-11-25T10:15:02Z  annabelle@edit-station-1.example  10.20.30.41", "priority 0 → 10", "render-node-0000017.example",
      "refused 3 times: it takes the role operate", "job.cancelled",
      "next try 2026-11-25T10:20:02Z: it answers 503, which is no success", "delivered 2026-11-25T10:15:03Z",
    ] { #expect(told.contains(words), "\(words)") }
  }
}
