internal import EditFiles
package import Timeline

/// An asset and perhaps a time in it, read from the place that a failure names. Such a place is "PATH track N at T s" or
/// "assets.NAME: …". The asset's name may follow in brackets.
package struct MediaPlace: Hashable, Sendable {
  package let asset: AssetID
  /// The time in the asset as text, in seconds; nil when it is not known.
  package let time: String?

  init(asset: AssetID) { (self.asset, time) = (asset, nil) }

  init?(_ place: String, among assets: [ProbedAssets.Asset]) {
    let named = assets.filter { place == $0.path || place.hasPrefix($0.path + " ") || place == "assets.\($0.id)" }
    // The longest path is the right one, because one path may be the beginning of another.
    guard let found = named.max(by: { $0.path.utf8.count < $1.path.utf8.count }) else { return nil }
    asset = found.id
    let bare = place.ranges(of: " (asset '").last.map { place[..<$0.lowerBound] } ?? place[...]
    let words = bare.split(separator: " ").suffix(3)
    time = words.count == 3 && words.first == "at" && words.last == "s" ? words.dropFirst().first.map(String.init) : nil
  }
}
