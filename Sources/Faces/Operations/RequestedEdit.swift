internal import Document
internal import EditFiles
internal import Examination
internal import Formats
internal import Media
internal import Timeline

/// A request to make a movie of an edit: a render on this machine's own farm, or a job for another one.
protocol EditRequest {
  /// The path of the edit's document.
  var document: String { get }
  /// The path of the movie; empty where a plan is asked for without one.
  var output: String { get }
  /// Further places of the movie.
  var copies: [String] { get }
  /// The export settings that replace the document's own.
  var wish: ExportWish { get }
  /// Whether a file that has the movie's name is replaced.
  var overwrites: Bool { get }
  /// Whether the movie will be read from front to back, by a reader that cannot go back in it.
  var isPiped: Bool { get }

  /// Refuses options that do not go together.
  func requireSense() throws(Complaint)
}

extension RenderRequest: EditRequest {}
extension SubmitRequest: EditRequest {
  var isPiped: Bool { false }
}

/// The document and the place of the movie of a request, before any media were read.
struct RequestedEdit {
  /// The place of the movie; nil where a plan is asked for without one.
  let destination: Destination?
  /// The further places of the movie.
  let copies: [Destination]
  let file: DocumentFile
  /// The setting in which the document's media may be read.
  let setting: ExaminationSetting
  /// The paths of the document, of its media and of its caption files, none of which may be a place of the movie.
  let sources: [String]
  /// The warnings about places of the movie that could not be checked.
  let warnings: [FaultRecord]

  /// Reads the document, and checks what can be checked without its media.
  ///
  /// - Parameters:
  ///   - assets: becomes the document's assets, by which later complaints name their places.
  ///   - isPlan: whether the request is to be planned, and may have no place for its movie.
  /// - Throws: a complaint about the request, the document's file, the output or the account that reads media.
  init(
    _ request: some EditRequest, reading media: MediaAccess, _ assets: inout [ProbedAssets.Asset], isPlan: Bool = false
  ) throws {
    try request.requireSense()
    if isPlan, request.output.isEmpty {
      guard request.copies.isEmpty else { throw Complaint("output", "is missing, and further places are named", .usage) }
      (destination, copies, warnings) = (nil, [], [])
      file = try DocumentFile(path: request.document).wishing(request.wish, fileType: nil)
      assets = file.assets
      setting = try media.setting(file)
      sources = []
      return
    }
    let destination = try Destination(request.output, overwrites: request.overwrites, isMovie: true)
    self.destination = destination
    file = try DocumentFile(path: request.document)
      .wishing(request.wish, fileType: destination.fileType, names: destination.files?.pattern)
    assets = file.assets
    if request.isPiped, file.document.faults == nil, let reason = file.document.export.objectionToPipe {
      throw Complaint("-o", reason, .usage)
    }
    if request.isPiped, file.document.faults == nil, file.document.export.checksum != nil {
      throw Complaint("-o", "export.checksum writes a file beside the movie, and standard output has no place for it", .usage)
    }
    try destination.requireName(for: file.document)
    try destination.requireChecksum(for: file.document, overwrites: request.overwrites)
    let sources = assets.map(\.path) + [request.document]
    if let first = request.copies.first, request.isPiped {
      throw Complaint(first, "is a second place beside standard output: name files", .usage)
    }
    copies = try destination.copies(
      request.copies, of: file.document, overwrites: request.overwrites, sources: sources)
    var warnings: [FaultRecord] = []
    for place in [destination] + copies {
      if let warning = try place.requireObject(for: file.document, overwrites: request.overwrites) { warnings.append(warning) }
    }
    self.warnings = warnings
    try destination.requireNone(of: sources)
    setting = try media.setting(file)
    self.sources = sources + file.document.captionFiles.map(\.path)
  }

  /// All places of the movie, the first one first.
  var places: [Destination] { (destination.map { [$0] } ?? []) + copies }
}

extension EditFile {
  /// Refuses an edit for which this machine's FFmpeg has no encoder.
  func requireEncodersHere() throws(EditFileError) {
    try requireEncoders { Encoders.have($0) ? nil : "this machine's FFmpeg has no encoder '\($0)'" }
  }
}
