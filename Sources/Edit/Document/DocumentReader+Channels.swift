internal import Formats
internal import JSON
internal import Timeline

/// Reads which channels of its sources a track is heard with.
extension DocumentReader {
  /// - Returns: nil for a fault.
  func channels(_ node: DocumentNode) -> ChannelMap? {
    guard let nodes = node.elements(atMost: ChannelMap.counts.max() ?? 0) else { return nil }
    guard ChannelMap.counts.contains(nodes.count) else {
      return node.refuse(
        because: "\(nodes.count) channels: give 1 (the middle), 2 (left and right), 6 (5.1), 8 (7.1) or 12 (7.1.4)")
    }
    let rows = nodes.compactMap(row)
    return rows.count == nodes.count ? ChannelMap(rows) : nil
  }

  /// A channel by its number or name, or the factors of all channels.
  private func row(_ node: DocumentNode) -> [Double]? {
    switch node.value {
    case .string(let text):
      guard let channel = FrontChannel(rawValue: text) else {
        return node.refuse(text, among: FrontChannel.allCases.map(\.rawValue))
      }
      return ChannelMap.row(of: channel == .left ? 0 : 1)
    case .array:
      guard let nodes = node.elements(atMost: ChannelMap.mostChannels) else { return nil }
      let factors = nodes.compactMap { $0.number(in: DocumentLimits.channelFactor) }
      return factors.count == nodes.count ? factors : nil
    default: return node.integer(in: 0...ChannelMap.mostChannels - 1).map(ChannelMap.row)
    }
  }

  /// The channels with names. Others have different places in different layouts, and so they have numbers alone.
  private enum FrontChannel: String, CaseIterable { case left, right }
}
