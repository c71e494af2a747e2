internal import Glibc
internal import Operations
internal import Synchronization
internal import WebServer

// The files that a job has written, whole and in ranges.
extension Console {
  /// The movie of a job that is done, or a part of it.
  func movie(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    return try Self.answer(
      reading.run { [movieRoots] farm throws(Complaint) in try OpenFile(farm.movie(job: id, below: movieRoots)) }, call)
  }

  /// A page of the list of the files that a job has written.
  func artefacts(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    let limit = try call.integer("limit", in: ArtefactNames.pages) ?? ArtefactNames.usualPage
    let text = call.text("cursor")
    guard let place = text.map({ ArtefactNames.Place($0) }) ?? ArtefactNames.Place() else {
      throw Complaint("cursor", "is not one that this server gave", .usage)
    }
    return try snapshots.response("artefacts\u{0}\(id)\u{0}\(limit)\u{0}\(text ?? "")") { () throws(Complaint) in
      JSONBody.response(try names(of: id).page(from: place, limit: limit, below: movieRoots))
    }
  }

  /// A file that a job has written beside its movie, the movie itself, or a part of it.
  func artefact(_ call: Call) throws(Complaint) -> WebResponse {
    try Self.answer(OpenFile(names(of: call.part("job")).open(call.part("name"), below: movieRoots)), call)
  }

  /// A file of the folder that a job's movie is, or a part of it.
  func artefactInFolder(_ call: Call) throws(Complaint) -> WebResponse {
    let name = "\(call.part("folder"))/\(call.part("name"))"
    return try Self.answer(OpenFile(names(of: call.part("job")).open(name, below: movieRoots)), call)
  }

  /// The names of the files of a job that is done. Players ask for many of one job.
  private func names(of id: String) throws(Complaint) -> ArtefactNames {
    let output = try reading.run { [movieRoots] farm throws(Complaint) in try farm.published(job: id, below: movieRoots) }
    // A job that is tried again may write to another place.
    if let known = artefactNames[id], known.output == output { return known }
    return artefactNames.keep(try playing.run { farm throws(Complaint) in try farm.artefactNames(job: id) }, of: id)
  }

  private static func answer(_ found: OpenFile, _ call: Call) throws(Complaint) -> WebResponse {
    guard found.file >= 0 else { throw Complaint(found.name, "it cannot be opened once more", .unavailable) }
    let facts = [
      ("Accept-Ranges", "bytes"), ("ETag", found.tag),
      ("Content-Disposition", "inline; filename*=UTF-8''\(percentEncoded(found.name))"),
    ]
    let wanted = call.request.headers["if-range"].map { $0 == found.tag } ?? true
    let range = wanted ? ByteRange(call.request.headers["range"], of: found.byteCount) : .whole
    switch range {
    case .whole:
      return WebResponse(200, found.type, file: found.file, 0..<found.byteCount, headers: facts)
    case .part(let bytes):
      let words = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(found.byteCount)"
      return WebResponse(206, found.type, file: found.file, bytes, headers: facts + [("Content-Range", words)])
    case .outside:
      close(found.file)
      return Problem(416, "range", "\(found.name) has \(found.byteCount) bytes").response
        .with("Content-Range", "bytes */\(found.byteCount)")
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
}

/// A file that is to be sent. Whoever sends it closes its descriptor.
private struct OpenFile: Sendable {
  let file: Int32
  let byteCount: Int64
  let tag: String
  let type: String
  let name: String

  init(_ found: OpenArtefact) {
    (file, byteCount, tag) = (found.duplicate(), found.byteCount, "\"\(found.version)\"")
    (type, name) = (found.mediaType, found.name)
  }
}

/// The names of the files of jobs that were asked for lately.
final class KeptArtefactNames: Sendable {
  private let entries = Mutex<[(job: String, names: ArtefactNames)]>([])

  /// The most jobs that are kept. One may have some thousand names.
  private static let most = 32

  subscript(job: String) -> ArtefactNames? { entries.withLock { $0.first { $0.job == job }?.names } }

  func keep(_ names: ArtefactNames, of job: String) -> ArtefactNames {
    entries.withLock { entries in
      entries.removeAll { $0.job == job }
      entries.append((job, names))
      if entries.count > Self.most { entries.removeFirst() }
      return names
    }
  }
}
