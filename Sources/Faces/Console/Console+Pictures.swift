internal import FoundationEssentials
internal import Glibc
internal import Operations
internal import WebServer

// Pictures of jobs and of documents, and movies.
extension Console {
  /// The movie of a job that is done, or a part of it.
  func movie(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    let movie = try reading.run { [movieRoots] farm throws(Complaint) in
      let movie = try farm.movie(job: id, below: movieRoots)
      return (
        file: movie.duplicate(), byteCount: movie.byteCount, tag: "\"\(movie.version)\"", type: movie.mediaType, name: movie.name
      )
    }
    guard movie.file >= 0 else { throw Complaint(id, "its movie cannot be opened once more", .unavailable) }
    let facts = [
      ("Accept-Ranges", "bytes"), ("ETag", movie.tag),
      ("Content-Disposition", "inline; filename*=UTF-8''\(Self.percentEncoded(movie.name))"),
    ]
    let wanted = call.request.headers["if-range"].map { $0 == movie.tag } ?? true
    let range = wanted ? ByteRange(call.request.headers["range"], of: movie.byteCount) : .whole
    switch range {
    case .whole:
      return WebResponse(200, movie.type, file: movie.file, 0..<movie.byteCount, headers: facts)
    case .part(let bytes):
      let words = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(movie.byteCount)"
      return WebResponse(206, movie.type, file: movie.file, bytes, headers: facts + [("Content-Range", words)])
    case .outside:
      close(movie.file)
      return Problem(416, "range", "the movie has \(movie.byteCount) bytes").response
        .with("Content-Range", "bytes */\(movie.byteCount)")
    }
  }

  /// The name as a header may have it (RFC 8187).
  private static func percentEncoded(_ name: String) -> String {
    name.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  /// One frame of the edit as PNG.
  func frame(_ call: Call) throws(Complaint) -> WebResponse { try frame(call, of: call.request.body) }

  /// One frame of a job's edit as PNG.
  func frameOfJob(_ call: Call) throws(Complaint) -> WebResponse { try frame(call, of: document(call)) }

  func contactSheet(_ call: Call) throws(Complaint) -> WebResponse { try contactSheet(call, of: call.request.body) }

  func contactSheetOfJob(_ call: Call) throws(Complaint) -> WebResponse { try contactSheet(call, of: document(call)) }

  private func document(_ call: Call) throws(Complaint) -> [UInt8] {
    let id = call.part("job")
    return try reading.run { farm throws(Complaint) in try farm.document(job: id) }
  }

  private func frame(_ call: Call, of document: [UInt8]) throws(Complaint) -> WebResponse {
    let index = try call.integer("index", in: 0...Int(Int32.max))
    return try withDocument(document) { path throws(Complaint) in
      let picture = "\(path).png"
      defer { unsafe unlink(picture) }
      let written = try media().frame(FrameRequest(document: path, output: picture, time: call.text("time"), index: index))
      return try Self.png(picture).with("Spool-Frame-Index", "\(written.index)").with("Spool-Frame-Time", "\(written.time)")
    }
  }

  /// Frames at equal distances side by side as PNG.
  private func contactSheet(_ call: Call, of document: [UInt8]) throws(Complaint) -> WebResponse {
    let count = try call.integer("count", in: ContactSheetRequest.counts)
    let columns = try call.integer("columns", in: ContactSheetRequest.columnCounts)
    let width = try call.integer("width", in: ContactSheetRequest.widths)
    return try withDocument(document) { path throws(Complaint) in
      let picture = "\(path).png"
      defer { unsafe unlink(picture) }
      var request = ContactSheetRequest(document: path, output: picture)
      request.count = count ?? request.count
      request.columns = columns ?? request.columns
      request.width = width ?? request.width
      let written = try media().contactSheet(request)
      return try Self.png(picture).with("Spool-Columns", "\(written.columns)")
        .with("Spool-Frame-Times", written.frames.map { "\($0.time)" }.joined(separator: " "))
    }
  }

  private static func png(_ path: String) throws(Complaint) -> WebResponse {
    try complaining { WebResponse(200, "image/png", Array(try Data(contentsOf: URL(filePath: path)))) }
  }

  /// All that is known of a job as an HTML file, to be kept.
  func report(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    let text = try detailing.run { farm throws(Complaint) in try farm.paper(job: id) }
    return WebResponse(200, "text/html; charset=utf-8", Array(text.utf8))
      .with("Content-Disposition", "attachment; filename=\"\(id).html\"")
  }
}
