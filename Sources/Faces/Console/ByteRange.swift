/// The part of a file that a request asks for by its header `Range` (RFC 9110, section 14).
enum ByteRange: Equatable {
  /// The whole file: nothing else was asked for, or what was asked for is not understood.
  case whole
  case part(Range<Int64>)
  /// No byte of the file is in the range that was asked for.
  case outside

  /// - Parameters:
  ///   - header: the header, such as `bytes=0-499`; nil when there is none. Several ranges at once are not understood.
  ///   - byteCount: the bytes of the file.
  init(_ header: String?, of byteCount: Int64) {
    guard let header, let range = header.wholeMatch(of: #/bytes=([0-9]{0,18})-([0-9]{0,18})/#) else {
      self = .whole
      return
    }
    switch (Int64(range.1), Int64(range.2)) {
    case (nil, nil): self = .whole
    case (nil, let last?): self = last > 0 && byteCount > 0 ? .part(max(0, byteCount - last)..<byteCount) : .outside
    case (let first?, nil): self = first < byteCount ? .part(first..<byteCount) : .outside
    case (let first?, let last?):
      guard first <= last else {
        self = .whole
        return
      }
      self = first < byteCount ? .part(first..<min(last + 1, byteCount)) : .outside
    }
  }
}
