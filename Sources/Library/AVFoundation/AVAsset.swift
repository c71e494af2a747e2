internal import Synchronization

/// The initialiser of AVAsset that gives an AVURLAsset.
public protocol AVAssetMadeOfURL {}

extension AVAssetMadeOfURL where Self: AVAsset {
  /// Makes an asset of a file or a URL. It is an AVURLAsset.
  ///
  /// - Precondition: it is called on AVAsset itself.
  public init(url: URL) {
    guard let asset = AVURLAsset(url: url, options: nil) as? Self else {
      preconditionFailure("only AVAsset and AVURLAsset are made of a URL")
    }
    self = asset
  }
}

/// A movie, a sound or an edit. Make one by `AVAsset(url:)`.
// An asset of a file is loaded once, under a lock. An edit is its owner's, who must not change it while others read it.
open class AVAsset: NSObject, NSCopying, AVAssetMadeOfURL, AVAssetOfTracks, @unchecked Sendable {
  /// The requests to load that were made so far, and whether the last ones were given up.
  let requests = Mutex(LoadingRequests())

  /// Makes an asset of nothing: it has no tracks.
  public override init() { super.init() }

  /// The asset itself, which never changes. A copy of an edit is another edit.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The tracks.
  ///
  /// - Throws: an `AVError` where the medium cannot be read.
  func loadedTracks() throws(AVError) -> [AVAssetTrack] { [] }

  /// The end of the longest track.
  func loadedDuration() throws(AVError) -> CMTime { .zero }

  /// The duration; the invalid time where the medium cannot be read.
  open var duration: CMTime { do { return try loadedDuration() } catch { return .invalid } }

  open func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? { tracks.first { $0.trackID == trackID } }

  open var preferredTransform: CGAffineTransform { tracks(withMediaType: .video).first?.preferredTransform ?? .identity }
  open var preferredRate: Float { 1 }
  open var preferredVolume: Float { 1 }
  open var providesPreciseDurationAndTiming: Bool { true }
  open var hasProtectedContent: Bool { false }
  open var isPlayable: Bool { tracks.contains(where: \.isPlayable) }
  open var isExportable: Bool { isPlayable }
  open var isReadable: Bool { isPlayable }
  open var isComposable: Bool { isPlayable }

  /// Whether other parts of the medium may be added to its file. They never are here.
  open var canContainFragments: Bool { false }
  open var containsFragments: Bool { false }
  /// The end of all fragments; zero where there are none.
  open var overallDurationHint: CMTime { .zero }

  /// The lowest ID that none of the tracks has.
  open func unusedTrackID() -> CMPersistentTrackID {
    let taken = Set(tracks.map(\.trackID))
    return (1...).first { !taken.contains($0) } ?? kCMPersistentTrackID_Invalid
  }

  open func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
    try loadedTracks().first { $0.trackID == trackID }
  }
}

/// A medium in a file or behind a URL. It is read when something of it is first asked for.
// The lock guards all that changes.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  public let url: URL
  private let loaded = Mutex<Result<Content, AVError>?>(nil)
  let tables = MovieTablesCache()

  struct Content {
    var duration: CMTime
    var tracks: [AVAssetTrack]
    /// The medium's file; nil for media behind URLs.
    var file: KeptFile?
  }

  /// - Parameters:
  ///   - url: the file, or an address of http, https or s3.
  ///   - options: options of AVFoundation, which change nothing here: durations are always precise.
  public init(url: URL, options: [String: Any]?) {
    self.url = url
    super.init()
  }

  public convenience init(url: URL) { self.init(url: url, options: nil) }

  func content() throws(AVError) -> Content {
    let result = loaded.withLock { loaded in
      if let loaded { return loaded }
      let result = Result { () throws(AVError) in try read() }
      loaded = result
      return result
    }
    return try result.get()
  }

  /// The place at which this process reads the medium.
  ///
  /// - Throws: an `AVError` where the medium cannot be read, and where its file was written to since it was.
  func place() throws(AVError) -> URL { try content().file?.url ?? url }

  /// Whether the medium was read, whatever came of it.
  var isRead: Bool { loaded.withLock { $0 != nil } }

  /// A track of this medium that can be inserted into one of an edit; nil where there is none.
  open func compatibleTrack(for compositionTrack: AVCompositionTrack) -> AVAssetTrack? {
    tracks.first { $0.mediaType == compositionTrack.mediaType && $0.isPlayable }
  }

  /// Finds a track that can be inserted into one of an edit, and then calls the handler on another thread.
  open func findCompatibleTrack(
    for compositionTrack: AVCompositionTrack, completionHandler: @escaping @Sendable (AVAssetTrack?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        _ = try self.loadedTracks()
        completionHandler(self.compatibleTrack(for: compositionTrack), nil)
      } catch { completionHandler(nil, error) }
    }
  }

  private func read() throws(AVError) -> Content {
    var (file, probe) = (KeptFile(url), try MediaProbe(of: url))
    // Facts are those of the file that is held. One that is written to all the time has those of the third time.
    for _ in 0..<2 where file.map({ [.replaced, .overwritten].contains($0.state) }) ?? false {
      (file, probe) = (KeptFile(url), try MediaProbe(of: url))
    }
    // AVFoundation gives a picture no tracks.
    guard !probe.isStillPicture else { return Content(duration: .zero, tracks: [], file: file) }
    var positions: [String: Int] = [:]
    let tracks = probe.tracks.filter { $0.video != nil || $0.audio != nil }.map { facts in
      let position = positions[facts.media, default: 0]
      if facts.rejection == nil { positions[facts.media] = position + 1 }
      return AVAssetTrack(of: self, facts, position: facts.rejection == nil ? position : nil, file: file)
    }
    let list = MovieTrackTables.haveMetadata(url) ? self.tables.tables(of: url) ?? [] : []
    let metadata = list.indices.filter { list[$0].metadataKeys != nil }.map {
      AVMetadataTrack(of: self, list[$0], at: $0, file: file)
    }
    return Content(
      duration: CMTime(probe.duration, preferredTimescale: 600), tracks: (tracks + metadata).sorted { $0.trackID < $1.trackID },
      file: file)
  }

  override func loadedTracks() throws(AVError) -> [AVAssetTrack] { try content().tracks }
  override func loadedDuration() throws(AVError) -> CMTime { try content().duration }
}
