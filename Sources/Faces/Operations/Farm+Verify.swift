package import Document
internal import EditFiles
internal import Examination
internal import Formats
internal import Ledger
internal import Linux
internal import Media
package import Messages
package import Rendering
internal import Scenes
internal import Timeline

/// A movie that is to be compared with a render of its edit.
package struct VerifyRequest: Hashable, Sendable, Codable {
  /// The path of the edit's document; without a movie, the id of a finished job, which names both.
  package var document: String
  package var movie: String?
  /// The export settings with which the movie was rendered, where they are not the document's own.
  package var wish = ExportWish()
  /// The PSNR in decibels that each frame of a lossy movie must reach.
  package var floor = MovieVerification.defaultFloor

  package init(document: String, movie: String? = nil) { (self.document, self.movie) = (document, movie) }

  /// The values that a floor may have.
  package static let floors = 0.0...200
}

/// A movie, compared with a render of its edit.
package struct Verification: Hashable, Sendable, Codable {
  package struct Worst: Hashable, Sendable, Codable {
    package var index: Int
    /// The PSNR of the frame, in decibels.
    package var psnr: Double
  }

  package enum Pictures: String, Hashable, Sendable, Codable { case equal, differ, uncompared }

  package var movie: String
  package var ok: Bool
  package var lossless: Bool
  package var frameCount: Int
  /// The samples of the movie's sound, or of the first one where it has several.
  package var sampleCount: Int64
  /// The number of the movie's sounds that were compared; nil where there is one or none.
  package var soundCount: Int?
  /// How the movie's pictures compare with the edit's.
  package var pictures: Pictures
  /// The PSNR in decibels; nil unless the pictures differ.
  package var psnr: Double?
  package var worstFrame: Worst?
  /// The frames and samples of damaged assets that were replaced.
  package var concealed: [Concealment]
  /// The loudness of the edit's sound; nil where the edit asks for none.
  package var loudness: SoundLoudness?
  /// The number of frames that are copies of their sources'; nil where the edit asks for none.
  package var copiedFrames: Int?
  /// The number of samples that are copies of their source's; nil where the edit asks for none.
  package var copiedSamples: Int64?
  /// The renditions that were compared; nil where the edit has none.
  package var renditions: [ComparedRendition]?
  /// The number of files of captions beside the movie, which were compared; nil where the edit asks for none.
  package var captionFiles: Int?
  /// The number of files of still pictures, and of thumbnails' times, which were compared; nil where the edit asks for none.
  package var stillFiles: Int?
  /// The further places of a job's movie, and what is wrong with each; nil where there are none.
  package var copies: [CopiedMovie]?
  package var faults: [String]

  init(_ movie: String, _ result: MovieVerification, _ captions: ComparedCaptions, stills: ComparedStillFiles) {
    let faults = result.faults + captions.faults + stills.faults
    (self.movie, ok, lossless) = (movie, faults.isEmpty, result.isLossless)
    (frameCount, sampleCount) = (result.frames, result.samples)
    soundCount = result.soundCount > 1 ? result.soundCount : nil
    switch result.pictures {
    case .uncompared: (pictures, psnr) = (.uncompared, nil)
    case .equal: (pictures, psnr) = (.equal, nil)
    case .decibels(let decibels): (pictures, psnr) = (.differ, decibels)
    }
    worstFrame = result.worstFrame.map { Worst(index: $0.index, psnr: $0.psnr) }
    (copiedFrames, copiedSamples) = (result.copiedFrames, result.copiedSamples)
    renditions = result.renditions.isEmpty ? nil : result.renditions
    (concealed, loudness, self.faults) = (result.concealed, result.loudness, faults)
    captionFiles = captions.count > 0 ? captions.count : nil
    stillFiles = stills.count > 0 ? stills.count : nil
  }
}

/// The files of captions beside a movie, compared byte by byte with those that its edit gives.
struct ComparedCaptions {
  let count: Int
  private(set) var faults: [String] = []

