internal import FoundationEssentials
internal import Glibc
internal import Operations
internal import WebServer

// Pictures of jobs and of documents.
extension Console {
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
