internal import Compositing
internal import EditFiles
internal import Examination
package import Formats
internal import Media
package import MediaTime
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// A frame of an edit that somebody wants as a PNG. It is named either by its time or by its index.
package struct FrameRequest: Hashable, Sendable, Codable {
  /// The path of the edit's document.
  package var document: String
  /// The path of the picture.
  package var output: String
  /// The time at which the frame is shown, written as in a document.
  package var time: String?
  /// The number of the movie's frame, from 0.
  package var index: Int?
  package var overwrites = false

  package init(document: String, output: String, time: String? = nil, index: Int? = nil) {
    (self.document, self.output, self.time, self.index) = (document, output, time, index)
  }
}

/// A frame that was written as a PNG.
package struct WrittenFrame: Hashable, Sendable, Codable {
  /// The absolute path of the picture.
  package var output: String
  package var index: Int
  /// The frame's time in the edit.
  package var time: MediaTime
  package var size: PixelSize
}

/// Frames of an edit whose digests somebody wants.
package struct FramesRequest: Hashable, Sendable, Codable {
  /// The path of the edit's document.
  package var document: String
  /// The frames; nil means all.
  package var range: Range<Int>?

  package init(document: String, range: Range<Int>? = nil) { (self.document, self.range) = (document, range) }
}

/// The digest of one frame.
package struct FrameDigest: Hashable, Sendable, Codable {
  package var index: Int
  /// The presentation time in the movie, in seconds.
  package var pts: MediaTime
  /// The MD5 of the raw frame, as ffmpeg's framemd5 gives it for the same frame.
  package var md5: String
}

extension MediaAccess {
  /// Writes one frame as the movie has it before it is encoded, in square pixels.
  package func frame(_ request: FrameRequest) throws(Complaint) -> WrittenFrame {
    try locating { assets in
      let (edit, examination) = try examined(request.document, &assets, inSquarePixels: true)
      guard let composition = edit.videoComposition else {
        throw Complaint(request.document, "the edit has no picture", .badDocument)
      }
      let index = try request.frameIndex(in: edit, composition.frameDuration)
      let destination = try Destination(request.output, overwrites: request.overwrites)
      try destination.requirePNGName()
      try destination.requireNone(of: edit.timeline.assets.values.map(\.path) + [request.document])
      do {
        try PNGImage(examination.picture(index)).write(to: destination.path)
      } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: index) }
      let time = try edit.exportRange.start + composition.frameDuration * Int64(index)
      return WrittenFrame(output: destination.path, index: index, time: time, size: composition.outputSize)
    }
  }

  /// Makes the digests of frames, before any encoding.
  ///
  /// - Parameter tell: is given each digest as soon as it is known, in the order of the frames.
  package func frames(_ request: FramesRequest, tell: (FrameDigest) throws(Complaint) -> Void) throws(Complaint) {
    try locating { assets in
      let (edit, examination) = try examined(request.document, &assets)
      let count = try edit.frameCount
      let range = request.range ?? 0..<count
      guard range.upperBound <= count else {
        let words = "\(range.lowerBound)..\(range.upperBound) is beyond the edit's \(count) frames, which are 0..\(count)"
        throw Complaint("range", words, .usage)
      }
      guard let frameDuration = edit.videoComposition?.frameDuration else { return }
      var next = range.lowerBound
      do {
        try examination.frames(FrameRange(first: range.lowerBound, count: range.count)) { index, md5 in
          try tell(FrameDigest(index: index, pts: try frameDuration * Int64(index), md5: md5))
          next = index + 1
        }
      } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: next) }
    }
  }

  /// An edit that was checked against its media, and the process that renders it to look at it.
  ///
  /// - Parameter inSquarePixels: whether frames have square pixels, whatever the movie's are.
  func examined(
    _ document: String, _ assets: inout [ProbedAssets.Asset], inSquarePixels: Bool = false
  ) throws -> (ResolvedTimeline, EditExamination) {
    let setting = try setting(nil)
    let file = try DocumentFile(path: document)
    assets = file.assets
    let checked = try EditFile(file, setting, renderingWith: compositors)
    let measured = try checked.measured(setting)
    let edit = inSquarePixels ? measured.inSquarePixels : measured
    return (edit, EditExamination(of: edit, fonts: checked.fonts, setting))
  }
}

extension FrameRequest {
  fileprivate func frameIndex(in edit: ResolvedTimeline, _ frameDuration: MediaTime) throws -> Int {
    let count = try edit.frameCount
    switch (index, time) {
    case (let index?, nil):
      guard 0..<count ~= index else {
        throw Complaint("index", "\(index) is not in the movie, whose \(count) frames are 0 to \(count - 1)", .usage)
      }
      return index
    case (nil, let text?):
      let (time, range) = try (Self.parsed(text, frameDuration), edit.exportRange)
      guard range.contains(time) else {
        let words = "\(time) s is outside the movie: its frames are shown from \(range.start) s until just before \(range.end) s"
        throw Complaint("time", words, .usage)
      }
      return try edit.frameIndex(at: Rational(time - range.start), orJustBefore: false)
    default: throw Complaint("frame", "needs either `time` or `index`", .usage)
    }
  }

  private static func parsed(_ text: String, _ frameDuration: MediaTime) throws(Complaint) -> MediaTime {
    do {
      return try text.contains(":") ? Timecode(frameDuration: frameDuration).time(parsing: text) : MediaTime(parsing: text)
    } catch {
      throw Complaint("time", "\(error)", .usage)
    }
  }
}
