package import CharacterSets
package import EditFiles
package import Formats
package import Media
package import Messages
package import Rendering

/// A report of a process that reads media. It is one JSON line on the process's standard output. The reader trusts nothing in it
/// but what it has asked for.
package enum ExaminationReport: Sendable, Codable {
  /// The process has begun to read the asset.
  case begun(asset: String)
  case found(asset: String, AssetFacts)
  case refused(asset: String, Refusal)
  /// The MD5 of a frame's samples, in hexadecimal.
  case frame(index: Int, md5: String)
  /// The picture is in the file. Its planes are G, B, R, row by row without gaps. Where the movie has alpha,
  /// that of each pixel follows in 16 bits.
  case pictured(width: Int, height: Int, bitDepth: Int)
  /// A sign of life while sound is measured.
  case measuring
  /// The next levels of a waveform, in thousandths of its height, in the order of the edit's waveforms.
  case measured([Int])
  /// A sign of life while packets are looked at.
  case searching
  /// The frames that can be copied.
  case copyable(CopySearch)
  /// The next bytes of the document in which the captions are measured, in its canonical form.
  case document([UInt8])
  /// The findings about the edit's texts.
  case texts(TextFindings)
  /// The encoding in which bytes seem to be written.
  case encoding(EncodingFinding)
  /// The number of samples a second of the track whose peaks follow, and that of its channels.
  case sound(sampleRate: Int32, channels: Int)
  /// The next peaks: the smallest and the largest sample of each pixel in turn, of 16 bits.
  case peaks([Int16])
  /// A sign of life while a movie is compared.
  case compared(MovieVerification.Progress)
  case verified(MovieVerification)
  /// A sign of life while segment files are read.
  case reading
  /// The part of a movie is in the file. The bytes of its pieces, in order.
  case written([Int64])
  /// A source, or the movie, cannot be read. This is the last report.
  case unreadable(Refusal)
  /// The order cannot be done. This is the last report.
  case failed(Failure)

  /// A `MediaError` in a form that can be sent.
  package struct Refusal: Hashable, Sendable, Codable {
    package var kind: MediaError.Kind
    package var place: String
    package var reason: String

    init(_ error: MediaError) {
      (kind, place) = (error.kind, error.place)
      reason = error.words
    }

    /// The error with its texts made safe to show.
    package var error: MediaError { MediaError(kind, at: place.shown(), reason.shown()) }
  }
}

extension String {
  /// The most bytes that are shown of another process's text.
  private static let longestShown = 4096

  /// The text on one line, with control characters replaced. Of a long text only the end is kept.
  package func shown() -> String {
    let lines = split { $0.isNewline }.map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : $0 }))
    }
    return String(decoding: lines.joined(separator: "; ").utf8.suffix(Self.longestShown), as: UTF8.self)
  }
}
