internal import Drawing
internal import Formats
internal import Glibc
internal import Ledger
internal import Linux
internal import LocalFarm
internal import Media
internal import Subprocess

/// The parts of a farm on this machine that somebody wants checked, beside the machine itself.
package struct CheckupRequest: Hashable, Sendable, Codable {
  /// The data folder of a private farm; nil when it is not known.
  package var data: String?
  /// The folder that workers share, or none.
  package var store: String?
  package var mediaRoots: [String] = []

  package init(data: String?) { self.data = data }
}

/// One thing that was checked.
package struct Finding: Hashable, Sendable, Codable {
  package enum State: String, Hashable, Sendable, Codable {
    /// It is as it should be.
    case fine
    /// The farm works without it, but something is missing or slower.
    case notice
    /// The farm does not work like this.
    case fault
  }

  /// The thing in a word or two, such as "containment".
  package var subject: String
  package var state: State
  package var text: String
  /// The remedy; nil where none is needed.
  package var advice: String?

  package init(_ subject: String, _ state: State, _ text: String, advice: String? = nil) {
    (self.subject, self.state, self.text, self.advice) = (subject, state, text, advice)
  }

  /// A thing that is as it should be.
  package init(_ subject: String, _ text: String) { self.init(subject, .fine, text) }

  /// A fault with the words of a complaint.
  package init(_ subject: String, fault: Complaint, _ advice: String) {
    self.init(subject, .fault, fault.description, advice: advice)
  }
}

