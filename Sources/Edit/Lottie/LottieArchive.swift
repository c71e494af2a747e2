internal import JSON

/// A dotLottie archive of version 1 or 2 (https://dotlottie.io/spec/2.0/): animations, a manifest that names them, and their images.
struct LottieArchive {
  let files: ZipArchive
  /// The entry of the animation that is shown.
  let entry: String
  /// The text of that animation.
  let animation: [UInt8]
  /// The settings of the manifest that are not followed, with their places in it.
  let remarks: [(place: JSONPath, words: String)]

  /// - Parameter wish: the name of the animation; nil for the first that the manifest shows.
  init(_ bytes: [UInt8], showing wish: String?) throws(LottieFault) {
    files = try ZipArchive(bytes)
    let manifest = try Self.manifest(of: files)
    let known = manifest["animations"]?.elements ?? []
    guard !known.isEmpty else { throw LottieFault(path: Self.manifestName, reason: "has no animations") }
    let name = wish ?? manifest["initial"]?.text("animation") ?? manifest.text("activeAnimationId") ?? known[0].text("id") ?? ""
    guard let chosen = known.first(where: { $0.text("id") == name }) else {
      let names = known.prefix(20).compactMap { $0.text("id") }.map { "'\(ZipArchive.shown($0))'" }.joined(separator: ", ")
      throw LottieFault(
        path: Self.manifestName,
        reason: "has no animation '\(ZipArchive.shown(name))'; it has \(names)\(known.count > 20 ? " …" : "")")
    }
    guard let entry = ["a/\(name).json", "animations/\(name).json"].first(where: files.contains),
      let animation = try files.contents(of: entry, atMost: LottieLimits.byteCount)
    else {
      throw LottieFault(
        path: Self.manifestName, reason: "names the animation '\(ZipArchive.shown(name))', which is not in the archive")
    }
    (self.entry, self.animation) = (entry, animation)
    remarks = try Self.remarks(on: manifest, chosen)
  }

  /// The name of an image of the animation among the archive's files; nil where it is none of them.
  func place(of image: LottieNode) -> String? {
    guard let name = image.text("p"), !name.isEmpty else { return nil }
    let folder = (image.text("u") ?? "").split(separator: "/").filter { $0 != "." }.map { "\($0)/" }.joined()
    let file = String(name.split(separator: "/").last ?? "")
    return ["\(folder)\(name)", "i/\(file)", "images/\(file)"].first(where: files.contains)
  }

  /// Whether the archive has the file of a font of the animation.
  func holdsFont(_ font: LottieNode) -> Bool {
    let parts = (font.text("fPath") ?? "").split(separator: "/")
    return !parts.isEmpty && (files.contains(parts.joined(separator: "/")) || files.contains("f/\(parts[parts.count - 1])"))
  }

  private static let manifestName = "manifest.json"

  private static func manifest(of files: ZipArchive) throws(LottieFault) -> LottieNode {
    guard let bytes = try files.contents(of: manifestName, atMost: LottieLimits.manifestBytes) else {
      throw LottieFault(path: "", reason: "is a zip archive without '\(manifestName)', so it is no dotLottie archive")
    }
    do throws(JSONReader.SyntaxFault) {
      return LottieNode(value: try JSONReader.read(bytes, depth: LottieLimits.depth), path: .root)
    } catch {
      throw LottieFault(path: manifestName, reason: "line \(error.line), column \(error.column): \(error.message)")
    }
  }

  // MARK: - Settings that are not followed

  private static func remarks(
    on manifest: LottieNode, _ animation: LottieNode
  ) throws(LottieFault) -> [(place: JSONPath, words: String)] {
    var remarks: [(place: JSONPath, words: String)] = []
    func tell(_ node: LottieNode?, _ words: String) { if let node { remarks.append((node.path, words)) } }
    for key in ["initialTheme", "defaultTheme"] {
      if let theme = animation.text(key) { tell(animation[key], "the theme '\(ZipArchive.shown(theme))' is not drawn") }
    }
    if let initial = manifest["initial"], let machine = initial.text("stateMachine") {
      tell(initial["stateMachine"], "the state machine '\(ZipArchive.shown(machine))' does not run: nobody touches a movie")
    }
    if let color = animation.text("background") {
      tell(animation["background"], "the background is not drawn: say \"backgroundColor\": \"\(ZipArchive.shown(color))\"")
    }
    if case .number? = animation["speed"]?.value, let speed = try animation.number("speed"), speed != 1 {
      tell(animation["speed"], "the speed is that of the layer's clock: say \"clock\": {\"speed\": \"\(JSONValue.text(speed))\"}")
    }
    if animation["direction"]?.value == .number("-1") { tell(animation["direction"], "it is not played backwards") }
    for key in ["playMode", "mode"] {
      if let mode = animation.text(key), mode.lowercased() != "normal", mode.lowercased() != "forward" {
        tell(animation[key], "it is played forwards, not in the mode '\(ZipArchive.shown(mode))'")
      }
    }
    return remarks
  }
}

extension LottieArchive {
  /// A fault of the animation, with the name of its entry.
  func naming(_ fault: LottieFault) -> LottieFault {
    LottieFault(path: [ZipArchive.shown(entry), fault.path].filter { !$0.isEmpty }.joined(separator: ": "), reason: fault.reason)
  }

  /// The remarks on the manifest and on the animation, each with the name of its entry.
  func all(with others: [LottieRemark]) -> [LottieRemark] {
    remarks.map { LottieRemark(kind: .lost, path: "\(Self.manifestName): \($0.place)", layer: nil, words: $0.words) }
      + others.map {
        LottieRemark(kind: $0.kind, path: "\(ZipArchive.shown(entry)): \($0.path)", layer: $0.layer, words: $0.words)
      }
  }
}
