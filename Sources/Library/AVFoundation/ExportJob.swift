internal import Document
internal import Formats
internal import MediaTime
internal import SpoolCalls
internal import Timeline

/// A document on disk, the movie that it becomes, and the files of its layers' pictures. The folder goes with the job.
final class ExportJob: Sendable {
  private let temporary: TemporaryFolder
  private let media: [String: URL]
  private let timeline: Timeline
  /// The media's files that the program reads in their places.
  private let files: [KeptFile]
  /// The program that renders: this one where the edit has compositors of this program, else `spool`.
  let program: SpoolCall.Program

  /// Writes the document.
  ///
  /// - Parameter lent: the copies of files without names that several jobs share; nil for copies of this job's own.
  init(_ request: Lowering.Request, lent: LentFiles? = nil) throws(AVError) {
    temporary = try TemporaryFolder(for: "export")
    let folder = temporary.path
    do {
      var lowering = try Lowering(request, folder: folder)
      lowering.replacesGoneFiles = true
      timeline = try lowering.timeline()
      files = lowering.files
      program = timeline.compositorUses.isEmpty ? .spool : .own
      media = Dictionary(
        uniqueKeysWithValues: timeline.assets.map { name, asset in
          switch asset {
          case .file(let path): (name.rawValue, URL(fileURLWithPath: path))
          case .remote(let url): (name.rawValue, URL(string: url.text) ?? URL(fileURLWithPath: url.text))
          case .embedded(let data): (name.rawValue, URL(string: data.text) ?? URL(fileURLWithPath: data.description))
          }
        })
      for picture in lowering.pictures {
        try picture.image.encoded.write(to: URL(fileURLWithPath: lowering.path(of: picture.name, picture.image)))
      }
      for (file, path) in lowering.goneFiles {
        if let lent { try lent.lend(file, at: path) } else { try file.copy(to: path) }
      }
      try Data(timeline.canonicalJSON()).write(to: URL(fileURLWithPath: folder + "/edit.json"))
    } catch let error as AVError {
      throw error
    } catch { throw AVError(.diskFull, "\(folder): the edit cannot be written: \(error)") }
  }

  /// The folder of the document and of the files that it names.
  var folder: String { temporary.path }
  var document: String { folder + "/edit.json" }

  /// Refuses what was made while another file took a medium's name, or a medium was written to: nobody knows which of the two it shows.
  func checkFiles() throws(AVError) {
    for file in files {
      let state = file.state
      guard state == .replaced || state == .overwritten else { continue }
      throw file.fault("was \(state == .replaced ? "replaced by another file" : "written to") while it was read")
    }
  }

  /// Renders the movie. Where its name promises another file type, it is made beside that name, with an ending of its own, and renamed:
  /// AVFoundation goes by `outputFileType` alone, and the program refuses such names.
  func render(
    to url: URL, on farm: String?, limit: Int64 = 0, isWanted: @escaping () -> Bool, progress: (Float) -> Void
  ) throws(AVError) {
    let (type, ending) = (timeline.export.fileType, url.pathExtension.lowercased())
    guard !type.endings.contains(ending), FileType.allCases.contains(where: { $0.endings.contains(ending) }),
      let own = type.endings.first
    else { return try rendered(to: url, on: farm, limit: limit, isWanted: isWanted, progress: progress) }
    let beside = url.appendingPathExtension(own)
    try rendered(to: beside, on: farm, limit: limit, isWanted: isWanted, progress: progress)
    do { try FileManager.default.moveItem(at: beside, to: url) } catch {
      throw AVError(.unknown, "\(beside.path): cannot be renamed to \(url.lastPathComponent): \(error)", url: url)
    }
  }

  /// Renders the movie under a name that its file type has.
  ///
  /// A limit is kept by a second movie, whose bits are shared out, where the first one, of the preset's quality, is too long.
  ///
  /// - Parameters:
  ///   - farm: the database of a farm; nil for the one that SPOOL_DATABASE names, else this machine's own farm.
  ///   - limit: the most bytes that the movie may have; 0 for any number.
  private func rendered(
    to url: URL, on farm: String?, limit: Int64, isWanted: @escaping () -> Bool, progress: (Float) -> Void
  ) throws(AVError) {
    guard limit > 0 else { return try render(document, to: url, on: farm, isWanted: isWanted, progress: progress) }
    try render(document, to: url, on: farm, isWanted: isWanted) { progress($0 / 2) }
    let size = url.fileLength
    guard size > limit else { return }
    // Where it cannot be removed, the second movie finds it there, and says so.
    try? FileManager.default.removeItem(at: url)
    let shorter = try limited(limit, size)
    try render(shorter, to: url, on: farm, isWanted: isWanted) { progress(0.5 + $0 / 2) }
    guard url.fileLength > limit else { return }
    let words = "fileLengthLimit: the movie has \(url.fileLength) bytes, and \(limit) are allowed"
    try? FileManager.default.removeItem(at: url)  // The failure to tell is the limit's.
    throw AVError(.maximumFileSizeReached, words, property: "fileLengthLimit")
  }

