import FarmTesting
import Glibc
import Subprocess
import Testing

@Suite struct `A handout of descriptors` {
  @Test func `whoever connects gets all of them by their names, as often as he asks`() throws {
    try TemporaryDirectory.with { folder in
      let handout = try DescriptorHandout(in: folder, as: "job", for: geteuid(), Self.files(300))
      for _ in 0..<2 {
        let taken = try DescriptorHandout.take(from: folder, "job")
        #expect(taken.count == 300)
        #expect(try taken["file 7"]?.contents(limit: 100) == Array("bytes of 7".utf8))
      }
      withExtendedLifetime(handout) {}
    }
  }

  @Test func `its socket goes with it, and one that a killed process left is removed`() throws {
    try TemporaryDirectory.with { folder in
      var handout: DescriptorHandout? = try DescriptorHandout(in: folder, as: "job", for: geteuid(), Self.files(1))
      DescriptorHandout.removeLeft(in: folder, ["job"])
      #expect(unsafe access(folder + "/job", F_OK) == 0, "somebody hands out")
      handout = nil
      #expect(unsafe handout == nil && access(folder + "/job", F_OK) != 0)
      #expect(throws: SubprocessError("connect", ENOENT, "job")) { try DescriptorHandout.take(from: folder, "job") }
      let left = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: (folder + "/left").utf8) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let bound = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(left, $0, size) }
      }
      try #require(bound == 0)
      close(left)
      DescriptorHandout.removeLeft(in: folder, ["left"])
      #expect(unsafe access(folder + "/left", F_OK) != 0)
    }
  }

  @Test(.enabled("only root can be another user") { geteuid() == 0 })
  func `no user but the one that it is for may connect`() throws {
    try TemporaryDirectory.with { folder in
      let handout = try DescriptorHandout(in: folder, as: "job", for: 65_534, Self.files(1))
      let script = """
        import array, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
          s.connect(sys.argv[1])
          data, control, _, _ = s.recvmsg(100, 1000)
          print(data.decode(), len(control) > 0)
        except PermissionError:
          print("refused")
        """
      func ask(as user: Int) throws -> String? {
        let words = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/python3", "-c", script, folder + "/job"]
        return try Command("/usr/bin/setpriv", words).run(timeoutMilliseconds: 20_000)?.output
      }
      #expect(try ask(as: 65_534) == "file 0 True\n")
      #expect(try ask(as: 1) == "refused\n")
      withExtendedLifetime(handout) {}
    }
  }

  private static func files(_ count: Int) throws -> [(name: String, descriptor: Descriptor)] {
    try (0..<count).map { (name: "file \($0)", descriptor: try Descriptor.memory(Array("bytes of \($0)".utf8))) }
  }
}

@Suite struct `An account` {
  @Test func `it is found by name or number, and told by numbers that are not root's`() {
    #expect(Account("nobody") == Account("65534"))
    #expect(Account("no such user") == nil && Account("4000000000") == nil)
    #expect(Account(numbers: "12:34") == Account(name: "12:34", user: 12, group: 34))
    for text in ["", "0:5", "5:0", "5", "5:6:7", "-1:5", "a:b"] { #expect(Account(numbers: text) == nil, "\(text)") }
  }
}