  /// - Parameter movie: the path of the movie, or of its folder.
  init(of edit: ResolvedTimeline, beside movie: String) throws {
    let names = Set(
      edit.timeline.captions.compactMap {
        $0.sidecarName(beside: FilePath.name(of: movie), isFolder: edit.timeline.export.fileType.isFolder)
      })
    let files = try edit.sidecars(beside: movie).filter { names.contains($0.name) }
    count = files.count
    guard !files.isEmpty else { return }
    let folder = try OutputFolder(FilePath.folder(of: movie), for: movie)
    for file in files where !file.isThere(in: folder) {
      let isMissing = folder.identity(of: file.name) == nil
      faults.append("the captions in \(file.name) beside it are \(isMissing ? "missing" : "not those of the edit")")
    }
  }
}

/// The files of a movie's still pictures, compared with those that are made of the edit's own frames.
struct ComparedStillFiles {
  let count: Int
  private(set) var faults: [String] = []

  /// - Parameters:
  ///   - movie: the path of the movie, or of its folder.
  ///   - digests: the digests of the pictures' files; nil where frames of the movie are missing, which is told.
  init(of edit: ResolvedTimeline, _ digests: [String]?, with movie: String) throws {
    guard let plan = try edit.stills else {
      count = 0
      return
    }
    let isFolder = edit.timeline.export.fileType.isFolder
    let names = StillNames(beside: isFolder ? nil : FilePath.name(of: movie))
    let place = isFolder ? movie : FilePath.folder(of: movie)
    let folder = try OutputFolder(place, for: place)
    let times = try plan.times(names).map { CompanionFile($0.name, Array($0.text.utf8)) }
    count = plan.fileCount + (times == nil ? 0 : 1)
    if let times, !times.isThere(in: folder) {
      faults.append("the times of its thumbnails in \(times.name) are not those of the edit")
    }
    for (name, digest) in zip(plan.files(names), digests ?? []) {
      guard folder.identity(of: name) != nil else {
        faults.append("the still picture \(name) is missing")
        continue
      }
      if try CompanionFile(name, folder.contents(of: name)).digest != digest {
        faults.append("the still picture \(name) is not the one that the edit gives")
      }
    }
  }
}

extension Farm {
  /// Compares a movie with a render of its edit by one process. The farm's database is asked only for a job.
  package func verify(_ request: VerifyRequest, reading media: MediaAccess) throws(Complaint) -> Verification {
    try complaining {
      guard VerifyRequest.floors.contains(request.floor) else {
        throw Complaint("floor", "is to be from 0 to 200 decibels", .usage)
      }
      let setting = try media.setting(nil)
      let (edit, fonts, movie, others) = try subject(of: request, media, setting)
      var compared = 0
      do {
        let examination = EditExamination(of: edit, fonts: fonts, setting)
        let result = try examination.verification(of: movie, floor: request.floor) { progress in
          if case .pictures(let count) = progress { compared = count }
        }
        return try Verification(
          movie, result, ComparedCaptions(of: edit, beside: movie),
          stills: ComparedStillFiles(of: edit, result.stills, with: movie)
        ).adding(others, of: movie)
      } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: compared, [movie]) }
    }
  }

  private func subject(
    of request: VerifyRequest, _ media: MediaAccess, _ setting: ExaminationSetting
  ) throws -> (ResolvedTimeline, [FontFace]?, String, others: [String]) {
    if let movie = request.movie {
      let files = FolderFiles(of: FilePath.name(of: movie))
      let document = try DocumentFile(path: request.document).wishing(
        request.wish, fileType: files?.fileType ?? FileNamePromise(of: movie)?.fileType, names: files?.pattern)
      let file = try EditFile(document, setting, renderingWith: media.compositors)
      let isFolder = files != nil && document.document.export.fileType.isFolder
      return (try file.measured(setting), file.fonts, isFolder ? FilePath.folder(of: movie) : movie, [])
    }
    let job = request.document
    guard let status = try ledger.status(job: job), let spec = try ledger.spec(job: job) else {
      throw Complaint(job, "no such job; for a document, `movie` is required", .noInput)
    }
    guard status.state == .done else {
      throw Complaint(job, "the job has no finished movie: it is \(status.state.rawValue)", .noInput)
    }
    guard let movie = spec.places.first(where: FilePath.isAbsolute) else {
      throw Complaint(job, "its movie is in S3: fetch \(spec.output), and verify the document with that file", .noInput)
    }
    return (try spec.edit, spec.fonts, movie, spec.places.filter { $0 != movie })
  }
}
