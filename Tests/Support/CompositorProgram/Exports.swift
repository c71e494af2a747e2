import AVFoundation

/// The same movie by instructions that travel to the farm in two ways, and by ones that render in this process.
struct Exports {
  private let clip: URL
  private let folder: URL

  init(of clip: String, to folder: String) {
    (self.clip, self.folder) = (URL(fileURLWithPath: clip), URL(fileURLWithPath: folder))
  }

  func run() async throws {
    try await export("coded.mov") { CodedBlend($0, weight: $1) }
    try await export("archived.mov") { ArchivedBlend($0, weight: $1) }
    try await export("local.mov") { LocalBlend($0, weight: $1) }
    try await export("again.mov") { LocalBlend($0, weight: $1) }
  }

  /// Exports a second of two tracks, in ProRes: each frame stands alone, so that equal pictures become equal frames.
  private func export(_ name: String, _ instruction: (Range<Int64>, Double) -> Blending) async throws {
    let asset = AVURLAsset(url: clip)
    let source = try await asset.loadTracks(withMediaType: .video)[0]
    let composition = AVMutableComposition()
    for start in [Int64(0), 10] {
      let track = composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid)
      try track?.insertTimeRange(
        CMTimeRange(start: CMTime(value: start, timescale: 10), duration: CMTime(value: 10, timescale: 10)), of: source,
        at: .zero)
    }
    let video = AVMutableVideoComposition()
    (video.renderSize, video.frameDuration) = (CGSize(width: 160, height: 96), CMTime(value: 1, timescale: 25))
    video.customVideoCompositorClass = Blend.self
    video.instructions = [instruction(0..<4, 1), instruction(4..<10, 0.5)]
    guard let session = AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetAppleProRes422LPCM) else {
      preconditionFailure("there is such a preset")
    }
    session.videoComposition = video
    try await session.export(to: folder.appendingPathComponent(name), as: .mov)
  }
}
