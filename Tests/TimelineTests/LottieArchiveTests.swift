import Formats
import Lottie
import Testing
import Timeline

/// dotLottie archives: which animation is read, and what is refused. `LottieArchiveRenderTests` reads archives that Python made.
@Suite struct `A dotLottie archive` {
  /// An animation of a square of this size, or one that shows the image `image_0`.
  private static func animation(_ size: Int, image: String? = nil) -> String {
    let layer =
      image == nil
      ? #"{"ty": 1, "nm": "box", "sw": 9, "sh": 9, "sc": "ff0000", "ip": 0, "op": 9, "ks": {}}"#
      : #"{"ty": 2, "nm": "photo", "refId": "image_0", "ip": 0, "op": 9, "ks": {}}"#
    let assets = image.map { #", "assets": [{"id": "image_0", "w": 9, "h": 9, \#($0), "e": 0}]"# } ?? ""
    return #"{"fr": 25, "ip": 0, "op": 9, "w": \#(size), "h": \#(size), "layers": [\#(layer)]\#(assets)}"#
  }

  private static let manifest = #"{"version": "2", "animations": [{"id": "one"}, {"id": "two"}]}"#

  private func files(_ manifest: String = manifest, folder: String = "a") -> [(String, String)] {
    [
      ("manifest.json", manifest), ("\(folder)/one.json", Self.animation(10)), ("\(folder)/two.json", Self.animation(20)),
    ]
  }

  private func read(_ writer: ZipWriter, _ animation: String? = nil) throws(LottieFault) -> LottieAnimation {
    try LottieAnimation(writer.bytes, LottieOptions(animation: animation))
  }

  private func fault(_ writer: ZipWriter, _ animation: String? = nil) -> String {
    do throws(LottieFault) {
      _ = try read(writer, animation)
      return "accepted"
    } catch { return "\(error)" }
  }

  // MARK: - What is shown

  @Test(
    arguments: [
      (#"{"version": "2", "animations": [{"id": "one"}, {"id": "two"}]}"#, nil, 10),
      (#"{"version": "2", "initial": {"animation": "two"}, "animations": [{"id": "one"}, {"id": "two"}]}"#, nil, 20),
      (#"{"version": "1.0", "activeAnimationId": "two", "animations": [{"id": "one"}, {"id": "two"}]}"#, nil, 20),
      (#"{"version": "1.0", "activeAnimationId": "two", "animations": [{"id": "one"}, {"id": "two"}]}"#, "one", 10),
    ] as [(String, String?, Double)])
  func `shows the animation that is asked for, else the one that its manifest shows first`(
    manifest: String, wish: String?, size: Double
  ) throws {
    for folder in ["a", "animations"] {
      let animation = try read(ZipWriter(files(manifest, folder: folder)), wish)
      #expect(animation.size == Point(size, size) && animation.remarks == [] && animation.layers.count == 1)
    }
  }

  @Test(arguments: [
    (#""u": "/images/", "p": "a.png""#, "images/a.png"), (#""u": "", "p": "a.png""#, "i/a.png"),
    (#""u": "i/", "p": "a.png""#, "i/a.png"), (#""u": "", "p": "images/a.png""#, "images/a.png"),
  ])
  func `has its images, which become assets`(asset: String, place: String) throws {
    let animation = try read(
      ZipWriter([
        ("manifest.json", #"{"animations": [{"id": "one"}]}"#), ("a/one.json", Self.animation(10, image: asset)),
        (place, "bytes"),
      ]))
    let image = try #require(animation.images.first)
    #expect(animation.images.count == 1 && image.asset == AssetID("image-1") && image.path == place)
    #expect(image.data.bytes == Array("bytes".utf8) && image.data.text.hasPrefix("data:image/png;base64,"))
    #expect(animation.remarks == [])
  }

  @Test func `tells of an image that is not in it, and of what its manifest asks in vain`() throws {
    let manifest = #"""
      {"initial": {"animation": "one", "stateMachine": "taps"}, "animations": [
        {"id": "one", "initialTheme": "dark", "background": "#ff0000", "speed": 2, "direction": -1, "playMode": "bounce",
         "loop": true}]}
      """#
    let animation = try read(
      ZipWriter([("manifest.json", manifest), ("a/one.json", Self.animation(10, image: #""u": "i/", "p": "a.png""#))]))
    #expect(
      animation.remarks.map(\.description) == [
        "manifest.json: animations[0].initialTheme: the theme 'dark' is not drawn",
        "manifest.json: initial.stateMachine: the state machine 'taps' does not run: nobody touches a movie",
        "manifest.json: animations[0].background: the background is not drawn: say \"backgroundColor\": \"#ff0000\"",
        "manifest.json: animations[0].speed: the speed is that of the layer's clock: say \"clock\": {\"speed\": \"2\"}",
        "manifest.json: animations[0].direction: it is not played backwards",
        "manifest.json: animations[0].playMode: it is played forwards, not in the mode 'bounce'",
        "a/one.json: layers[0].refId (layer 'photo'): the image 'i/a.png', which is not in the archive, is not drawn: "
          + "say \"images\": {\"image_0\": …} with an asset of the document",
      ])
  }

  @Test func `may have a comment, folders, and files of other kinds`() throws {
    var writer = ZipWriter(files() + [("a/", ""), ("__MACOSX/._a", "junk"), ("s/machine.json", "{"), ("t/歌.json", "")])
    writer.comment = Array("made by hand PK\u{5}\u{6}".utf8)
    #expect(try read(writer).size == Point(10, 10))
  }

  // MARK: - Packed entries

  /// "Lottie. Lottie. Lottie." as streams of DEFLATE, each made by zlib: with fixed codes, and stored.
  @Test(
    arguments: [
      [0xf3, 0xc9, 0x2f, 0x29, 0xc9, 0x4c, 0xd5, 0x53, 0xf0, 0x41, 0xa5, 0x01],
      [0x01, 0x17, 0x00, 0xe8, 0xff] + Array("Lottie. Lottie. Lottie.".utf8),
    ] as [[UInt8]])
  func `unpacks its entries`(packed: [UInt8]) throws {
    func image(_ packed: [UInt8], count: Int = 23) -> ZipWriter {
      var entry = ZipWriter.Entry("i/a.png", packed)
      (entry.method, entry.count, entry.checksum) = (8, count, 0x2a91_0f28)
      return ZipWriter(
        ZipWriter([
          ("manifest.json", #"{"animations": [{"id": "one"}]}"#),
          ("a/one.json", Self.animation(10, image: #""u": "i/", "p": "a.png""#)),
        ]).entries + [entry])
    }
    let animation = try read(image(packed))
    #expect(String(decoding: animation.images[0].data.bytes, as: UTF8.self) == "Lottie. Lottie. Lottie.")
    let at = "a/one.json: i/a.png: its packed data "
    #expect(fault(image(packed, count: 22)) == at + "unpacks to more than the 22 bytes that are stated")
    #expect(fault(image(packed, count: 24)) == at + "unpacks to 23 bytes instead of 24")
    for length in packed.indices { #expect(fault(image(Array(packed[..<length]))).hasPrefix(at), "\(length)") }
    var damaged = packed
    damaged[packed.count == 12 ? 1 : 6] ^= 1
    #expect(fault(image(damaged)).hasPrefix("a/one.json: i/a.png: "))
  }

  // MARK: - What is refused

  @Test(arguments: [
    ("../a.json", "has a name that leads out of the archive's folder"),
    ("a/../../b.json", "has a name that leads out of the archive's folder"),
    ("/etc/passwd", "has a name that leads out of the archive's folder"),
    ("a\\b.json", "has a name that leads out of the archive's folder"),
    ("C:/a.json", "has a name that leads out of the archive's folder"),
    ("a/\u{7}.json", "has a name with control characters"), ("a/one.json", "stands twice in the archive"),
  ])
  func `is refused for names of entries`(name: String, reason: String) {
    let shown = name.contains("\u{7}") ? "a/?.json" : name
    #expect(fault(ZipWriter(files() + [(name, "")])) == "\(shown): \(reason)")
  }

  /// The fault of an archive whose third entry is changed.
  private func fault(_ change: (inout ZipWriter.Entry) -> Void) -> String {
    var writer = ZipWriter(files())
    change(&writer.entries[2])
    return fault(writer, "two")
  }

  @Test func `is refused for entries that are damaged, encrypted, packed otherwise, or overlap`() {
    #expect(fault { $0.flags = 1 } == "a/two.json: is encrypted")
    #expect(fault { $0.checksum = 7 } == "a/two.json: is damaged: its checksum (CRC-32) is another one")
    #expect(
      fault { $0.method = 12 } == "a/two.json: is packed by method 12; stored (0) and deflated (8) entries are accepted")
    #expect(fault { $0.localName = "a/twp.json" } == "a/two.json: has another name where its data are")
    #expect(fault { $0.count = 9 << 20 } == "a/two.json: unpacks to 9437184 bytes; 8388608 are accepted")
    #expect(fault { $0.count = 7 }.hasPrefix("a/two.json: has "))
    #expect(fault { $0.count = 0xffff_ffff }.contains("(zip64)"))
  }

  @Test func `is refused where two entries share bytes`() {
    // The second entry's own header stands in the data of the first.
    let hidden = ZipWriter.Entry("a/two.json", Array("{}".utf8))
    let whole = ZipWriter([hidden]).bytes
    var writer = ZipWriter(files())
    writer.entries[1].data += whole[..<(30 + 10 + 2)]
    var bytes = writer.bytes
    // The directory's last record is that of the second entry. Its place stands before its name, at the end.
    let place = bytes.count - 22 - 10 - 4
    let inner = 30 + 13 + writer.entries[0].data.count + 30 + 10 + Self.animation(10).utf8.count
    for (index, byte) in [inner & 255, inner >> 8 & 255, inner >> 16, 0].enumerated() { bytes[place + index] = UInt8(byte) }
    // Its sizes are those of what is hidden.
    for index in 0..<8 { bytes[place - 22 + index] = index % 4 == 0 ? 2 : 0 }
    do throws(LottieFault) {
      _ = try LottieAnimation(bytes)
      Issue.record("accepted")
    } catch { #expect("\(error)" == "a/two.json: overlaps the entry 'a/one.json'") }
  }

  @Test func `is refused where it is none, or breaks off`() {
    let whole = ZipWriter(files()).bytes
    for length in [4, 40, whole.count / 2, whole.count - 1] {
      #expect(throws: LottieFault(path: "", reason: "is no whole zip archive: its directory is missing. Was it cut off?")) {
        try LottieAnimation(Array(whole[..<length]))
      }
    }
    #expect(fault(ZipWriter([("a/one.json", "{}")])) == "is a zip archive without 'manifest.json', so it is no dotLottie archive")
    #expect(fault(ZipWriter([("manifest.json", "{")])).hasPrefix("manifest.json: line 1, "))
    #expect(fault(ZipWriter([("manifest.json", "{}")])) == "manifest.json: has no animations")
    #expect(fault(ZipWriter(files()), "three") == "manifest.json: has no animation 'three'; it has 'one', 'two'")
    let gone = ZipWriter([("manifest.json", Self.manifest), ("a/two.json", "{}")])
    #expect(fault(gone) == "manifest.json: names the animation 'one', which is not in the archive")
    #expect(fault(gone, "two") == "a/two.json: is no Lottie file: it is no object with \"layers\"")
    var writer = ZipWriter(files())
    writer.stated = 4
    #expect(fault(writer) == "the archive is damaged: its directory breaks off after 3 of 4 entries")
    var moved = ZipWriter(files()).bytes
    moved[moved.count - 6] ^= 1
    #expect(
      throws: LottieFault(path: "", reason: "the archive is damaged: its directory is not where the archive says")
    ) { try LottieAnimation(moved) }
    writer.stated = 2_001
    #expect(fault(writer) == "has 2001 entries; 2000 are accepted")
    #expect(throws: LottieFault(path: "", reason: "is one animation: \"animation\" names one of a dotLottie archive")) {
      try LottieAnimation(Array(Self.animation(10).utf8), LottieOptions(animation: "one"))
    }
  }
}
