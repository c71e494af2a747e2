import Console
import Operations
import Testing
import WebServer

@Suite struct `Shared answers` {
  @Test func `are made once for all who ask`() throws {
    let snapshots = Snapshots()
    var makings = 0
    for _ in 0..<3 {
      _ = try snapshots.response("a") { () throws(Complaint) in
        makings += 1
        return WebResponse(200, "text/plain", [1, 2, 3])
      }
    }
    #expect(makings == 1 && snapshots.byteCount == 3)
  }

  @Test func `hold no more memory than a few large ones, however many are asked for`() throws {
    let snapshots = Snapshots()
    let large = [UInt8](repeating: 0, count: 32 << 20)
    for number in 0..<9 {
      let response = try snapshots.response("\(number)") { () throws(Complaint) in WebResponse(200, "text/plain", large) }
      #expect(response.bytes.count == large.count)
      #expect(snapshots.byteCount <= 128 << 20)
    }
    // The newest is shared all the same, also one that is larger than all together may be.
    let huge = [UInt8](repeating: 0, count: 129 << 20)
    for _ in 0..<2 { _ = try snapshots.response("huge") { () throws(Complaint) in WebResponse(200, "text/plain", huge) } }
    #expect(snapshots.byteCount == huge.count)
  }
}
