internal import Formats
internal import JSON
internal import Timeline

extension FileType {
  /// Whether the bytes around the packets are foreseen.
  fileprivate var hasForeseenSize: Bool { [.mp4, .mov, .mkv, .webm].contains(self) }
}

extension DocumentReader {
  /// Checks that a picture has one measure: its quality, its average bit rate, or the size of its file.
  func checkTarget(_ video: VideoCodecSettings, _ object: DocumentObject) {
    let own = Set(video.coding.coder.keys.map(\.name))
    let stated = CodecKey.exclusive.filter { own.contains($0) && object[$0] != nil }
    for name in stated.dropFirst() { object[name]?.note("contradicts \(stated[0]): leave one of them out") }
  }

  /// Checks whether the file type has a size that a target can be.
  func checkTarget(_ settings: ExportSettings, _ object: DocumentObject) {
    guard case .fileSize? = settings.video.coding.coder.rateTarget else { return }
    let path = object.node.path["video"]["fileSize"]
    switch settings.fileType {
    case .cmaf: log.note("cmaf is a folder of pieces: use bitRate, or mp4", at: path)
    case .mpegts, .mxf:
      let type = settings.fileType
      let other = FileType.allCases.first { $0 != type && $0.hasForeseenSize && settings.video.codec.fileTypes.contains($0) }
      log.note("what \(type) takes around the packets is not foreseen: use bitRate\(other.map { ", or \($0)" } ?? "")", at: path)
    default: break
    }
  }
}
