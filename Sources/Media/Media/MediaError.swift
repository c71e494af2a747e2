internal import CFFmpeg
internal import Glibc
internal import Linux

/// A failure in reading or writing media. It names the file (and track), and the C call that failed.
package struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The file cannot be opened or read: missing, no permission, outside the media roots, an I/O error.
    case unreadable
    /// The server of a source that is not on this machine does not answer. The trouble may pass.
    case unreachable
    /// The server says that there is no such source, or that nobody may read it.
    case missing
    /// The source is no longer what it was when it was probed, or opened.
    case changed
    /// This build has no format, codec, layout or parameter for it.
    case unsupported
    /// The source is not what its format promises: it is damaged or cut off.
    case corrupt
    /// The source is encrypted.
    case protected
    /// The destination cannot be created or written.
    case cannotWrite
    /// The destination's disk or quota is full.
    case noSpace
    case outOfMemory
    /// A call failed that cannot fail for valid arguments, which is a bug of this program.
    case `internal`
  }

  package enum Activity: Hashable, Sendable { case reading, writing }

  package let kind: Kind
  /// The path, with " track N" or " at T s" where the failure concerns one track or time.
  package let place: String
  package let reason: String
  /// The C function that failed; nil where no call failed.
  package let call: String?
  /// FFmpeg's error code (negative; a negated errno or a tag); 0 where no call failed.
  package let code: Int32

  package init(_ kind: Kind, at place: String, _ reason: String) {
    (self.kind, self.place, self.reason, self.call, self.code) = (kind, place, reason, nil, 0)
  }

  /// A failed FFmpeg or system call. The code decides the kind.
  ///
  /// - Parameter code: the result of an FFmpeg function, or a negated errno; negative.
  package init(_ code: Int32, from call: String, at place: String, while activity: Activity = .reading) {
    let meant = Self.isUnnamedFault(code, from: call, while: activity) ? spool_AVERROR_INVALIDDATA : code
    self.kind = Self.kind(of: meant, while: activity)
    (self.place, self.reason, self.call, self.code) = (place, Self.text(of: meant, while: activity), call, code)
  }

  package var description: String { "\(place): \(words)" }

  /// The reason in the words for users. For a bug of this program it also says which part failed.
  package var words: String {
    guard let call, kind == .internal else { return reason }
    return "\(Self.part(calling: call)) \(reason), which is a bug of spool"
  }

  /// The same failure at a more exact place. A failure that concerns the whole source keeps its place.
  package func at(_ place: String) -> MediaError {
    switch kind {
    case .unreachable, .missing, .changed: self
    default: MediaError(self, place: place)
    }
  }

  private init(_ other: MediaError, place: String) {
    (kind, self.place, reason, call, code) = (other.kind, place, other.reason, other.call, other.code)
  }

  /// Whether a decoder or a format's reader says -1 of data that it does not take. Parts of FFmpeg do, as for "an error". The same
  /// number stands for a permission that is missing, but only opening a file can meet that.
  private static func isUnnamedFault(_ code: Int32, from call: String, while activity: Activity) -> Bool {
    code == -EPERM && activity == .reading && (call.hasPrefix("avcodec_") || call == "av_read_frame")
  }

  private static func kind(of code: Int32, while activity: Activity) -> Kind {
    switch code {
    case -ENOMEM: .outOfMemory
    case -ENOSPC, -EDQUOT, -EFBIG: .noSpace
    case -ENOSYS, spool_AVERROR_PATCHWELCOME, spool_AVERROR_DECODER_NOT_FOUND, spool_AVERROR_DEMUXER_NOT_FOUND,
      spool_AVERROR_ENCODER_NOT_FOUND, spool_AVERROR_MUXER_NOT_FOUND:
      .unsupported
    case spool_AVERROR_INVALIDDATA, spool_AVERROR_EOF: activity == .reading ? .corrupt : .internal
    case -EINVAL: activity == .reading ? .corrupt : .internal
    // A negated errno is small; FFmpeg's own codes are tags of four letters.
    case -4096..<0: activity == .reading ? .unreadable : .cannotWrite
    default: activity == .reading ? .corrupt : .internal
    }
  }

  /// The reason in everyday words. FFmpeg's own words would tell most users nothing.
  private static func text(of code: Int32, while activity: Activity) -> String {
    switch code {
    case spool_AVERROR_INVALIDDATA where activity == .reading: return "is damaged, or is not what its format says"
    case spool_AVERROR_EOF where activity == .reading: return "ends before it should: it is cut off or damaged"
    case -EINVAL where activity == .reading: return "says of itself what cannot be: it is damaged"
    case spool_AVERROR_PATCHWELCOME, -ENOSYS: return "is of a kind that FFmpeg does not handle"
    case spool_AVERROR_DECODER_NOT_FOUND: return "is coded in a way that FFmpeg has no decoder for here"
    case spool_AVERROR_DEMUXER_NOT_FOUND: return "is in a format that FFmpeg does not read here"
    case spool_AVERROR_ENCODER_NOT_FOUND: return "FFmpeg has no such encoder here"
    case spool_AVERROR_MUXER_NOT_FOUND: return "FFmpeg does not write such files here"
    case spool_AVERROR_INVALIDDATA, spool_AVERROR_EOF, -EINVAL: return "does not take what it is given"
    case spool_AVERROR_EXIT: return "it was cancelled"
    case -ENOMEM: return "there is not enough memory for it"
    case -4096..<0: return SystemWords.of(-code)
    default: return activity == .reading ? "cannot be read, and FFmpeg does not say why" : "gives up, and does not say why"
    }
  }

  /// The part of FFmpeg that a function belongs to.
  private static func part(calling call: String) -> String {
    let parts = [
      ("avcodec_", "the encoder"), ("avformat_", "the writer of the file"), ("av_write", "the writer of the file"),
      ("av_interleaved", "the writer of the file"), ("sws_", "the scaler"), ("swr_", "the resampler"),
      ("avfilter_", "the filter"),
      ("av_buffers", "the filter"),
    ]
    return parts.first { call.hasPrefix($0.0) }?.1 ?? "FFmpeg"
  }
}