/// Checks of this machine. They read no medium, and write only a file in each folder that is written to, which they remove.
package enum Checkup {
  /// - Parameter environment: the environment of this process.
  package static func machine(_ request: CheckupRequest, environment: [String: String]) -> [Finding] {
    // This library is loaded when it is first needed. It is to be among those that are told.
    let hasFilters = FilterLibrary.isThere
    var findings = [memory(), openFiles(), containment(), libraries(LoadedLibrary.ofThisProcess), encoders(Encoders.have)]
    if !hasFilters {
      findings.append(
        Finding(
          "filters", .fault, "FFmpeg's libavfilter is missing",
          advice: "edits of interlaced pictures, and GIF, fail: install libavfilter8"))
    }
    findings += [fonts(), postgres(environment["PATH"] ?? "")]
    if let data = request.data { findings.append(folder("data folder", data, mayBeMissing: true)) }
    if let store = request.store { findings.append(folder("store", store, mayBeMissing: false)) }
    findings += request.mediaRoots.map { root in
      do throws(Complaint) {
        try requireDirectory(root, R_OK | X_OK, else: .noInput)
        return Finding("media root", root)
      } catch {
        return Finding("media root", fault: error, "mount it, or let this user read it")
      }
    }
    return findings
  }

  private static let gibibyte = Double(1 << 30)

  private static func memory() -> Finding {
    let bytes = Double(sysconf(Int32(_SC_PHYS_PAGES))) * Double(sysconf(Int32(_SC_PAGESIZE)))
    let words = "\(coreCount) \(coreCount == 1 ? "core" : "cores"), \(oneDecimal(bytes / gibibyte)) GiB of memory"
    guard bytes < Double(coreCount) * gibibyte else { return Finding("machine", words) }
    return Finding(
      "machine", .notice, words, advice: "less than 1 GiB a core: give workers fewer slots (--slots), or edits of 4K may not fit")
  }

  private static func openFiles() -> Finding {
    var limit = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let words = "\(limit.rlim_max) open files at most"
    guard limit.rlim_max < 4096 else { return Finding("open files", words) }
    return Finding("open files", .notice, words, advice: "raise the hard limit to 4096 or more (LimitNOFILE=, ulimit -Hn)")
  }

  private static func containment() -> Finding {
    let missing = Confinement.Part.allCases.filter { !Confinement.available.contains($0) }
    guard !missing.isEmpty else { return Finding("containment", "what reads media is kept from files, network and processes") }
    return Finding(
      "containment", .notice,
      "this kernel does not keep what reads media from: \(missing.map(\.rawValue).joined(separator: ", "))",
      advice: "use Linux 5.13 or newer with Landlock and seccomp before you render media of strangers (docs/security.md)")
  }

  /// - Parameter have: whether FFmpeg has the encoder of a name.
  package static func encoders(_ have: (String) -> Bool) -> Finding {
    let names = Set(VideoCodec.allCases.map(\.usual.coder.encoderName) + AudioCodec.allCases.map(\.usual.coder.encoderName))
    let missing = names.filter { !have($0) }.sorted()
    guard !missing.isEmpty else { return Finding("encoders", "all \(names.count)") }
    return Finding(
      "encoders", .notice, "FFmpeg lacks \(missing.joined(separator: ", "))",
      advice: "exports with these are not given to this machine; Debian's libavcodec-extra has more of them")
  }

  private static func fonts() -> Finding {
    do {
      let count = try InstalledFonts().faceCount
      guard count > 0 else {
        return Finding(
          "fonts", .notice, "there are none", advice: "edits with text fail: install fonts-dejavu-core, for instance")
      }
      return Finding("fonts", "\(count) faces")
    } catch { return Finding("fonts", .fault, "\(error)", advice: "reinstall fontconfig") }
  }

  private static func postgres(_ path: String) -> Finding {
    do throws(PostgreSQLClusterError) {
      return Finding("PostgreSQL", try PostgreSQLClusterPrograms.find(version: nil, path: path).directory)
    } catch {
      return Finding("PostgreSQL", .notice, "\(error)", advice: "only 'spool render' needs its programs here: install postgresql")
    }
  }

  /// Checks that files can be made, synced and renamed in a folder, and how much room it has.
  ///
  /// - Parameter mayBeMissing: whether the folder is made when it is first needed. The one above it is checked then.
  private static func folder(_ subject: String, _ path: String, mayBeMissing: Bool) -> Finding {
    var folder = path
    while mayBeMissing, unsafe access(folder, F_OK) != 0, FilePath.folder(of: folder) != folder {
      folder = FilePath.folder(of: folder)
    }
    do throws(Complaint) {
      try requireDirectory(folder, R_OK | W_OK | X_OK, else: .cannotCreate)
      try tryFile(in: folder)
    } catch {
      return Finding(subject, fault: error, "let this user write there, or name another folder")
    }
    var facts = statvfs()
    guard unsafe statvfs(folder, &facts) == 0 else {
      return Finding(subject, fault: Complaint(folder, SystemWords.of(errno), .cannotCreate), "mount it")
    }
    let free = Double(facts.f_bavail) * Double(facts.f_frsize) / gibibyte
    let words = "\(path), \(oneDecimal(free)) GiB free"
    guard free < 2 else { return Finding(subject, words) }
    return Finding(subject, .notice, words, advice: "make room: each job's encoded chunks lie there until its movie is done")
  }

  private static func tryFile(in folder: String) throws(Complaint) {
    let (first, second) = ("\(folder)/.spool-doctor.\(getpid())", "\(folder)/.spool-doctor.\(getpid()).renamed")
    func refuse(_ what: String) -> Complaint { Complaint(folder, "\(what): \(SystemWords.of(errno))", .cannotCreate) }
    let descriptor = unsafe open(first, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refuse("no file can be made there") }
    defer {
      close(descriptor)
      unsafe unlink(first)
      unsafe unlink(second)
    }
    guard unsafe Glibc.write(descriptor, "spool", 5) == 5, fsync(descriptor) == 0 else {
      throw refuse("no file can be written there")
    }
    guard unsafe rename(first, second) == 0 else { throw refuse("no file can be renamed there") }
  }

  /// The most seconds by which clocks may differ. Certificates and signatures of webhooks leave some minutes.
  private static let clockSlack = 5.0

  /// - Parameter seconds: how far this machine's clock is ahead of the database's, to about a second.
  package static func clock(ahead seconds: Double) -> Finding {
    guard abs(seconds) > clockSlack else { return Finding("clock", "this machine's and the database's agree") }
    // The bound keeps the number in the range of Int.
    let apart = Int(min(abs(seconds).rounded(), 1e10))
    return Finding(
      "clock", .notice, "this machine's is \(apart) s \(seconds < 0 ? "behind" : "ahead of") the database's",
      advice: "set both by NTP: certificates, signatures of webhooks and the ages in lists go by them")
  }

  private static func oneDecimal(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

extension Farm {
  /// Checks the farm's database, and whether anybody leads and works.
  package func checkup() -> [Finding] {
    do {
      let (farm, coordinators) = (try ledger.farm(), try ledger.coordinators())
      return [Finding("database", "it is reached, and has the schema of this program"), Self.lead(of: farm, coordinators)]
        + [Self.workers(of: farm), Checkup.clock(ahead: Double(UTCTime.now) - (try ledger.databaseTime()))]
        + (farm.drainedAt.map {
          [Finding("work", .notice, "nothing is given out since \($0)", advice: "'spool undrain' ends that")]
        }
          ?? [])
    } catch {
      return [Finding("database", fault: Complaint(about: error), Self.advice(about: error))]
    }
  }

  private static func advice(about error: any Error) -> String {
    switch error as? LedgerError {
    case .corrupt: "check that --database names the farm's, and that this program is as new as the farm's"
    case .forbidden: "check the user and the role that --database names"
    case .unavailable, .refused, .deposed, .outputTaken, nil:
      "check --database, and that its server runs and lets this machine in"
    }
  }

  private static func lead(of farm: FarmStatus, _ coordinators: [CoordinatorStatus]) -> Finding {
    guard farm.isLed, let leader = farm.leader else {
      return Finding("coordinators", .fault, "none leads", advice: "start 'spool coordinator' on this database")
    }
    let others = coordinators.count { $0.state == "follows" }
    guard others > 0 else {
      return Finding(
        "coordinators", .notice, "\(leader) leads, and nobody stands by",
        advice: "start a second one: it leads when this one ends")
    }
    return Finding("coordinators", "\(leader) leads, \(others) stand by")
  }

  private static func workers(of farm: FarmStatus) -> Finding {
    guard farm.workersAlive > 0 else {
      return Finding("workers", .fault, "none is connected", advice: "start 'spool worker'; its log says when it is not answered")
    }
    return Finding("workers", "\(farm.workersAlive) with \(farm.slots) slots")
  }
}
