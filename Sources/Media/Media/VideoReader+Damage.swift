internal import CFFmpeg
internal import Formats
internal import MediaTime

extension VideoReader {
  /// The lost pictures in the time from `shown` to `goal`. Where `goal` lies before `shown`, the track's first, they are those
  /// before `shown`.
  func lost(for shown: Shown, _ goal: Int64) -> StreamDamage.Losses? { damage.lost(for: shown, goal) }

  func judge(_ shown: Shown, at goal: Int64) throws(MediaError) {
    guard isJudged else { return try judgeStill() }
    try judge(shown, at: goal, before: next?.tick ?? .max, by: damage)
  }

  /// - Parameter following: the tick of the frame after it.
  func judge(_ shown: Shown, at goal: Int64, before following: Int64, by damage: StreamDamage) throws(MediaError) {
    let lost = damage.lost(for: shown, goal)
    isStandIn = lost != nil
    guard let lost, !lost.isForgiven, treatment.damage == .refuse else { return }
    let end = goal < shown.tick ? shown.tick : following
    guard let all = damage.losses(after: goal < shown.tick ? .min : shown.tick, upTo: max(goal, end - 1)) else { return }
    let from = try seconds(all.first)
    let until = end == .max ? "its end" : try seconds(end)
    let pictures = all.count == 1 ? "1 picture is" : "\(all.count) pictures are"
    throw MediaError(
      .corrupt, at: place,
      "the file is damaged: from \(from) to \(until), \(pictures) broken, missing or made from such; "
        + "with \"damage\": \"conceal\" the asset shows the last whole picture instead")
  }

  /// Judges a still picture, which is shown as far as it can be decoded.
  private func judgeStill() throws(MediaError) {
    isStandIn = stillVerdict.isDamaged
    if isStandIn, treatment.damage == .refuse { throw MediaError.damagedStill(at: place) }
  }

  func seconds(_ tick: Int64) throws(MediaError) -> String {
    guard let time = try unsafe demuxer.stream(track.index).pointee.seconds(tick, place) else { return "?" }
    return try demuxer.exact { () throws(TimeError) in "\(try (time - demuxer.origin).approximation) s" }
  }

  /// Notes a fault that the decoder reported. It is in the packet that was sent last.
  func noteFault() {
    guard decoder.takeFault(), number > 0 else { return }
    guard isJudged else { return stillVerdict.complain() }
    guard !leadsIn else { return }
    if let repairNumber, number > repairNumber { self.repairNumber = nil }
    damage.begin(at: number - 1)
    damage.lose(sentTick, of: number - 1)
    if demuxer.formatName == "mpeg" { loseSwallowed() }
  }

  /// Notes as lost the pictures of a program stream that the packet at fault, the last one sent, may have swallowed. Where the
  /// code that begins a picture is damaged, its data are taken for the end of the picture before it in the file, and no packet
  /// has its time. They are shown after that packet's picture, or before it where it is the latest one so far.
  private func loseSwallowed() {
    let begin = sentTick == latestSent ? max(earlierSent, latestSent - 16 * nominalFrame) : sentTick
    for tick in stride(from: begin + nominalFrame, through: latestSent - nominalFrame, by: Int(nominalFrame)) {
      damage.lose(tick, of: number - 1)
    }
  }

  /// Whether damage is judged for each picture. A still picture is judged as a whole instead.
  var isJudged: Bool { !AssetFacts.isStillPicture(demuxer.formatName) }

  /// Notes that packets are missing between the last one sent and this one: their pictures are lost, and all that refer to them.
  func noteGap() {
    damage.begin(at: number)
    // Frames shown between the two latest ones are decoded after them. No codec has more than 16 frames there.
    let first = max(earlierSent, latestSent - 16 * nominalFrame) + nominalFrame
    for tick in stride(from: first, through: latestSent + nominalFrame, by: Int(nominalFrame)) { damage.lose(tick, of: number) }
  }
}

extension StreamDamage {
  fileprivate func lost(for shown: VideoReader.Shown, _ goal: Int64) -> Losses? {
    goal < shown.tick ? losses(after: .min, upTo: shown.tick - 1) : losses(after: shown.tick, upTo: goal)
  }
}