  /// Writes a document of the same edit whose movie has at most so many bytes.
  private func limited(_ limit: Int64, _ size: Int64) throws(AVError) -> String {
    var timeline = timeline
    let hasPicture = timeline.composition.tracks.contains { $0.media == .video }
    guard hasPicture, [.h264, .hevc].contains(timeline.export.video.codec) else {
      let codec = hasPicture ? timeline.export.video.codec.rawValue : "sound"
      throw AVError(
        .maximumFileSizeReached,
        "fileLengthLimit: the movie would have \(size) bytes, and \(limit) are allowed: \(codec) is not made shorter",
        property: "fileLengthLimit")
    }
    (timeline.export.video.copy, timeline.export.audio.copy) = (.never, .never)
    timeline.export.video.coding.set(
      "fileSize", to: .number((Double(limit) / (1 + RateTarget.tolerance)).rounded(.down)))
    let path = folder + "/limited.json"
    do { try Data(timeline.canonicalJSON()).write(to: URL(fileURLWithPath: path)) } catch {
      throw AVError(.diskFull, "\(path): cannot be written: \(error)")
    }
    return path
  }

  private func render(
    _ document: String, to url: URL, on farm: String?, isWanted: @escaping () -> Bool, progress: (Float) -> Void
  ) throws(AVError) {
    let output = ["-o", url.path, "--no-overwrite", "--json"]
    let advance = { (line: String) in
      // Lines of other kinds have no frames.
      guard let told = try? JSONDecoder().decode(Progress.self, from: Data(line.utf8)), told.frameCount > 0 else { return }
      progress(min(1, Float(told.framesDone) / Float(told.frameCount)))
    }
    do throws(CallFailure) {
      guard let farm = farm ?? SpoolCall.namedFarm else {
        return try SpoolCall(["render", document] + output, program: program).run(isWanted: isWanted, line: advance)
      }
      let job = try submitted(document, to: farm, output)
      do throws(CallFailure) {
        try SpoolCall(["watch", job, "--json"], farm: farm, program: program).run(isWanted: isWanted, line: advance)
      } catch {
        // A job that ended meanwhile has nothing left to cancel. What is told is why the watch ended.
        if !isWanted() { _ = try? SpoolCall(["cancel", job], farm: farm, program: program).output() }
        throw error
      }
    } catch { throw avError(error) }
    do { try checkFiles() } catch {
      // Where the movie cannot be removed, the failure says more.
      try? FileManager.default.removeItem(at: url)
      throw error
    }
  }

  /// Gives the edit to a farm. A cancelled export waits for the answer, because nobody could cancel a job whose id is not known.
  ///
  /// - Returns: the job's id.
  private func submitted(_ document: String, to farm: String, _ output: [String]) throws(CallFailure) -> String {
    var last = ""
    try SpoolCall(["submit", document] + output, farm: farm, program: program).run { last = $0 }
    do { return try JSONDecoder().decode(Submission.self, from: Data(last.utf8)).job } catch {
      throw CallFailure("spool submit: its answer cannot be read: \(last)")
    }
  }

  /// Makes the frame that is shown at a time.
  ///
  /// - Returns: a PNG, and the time at which the frame begins.
  func frame(at time: MediaTime) throws(AVError) -> (png: Data, begin: MediaTime) {
    let path = "\(folder)/frame-\(UUID().uuidString).png"
    let said: String
    do { said = try SpoolCall(["frame", document, "--at", "\(time)", "-o", path, "--json"], program: program).output() } catch {
      throw avError(error)
    }
    try checkFiles()
    do {
      let frame = try JSONDecoder().decode(Frame.self, from: Data(said.utf8))
      return (try Data(contentsOf: URL(fileURLWithPath: path)), frame.time)
    } catch { throw AVError(.unknown, "\(path): the picture cannot be read") }
  }

  private struct Frame: Decodable { var time: MediaTime }

  private struct Submission: Decodable { var job: String }

  private struct Progress: Decodable {
    var framesDone: Int
    var frameCount: Int
  }

  /// The failure in AVFoundation's codes. Places in the document become the media's own.
  func avError(_ failure: CallFailure) -> AVError {
    let path = failure.faults.first?.path ?? ""
    let code: AVError.Code =
      switch failure.exitCode {
      case 130: .operationCancelled
      case 65 where path.contains(".compositor."): .videoCompositorFailed
      case 65 where path.hasPrefix("videoComposition"): .invalidVideoComposition
      case 65 where path.hasPrefix("assets."), 66: .decodeFailed
      default: .exportFailed
      }
    let name = failure.asset ?? (path.hasPrefix("assets.") ? String(path.dropFirst(7)) : nil)
    let url = name.flatMap { media[$0] }
    let seconds = failure.time.flatMap(Double.init)
    let text = failure.description.isEmpty ? "the export was cancelled" : failure.description
    return AVError(
      code, url.map { "\($0.mediaPlace): \(text)" } ?? text, property: path.isEmpty ? nil : path, url: url,
      time: seconds.map { CMTime(seconds: $0, preferredTimescale: 600) })
  }
}

extension URL {
  /// The bytes of the file; 0 where there is none.
  fileprivate var fileLength: Int64 {
    // A file that is gone has no bytes.
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size]
    return (size as? NSNumber)?.int64Value ?? 0
  }
}
