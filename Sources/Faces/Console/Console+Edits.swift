internal import Document
internal import FoundationEssentials
internal import Glibc
internal import Ledger
internal import Linux
internal import Operations
internal import Synchronization
internal import Timeline
internal import WebServer

extension Console {
  func validate(_ call: Call) throws(Complaint) -> WebResponse {
    try withDocument(call.request.body) { path throws(Complaint) in JSONBody.response(try media().validate(path)) }
  }

  /// Checks a job as its submission does, and enters nothing.
  func plan(_ call: Call) throws(Complaint) -> WebResponse {
    try withDocument(call.request.body) { path throws(Complaint) in
      var request = try self.request(call, path)
      request.against = call.text("against")
      let (asked, access) = (request, media)
      return JSONBody.response(try submitting.run { farm throws(Complaint) in try farm.plan(asked, reading: access()) })
    }
  }

  func submit(_ call: Call) throws(Complaint) -> WebResponse {
    try withDocument(call.request.body) { path throws(Complaint) in
      let request = try self.request(call, path, isDeed: true)
      let access = media
      let desk = request.replaces == nil ? submitting : changing
      let job = try desk.run(as: call.deskCaller) { farm throws(Complaint) in
        try farm.submit(request, reading: access()) { _ in }
      }
      return JSONBody.response(job, status: 201).with("Location", "\(Route.api)/jobs/\(job.job)")
    }
  }

  /// - Parameter isDeed: whether a job is to be entered, and not only planned. Then a refusal is in the audit.
  private func request(_ call: Call, _ path: String, isDeed: Bool = false) throws(Complaint) -> SubmitRequest {
    let output = call.text("output") ?? ""
    // A plan needs no place for its movie.
    guard FilePath.isAbsolute(output) || output.hasPrefix("s3://") || (output.isEmpty && !isDeed) else {
      throw Complaint("output", "required: the absolute path of the movie, or its place in S3", .usage)
    }
    var request = SubmitRequest(document: path, output: output)
    if let copies = call.text("copies") {
      // What is no such array is refused below.
      let places = try? JSONDecoder().decode([String].self, from: Data(copies.utf8))
      guard let places, places.allSatisfy({ FilePath.isAbsolute($0) || $0.hasPrefix("s3://") }) else {
        throw Complaint("copies", "is to be an array of absolute paths, or places in S3, in JSON", .usage)
      }
      request.copies = places
    }
    request.chunkFrames = try call.integer("chunkFrames", in: SubmitRequest.chunkSizes)
    request.slots = try call.integer("slots", in: SubmitRequest.slotCounts)
    request.memory = try call.integer("memory", in: SubmitRequest.memories)
    request.priority = try call.integer("priority", in: JobSteering.priorities) ?? 0
    guard request.priority <= 0 || call.caller.role == .operate else {
      let reason = "a priority above 0 takes the role operate"
      if isDeed { note(refused: Deed("submit"), by: call.deskCaller, reason) }
      throw Complaint("priority", reason, .notPermitted)
    }
    request.replaces = call.text("replaces")
    guard request.replaces == nil || call.caller.role == .operate else {
      let reason = "to replace a job takes the role operate"
      if isDeed { note(refused: Deed("submit"), by: call.deskCaller, reason) }
      throw Complaint("replaces", reason, .notPermitted)
    }
    request.tags = (call.text("tags") ?? "").split(separator: ",").map(String.init)
    (request.keepsSegments, request.isDivisible) = (try call.flag("keep", else: false), try call.flag("split", else: true))
    request.overwrites = try call.flag("overwrite", else: true)
    // Only an operator may submit in the name of others. A caller without a token is known by where he comes from.
    let own = call.caller.name ?? "console@\(call.request.peer)"
    request.submitter = call.caller.role == .operate ? call.text("submitter") ?? own : own
    request.id = try call.request.headers["idempotency-key"].map { key throws(Complaint) in try Self.id(key, of: own) }
    return request
  }

  /// The job's id for a key. The same key of the same caller is the same job, so a request that is sent again enters no second
  /// one.
  private static func id(_ key: String, of caller: String) throws(Complaint) -> String {
    guard 1...255 ~= key.utf8.count else { throw Complaint("Idempotency-Key", "is to have 1 to 255 bytes", .usage) }
    let alphabet = Array("bcdfghjkmnpqrstvwxyz23456789")
    let digest = SecretDigest(of: "\(caller)\u{0}\(key)").values
    return String(digest.prefix(24).map { alphabet[Int($0) % alphabet.count] })
  }

  /// The most edits that are examined at once. Each has a process of its own, with memory and processors.
  private static let mostExaminations = 2

  /// Runs `body` with the path of a file that holds a document.
  func withDocument(
    _ document: [UInt8], _ body: (_ path: String) throws(Complaint) -> WebResponse
  ) throws(Complaint) -> WebResponse {
    guard examinations.add(1, ordering: .relaxed).newValue <= Self.mostExaminations else {
      examinations.subtract(1, ordering: .relaxed)
      return Problem(503, "busy", "\(Self.mostExaminations) edits are being read; try again").response.with("Retry-After", "1")
    }
    defer { examinations.subtract(1, ordering: .relaxed) }
    try Self.requireAbsolutePaths(document)
    let path = "\(folder)/\(UInt64.random(in: 0 ... .max)).json"
    defer { unsafe unlink(path) }
    try complaining {
      guard FileManager.default.createFile(atPath: path, contents: Data(document)) else {
        throw Complaint(folder, "cannot be written", .cannotCreate)
      }
    }
    return try body(path)
  }

  /// Refuses paths that count from the document's folder, because a document that was sent has none.
  private static func requireAbsolutePaths(_ bytes: [UInt8]) throws(Complaint) {
    // A text that is no document is refused with all its faults where it is read.
    guard let document = try? Document(bytes) else { return }
    let assets = document.assets.sorted { $0.key < $1.key }.compactMap { id, asset -> (place: String, path: String)? in
      if case .file(let path) = asset { ("assets.\(id)", path) } else { nil }
    }
    let captions = document.captionFiles.map { (place: $0.place, path: $0.path) }
    let animations = document.lottieFiles.map { (place: $0.place, path: $0.path) }
    let relative = (assets + captions + animations).filter { !FilePath.isAbsolute($0.path) }.map { place, path in
      FaultRecord(path: place, kind: "path", text: "'\(path)' is to be an absolute path: the document has no folder here")
    }
    guard relative.isEmpty else { throw Complaint(told: relative, .badDocument) }
  }
}
