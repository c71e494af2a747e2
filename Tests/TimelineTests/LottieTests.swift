import Formats
import Lottie
import MediaTime
import Testing
import Timeline

/// Lottie files: where their shapes are at stated times, and what is said of those that cannot be drawn as they are.
@Suite struct `A Lottie file` {
  private static let square = #"{"ty": "rc", "p": {"k": [0, 0]}, "s": {"k": [20, 10]}, "r": {"k": 0}}"#
  private static let red = #"{"ty": "fl", "c": {"k": [1, 0, 0, 1]}, "o": {"k": 50}, "nm": "red"}"#

  private func read(_ layers: String, _ more: String = "", options: LottieOptions = LottieOptions()) throws(LottieFault)
    -> LottieAnimation
  {
    try LottieAnimation(
      Array(#"{"v": "5.7.0", "fr": 25, "ip": 0, "op": 100, "w": 200, "h": 100, "layers": [\#(layers)]\#(more)}"#.utf8), options)
  }

  private func shape(_ shapes: String, transform: String = "{}", _ more: String = "") -> String {
    #"{"ty": 4, "nm": "a", "ind": 1, "ip": 0, "op": 100, "st": 0, "ks": \#(transform), "shapes": [\#(shapes)]\#(more)}"#
  }

  private func fault(_ layers: String, _ more: String = "") -> String {
    do {
      _ = try read(layers, more)
      return "accepted"
    } catch { return "\(error)" }
  }

  /// The place of a layer's own zero on what it stands on.
  private func origin(_ layer: Layer, _ seconds: MediaTime) throws -> Point {
    let map = try layer.geometry.map(of: Point(1_000, 1_000), at: seconds)
    return Point(map.tx, map.ty)
  }

  private func time(_ frame: Int64) throws -> MediaTime { try MediaTime(frame, 25) }

  // MARK: - What is drawn

  @Test func `a filled rectangle is an outline with its colour and opacity`() throws {
    let animation = try read(shape("\(Self.square), \(Self.red)"))
    #expect(animation.remarks == [] && animation.size == Point(200, 100) && animation.duration == MediaTime(seconds: 4))
    let layer = try #require(animation.layers.first)
    guard case .shape(let content)? = layer.content, case .path(let path) = content.outline else {
      Issue.record("\(layer)")
      return
    }
    #expect(content.fillColor == RGBAColor(1, 0, 0) && layer.opacity.constant == 0.5)
    #expect(path.points.map(\.x).min() == -10 && path.points.map(\.x).max() == 10 && path.points.map(\.y).max() == 5)
  }

  @Test func `a place moves by its keyframes, eased, held and along curves`() throws {
    let line =
      #"{"p": {"a": 1, "k": [{"t": 0, "s": [10, 20], "h": 1}, {"t": 25, "s": [10, 20], "o": {"x": 0.5, "y": 0}, "i": {"x": 0.5, "y": 1}}, {"t": 75, "s": [110, 40]}]}}"#
    let layer = try #require(try read(shape("\(Self.square), \(Self.red)", transform: line)).layers.first)
    for (frame, place) in [
      (0, Point(10, 20)), (24, Point(10, 20)), (50, Point(60, 30)), (75, Point(110, 40)), (99, Point(110, 40)),
    ] {
      let found = try origin(layer, time(Int64(frame)))
      #expect(abs(found.x - place.x) < 1e-9 && abs(found.y - place.y) < 1e-9, "\(frame): \(found)")
    }
    // Half of a quarter circle is at 45 degrees.
    let arc =
      #"{"p": {"a": 1, "k": [{"t": 0, "s": [100, 0], "to": [0, 55.228], "ti": [55.228, 0], "o": {"x": 0, "y": 0}, "i": {"x": 1, "y": 1}}, {"t": 50, "s": [0, 100]}]}}"#
    let turning = try #require(try read(shape("\(Self.square), \(Self.red)", transform: arc)).layers.first)
    let middle = try origin(turning, time(25))
    #expect(abs(middle.x - 70.7107) < 0.02 && abs(middle.y - 70.7107) < 0.02, "\(middle)")
  }

  @Test func `numbers that are eased on their own are sums`() throws {
    let easings = #""o": {"x": [0, 0.5], "y": [0, 0]}, "i": {"x": [1, 0.5], "y": [1, 1]}"#
    let scale = #"{"s": {"a": 1, "k": [{"t": 0, "s": [0, 0], \#(easings)}, {"t": 50, "s": [100, 200]}]}}"#
    let layer = try #require(try read(shape("\(Self.square), \(Self.red)", transform: scale)).layers.first)
    let quarter = try at(MediaTime(25, 50)) { try layer.geometry.scale.heldValue(at: $0, neutral: Point(1, 1)) }
    let eased = Easing.bezier(x1: 0.5, y1: 0, x2: 0.5, y2: 1).progress(at: 0.25)
    #expect(abs(quarter.x - 0.25) < 1e-9 && abs(quarter.y - 2 * eased) < 1e-9, "\(quarter)")
    let split =
      #"{"p": {"s": true, "x": {"a": 1, "k": [{"t": 0, "s": [0]}, {"t": 50, "s": [50]}]}, "y": {"a": 1, "k": [{"t": 25, "s": [0]}, {"t": 75, "s": [100]}]}}}"#
    let apart = try #require(try read(shape("\(Self.square), \(Self.red)", transform: split)).layers.first)
    #expect(try origin(apart, time(50)) == Point(50, 50))
  }

  @Test func `frames before zero are told on a clock that is ahead`() throws {
    let early = #"{"r": {"a": 1, "k": [{"t": -25, "s": [0]}, {"t": 25, "s": [90]}]}}"#
    let animation = try read(shape("\(Self.square), \(Self.red)", transform: early))
    #expect(animation.start == .oneSecond)
    let layer = animation.layer(in: Rect(0, 0, 200, 100), gravity: .resize, loops: true)
    let clock = try #require(layer.clock)
    #expect(try at(clock.time(at: .zero)) { try animation.layers[0].geometry.rotation.heldValue(at: $0, neutral: 0) } == 45)
    #expect(try clock.time(at: MediaTime(seconds: 5)) == clock.time(at: .oneSecond))
    let once = try #require(animation.layer(in: Rect(0, 0, 200, 100), gravity: .resize, loops: false).clock)
    #expect(try once.time(at: MediaTime(seconds: 50)) == MediaTime(seconds: 1 + 4) - MediaTime(1, 25))
  }

  @Test func `copies of nothing, and what is seen through nothing, are left out`() throws {
    let copies =
      #"{"ty": "gr", "it": [\#(Self.red), {"ty": "rp", "c": {"k": 3}, "o": {"k": 0}, "m": 1, "tr": {"p": {"k": [20, 0]}}}]}"#
    let animation = try read(shape("\(copies), \(Self.square), \(Self.red)"))
    let all = animation.layers.flatMap(\.all).map(\.layer)
    #expect(!all.isEmpty && all.allSatisfy { $0.content != nil || !$0.sublayers.isEmpty }, "\(all)")
    #expect(try read(shape(copies)).layers == [])
    let matte = shape(copies, #", "td": 1"#)
    #expect(try read("\(matte), \(shape("\(Self.square), \(Self.red)", #", "tt": 1"#))").layers == [])
  }

  @Test func `parents move what stands on them, and do not fade it`() throws {
    let parent = #"{"ty": 3, "ind": 2, "ip": 0, "op": 100, "ks": {"p": {"k": [30, 40]}, "s": {"k": [200, 200]}, "o": {"k": 0}}}"#
    let child = shape("\(Self.square), \(Self.red)", transform: #"{"p": {"k": [5, 6]}}"#, #", "parent": 2"#)
    let animation = try read("\(child), \(parent)")
    #expect(animation.layers.count == 1)
    let outer = animation.layers[0]
    #expect(outer.opacity.keyframes.isEmpty)
    let inner = try origin(outer.sublayers[0], .zero)
    let map = try outer.geometry.map(of: Point(1_000, 1_000), at: .zero)
    let seen = map.apply(inner.x, inner.y)
    #expect(abs(seen.0 - 40) < 1e-9 && abs(seen.1 - 52) < 1e-9)
  }

  @Test func `outlines pass into each other, and what has other corners waits`() throws {
    func corners(_ list: String, _ closed: Bool = true) -> String {
      let zero = list.contains("[9, 9]") ? "[[0, 0], [0, 0], [0, 0]]" : "[[0, 0], [0, 0]]"
      return #"[{"c": \#(closed), "v": [\#(list)], "i": \#(zero), "o": \#(zero)}]"#
    }
    let path =
      #"{"ty": "sh", "ks": {"a": 1, "k": [{"t": 0, "s": \#(corners("[0, 0], [10, 0]"))}, {"t": 50, "s": \#(corners("[0, 20], [30, 0]"))}, {"t": 75, "s": \#(corners("[1, 1], [5, 5], [9, 9]"))}]}}"#
    let animation = try read(shape("\(path), \(Self.red)"))
    guard case .shape(let content)? = animation.layers.first?.content else {
      Issue.record("no shape")
      return
    }
    func points(_ frame: Int64) throws -> [Point] {
      guard case .path(let path) = try at(time(frame), { try content.settled(at: $0) }).outline else { return [] }
      return path.elements.compactMap {
        if case .move(let point) = $0 { point } else if case .curve(_, _, let end) = $0 { end } else { nil }
      }
    }
    #expect(try points(25) == [Point(0, 10), Point(20, 0), Point(0, 10)])
    #expect(try points(74) == [Point(0, 20), Point(30, 0), Point(0, 20)])
    #expect(try points(75).count == 4)
    #expect(animation.remarks.map(\.kind) == [.approximated])
  }

  @Test(arguments: [
    (#""closed": true, "#, "", true), (#""closed": false, "#, "", false), ("", "", false), ("", #""c": true, "#, true),
    (#""closed": true, "#, #""c": false, "#, false),
  ])
  func `outlines of old files are closed where their path says it`(path: String, outline: String, isClosed: Bool) throws {
    let outline = #"{\#(outline)"v": [[0, 0], [9, 0], [9, 9]], "i": [[0, 0], [0, 0], [0, 0]], "o": [[0, 0], [0, 0], [0, 0]]}"#
    for keys in [outline, #"[{"t": 0, "s": [\#(outline)]}, {"t": 9, "s": [\#(outline)]}]"#] {
      let animation = try read(shape(#"{"ty": "sh", \#(path)"ks": {"k": \#(keys)}}, \#(Self.red)"#))
      guard case .shape(let content)? = animation.layers.first?.content, case .path(let found) = content.outline else {
        Issue.record("no shape")
        return
      }
      #expect(found.elements.contains(.close) == isClosed)
    }
  }

  @Test func `a trimmed line over the outline's beginning is two`() throws {
    let stroke = #"{"ty": "st", "c": {"k": [0, 1, 0]}, "o": {"k": 100}, "w": {"k": 3}, "lc": 1, "lj": 1, "ml": 4}"#
    let trim = #"{"ty": "tm", "s": {"k": 0}, "e": {"k": 50}, "o": {"k": 270}, "m": 1}"#
    let layers = try read(shape("\(Self.square), \(stroke), \(trim)")).layers.flatMap {
      $0.sublayers.isEmpty ? [$0] : $0.sublayers
    }
    let spans = layers.compactMap { layer -> [Double]? in
      guard case .shape(let shape)? = layer.content else { return nil }
      return [shape.strokeStart.constant ?? 0, shape.strokeEnd.constant ?? 1]
    }
    #expect(spans == [[0.75, 1], [0, 0.25]])
    guard case .shape(let shape)? = layers[0].content else { return }
    #expect(shape.lineWidth == 3 && shape.lineCap == .butt && shape.lineJoin == .miter && shape.miterLimit == 4)
  }

  @Test func `a composition is on a clock of its own, at its speed`() throws {
    let inner = shape(
      "\(Self.square), \(Self.red)", transform: #"{"r": {"a": 1, "k": [{"t": 0, "s": [0]}, {"t": 100, "s": [100]}]}}"#)
    let holder = #"{"ty": 0, "refId": "c", "ind": 1, "ip": 10, "op": 90, "st": 10, "sr": 2, "w": 50, "h": 50, "ks": {}}"#
    let animation = try read(holder, #", "assets": [{"id": "c", "layers": [\#(inner)]}]"#)
    let layer = try #require(animation.layers.first)
    #expect(layer.timeRange == (try MediaTimeRange(start: time(10), end: time(90))))
    let composition = try #require(layer.clock == nil ? layer.sublayers.first : layer)
    #expect(try composition.clock?.time(at: time(50)) == time(20))
    #expect(composition.style.masksToBounds && composition.geometry.frame == Rect(0, 0, 50, 50))
    let remapped =
      #"{"ty": 0, "refId": "c", "ip": 0, "op": 100, "w": 50, "h": 50, "ks": {}, "tm": {"a": 1, "k": [{"t": 0, "s": [4]}, {"t": 50, "s": [0]}]}}"#
    let back = try read(remapped, #", "assets": [{"id": "c", "layers": [\#(inner)]}]"#)
    let holders = back.layers.flatMap { $0.sublayers.isEmpty ? [$0] : $0.timeRange == nil ? $0.sublayers : [$0] }
    let seen = try holders.filter { $0.timeRange?.contains(try time(25)) ?? true }
    #expect(seen.count == 1)
    let ahead = try #require(seen.first?.clock).time(at: time(25))
    #expect(try seen.first?.sublayers.first?.clock?.time(at: ahead) == time(50))
  }

  @Test func `masks and mattes are masks`() throws {
    let path =
      #"{"a": 0, "k": {"c": true, "v": [[0, 0], [5, 0], [5, 5]], "i": [[0, 0], [0, 0], [0, 0]], "o": [[0, 0], [0, 0], [0, 0]]}}"#
    let masked = shape(
      "\(Self.square), \(Self.red)", #", "masksProperties": [{"mode": "a", "inv": false, "pt": \#(path), "o": {"k": 100}}]"#)
    let alpha = try #require(try read(masked).layers.first)
    #expect(alpha.mask != nil && alpha.maskMode == .alpha)
    let cut = shape(
      "\(Self.square), \(Self.red)", #", "masksProperties": [{"mode": "s", "inv": false, "pt": \#(path), "o": {"k": 100}}]"#)
    #expect(try read(cut).layers.first?.maskMode == .luminance)
    for (kind, mode) in [(1, MaskMode.alpha), (2, .luminance), (3, .luminance), (4, .luminance)] {
      let matte = shape("\(Self.square), \(Self.red)", #", "td": 1"#)
      let under = shape("\(Self.square), \(Self.red)", #", "tt": \#(kind)"#)
      let layers = try read("\(matte), \(under)").layers
      #expect(layers.count == 1 && layers[0].mask != nil && layers[0].maskMode == mode, "\(kind)")
    }
  }

  // MARK: - What is told

  @Test(arguments: [
    (#""ef": [{"ty": 23, "nm": "Tritone", "en": 1}]"#, "layers[0].ef[0] (layer 'a'): the effect 'Tritone' is not drawn"),
    (#""ddd": 1"#, "layers[0].ddd (layer 'a'): layers in space are drawn in the plane"),
    (#""bm": 17"#, "layers[0].bm (layer 'a'): the blend mode 17 is not known: it is drawn as 'normal'"),
  ])
  func `what is lost of a layer is told with its name`(_ key: String, _ remark: String) throws {
    #expect(try read(shape("\(Self.square), \(Self.red)", ", \(key)")).remarks.map(\.description) == [remark])
  }

  @Test func `a layer that is added to what lies below is, and nothing of it is told`() throws {
    let read = try read(shape("\(Self.square), \(Self.red)", #", "bm": 16"#))
    #expect(read.layers.map(\.style.blendMode) == [.plusLighter])
    #expect(read.remarks.isEmpty)
  }

  @Test func `an effect is told as far as it is not drawn as the file has it`() throws {
    func remarks(_ effect: String) throws -> [String] {
      try read(shape("\(Self.square), \(Self.red)", #", "ef": [\#(effect)]"#)).remarks.map(\.description)
    }
    let zero = #"{"v": {"k": 0}}"#
    let fill = #"{"ty": 21, "nm": "Fill", "ef": [\#(zero), \#(zero), {"v": {"k": [1, 0, 0]}}, \#(zero), {"v": {"k": 4}}]}"#
    #expect(
      try remarks(fill) == ["layers[0].ef[0].ef[4] (layer 'a'): the layer is filled to its edges, not inverted and not feathered"]
    )
    #expect(
      try remarks(#"{"ty": 20, "nm": "Tint", "ef": []}"#)
        == ["layers[0].ef[0] (layer 'a'): the brightness that is tinted is the luma of a colour's codes"])
    #expect(try remarks(#"{"ty": 21, "nm": "Fill", "en": 0, "ef": []}"#) == [])
  }

  /// The numbers are those of lottie-web's effects.
  @Test func `a drop shadow and a blur are those of a layer around what is shown`() throws {
    func outer(_ effect: String) throws -> LayerStyle {
      let animation = try read(shape("\(Self.square), \(Self.red)", #", "ef": [\#(effect)]"#))
      #expect(animation.remarks.isEmpty)
      return try #require(animation.layers.first).style
    }
    func values(_ values: Double...) -> String { values.map { #"{"v": {"k": \#($0)}}"# }.joined(separator: ", ") }
    let shadow = try outer(#"{"ty": 25, "ef": [{"v": {"k": [0, 0, 1]}}, \#(values(51, 180, 20, 8))]}"#).shadow
    let cast = try #require(try shadow.map { shadow in try at(.zero) { try shadow.shadow(at: $0) } })
    #expect(cast.color == RGBAColor(0, 0, 1, alpha: 0.2) && cast.radius == 2)
    #expect(abs(cast.offset.x) < 1e-9 && abs(cast.offset.y - 20) < 1e-9, "an angle of 180 degrees is downwards")
    #expect(
      try outer(#"{"ty": 29, "ef": [\#(values(10, 1, 0))]}"#).filters
        == [.gaussianBlur(radius: Envelope(constant: 3))])
  }

  @Test func `merged paths are told where a line goes along them, and where they are merged again`() throws {
    func remarks(_ shapes: String) throws -> [String] { try read(shape(shapes)).remarks.map(\.path) }
    let pair = "\(Self.square), \(Self.square)"
    #expect(try remarks(#"\#(pair), {"ty": "mm", "mm": 4}, \#(Self.red)"#) == [])
    let line = #"{"ty": "st", "c": {"k": [1, 0, 0]}, "o": {"k": 100}, "w": {"k": 2}}"#
    #expect(try remarks(#"\#(pair), {"ty": "mm", "mm": 3}, \#(line)"#) == ["layers[0].shapes[2]"])
    // What paints before the merging knows nothing of it.
    #expect(try remarks(#"\#(pair), \#(line), {"ty": "mm", "mm": 3}, \#(Self.red)"#) == [])
    let twice = #"{"ty": "gr", "it": [\#(pair), {"ty": "mm", "mm": 2}]}, \#(Self.square), {"ty": "mm", "mm": 3}, \#(Self.red)"#
    #expect(try remarks(twice) == ["layers[0].shapes[0].it[2]"])
    guard case nil = try read(shape(#"\#(pair), {"ty": "mm", "mm": 5}, \#(Self.red)"#)).layers[0].content else {
      return #expect(Bool(false))
    }
  }

  @Test func `what is lost of its values and shapes is told with its path`() throws {
    let expression = #"{"r": {"k": 0, "x": "var $bm_rt = time * 90;"}}"#
    #expect(
      try read(shape("\(Self.square), \(Self.red), {\"ty\": \"zz\"}", transform: expression)).remarks.map(\.path)
        == ["layers[0].shapes[2]", "layers[0].ks.r.x"])
    let image = #"{"ty": 2, "nm": "photo", "refId": "image_0", "ip": 0, "op": 100, "ks": {}}"#
    let assets = #", "assets": [{"id": "image_0", "w": 10, "h": 10, "u": "images/", "p": "a.png", "e": 0}]"#
    let lost = try read(image, assets)
    #expect(
      lost.layers.isEmpty
        && lost.remarks.map(\.description) == [
          "layers[0].refId (layer 'photo'): the image 'images/a.png' beside the file is not drawn: say \"images\": {\"image_0\": …} with an asset of the document"
        ])
    let found = try read(image, assets, options: LottieOptions(images: ["image_0": AssetID("logo")]))
    #expect(found.remarks.isEmpty && found.layers.count == 1)
    let nameless = try read(image, "")
    #expect(
      nameless.layers.isEmpty
        && nameless.remarks.map(\.description) == ["layers[0].refId (layer 'photo'): there is no image of this name"])
  }

  /// A file that shows `image_0`, whose value of `p` is this.
  private func image(_ name: String, _ layers: Int = 1, options: LottieOptions = LottieOptions()) throws -> LottieAnimation {
    let layer = #"{"ty": 2, "nm": "photo", "refId": "image_0", "ip": 0, "op": 100, "ks": {}}"#
    return try read(
      Array(repeating: layer, count: layers).joined(separator: ","),
      #", "assets": [{"id": "image_0", "w": 10, "h": 20, "e": 1, "u": "", "p": "\#(name)"}]"#, options: options)
  }

  @Test func `an image in the file becomes an asset, once`() throws {
    let animation = try image("data:image/png;base64,AQID", 2, options: LottieOptions(prefix: "lottie-3-image-"))
    #expect(animation.remarks == [] && animation.layers.count == 2)
    #expect(animation.images.map(\.asset) == [AssetID("lottie-3-image-1")] && animation.images[0].path == "assets[0].p")
    #expect(animation.images[0].data.bytes == [1, 2, 3])
    for layer in animation.layers {
      guard case .image(let image)? = layer.content else {
        Issue.record("\(layer)")
        return
      }
      #expect(image.asset == AssetID("lottie-3-image-1") && layer.geometry.frame == Rect(0, 0, 10, 20))
    }
    // What the document gives counts.
    let given = try image("data:image/png;base64,AQID", options: LottieOptions(images: ["image_0": AssetID("logo")]))
    #expect(given.images == [] && given.remarks == [])
  }

  @Test(arguments: [
    (
      "https://media.example/a.png",
      "layers[0].refId (layer 'photo'): the image 'https://media.example/a.png' behind a URL is not drawn: say \"images\": {\"image_0\": …} with an asset of the document"
    ),
    (
      "data:image/png;base64,AQI",
      "assets[0].p (layer 'photo'): the image 'image_0' is not drawn: its data URL breaks off: its base64 is not whole"
    ),
    (
      "data:image/svg+xml;utf8,<svg/>",
      "assets[0].p (layer 'photo'): the image 'image_0' is not drawn: its data URL is not in base64: say ';base64,' before its data"
    ),
    (
      "data:video/mp4;base64,AQID",
      "layers[0].refId (layer 'photo'): what is no image (data:video/mp4;base64,AQ…) is not drawn: say \"images\": {\"image_0\": …} with an asset of the document"
    ),
  ])
  func `an image that is not in the file, or is broken, is told`(name: String, remark: String) throws {
    let animation = try image(name)
    #expect(animation.layers == [] && animation.images == [] && animation.remarks.map(\.description) == [remark])
  }

  // MARK: - What is refused

  @Test(arguments: [
    (
      #"{"ty": 0, "refId": "c", "ip": 0, "op": 9, "ks": {}}"#,
      #", "assets": [{"id": "c", "layers": [{"ty": 0, "refId": "c", "ip": 0, "op": 9, "ks": {}}]}]"#,
      "assets[0].layers[0]: the composition 'c' contains itself"
    ),
    (
      #"{"ty": 3, "ind": 1, "parent": 1, "ks": {}}, {"ty": 1, "ind": 2, "parent": 1, "sw": 9, "sh": 9, "sc": "ff0000", "ip": 0, "op": 9, "ks": {}}"#,
      "", "layers[0]: the layer is its own parent"
    ),
    (
      #"{"ty": 1, "sw": 9, "sh": 9, "sc": "ff0000", "ip": 0, "op": 9, "ks": {"r": {"a": 1, "k": [{"t": 9, "s": [0]}, {"t": 3, "s": [0]}]}}}"#,
      "", "layers[0].ks.r.k[1]: the keyframe at 3 comes after that at 9"
    ),
    (#"{"ty": 1, "sw": 1e300, "sh": 9, "ip": 0, "op": 9, "ks": {}}"#, "", "layers[0].sw: 1e300 is no number below 1000000000"),
    (
      #"{"ty": 4, "ip": 0, "op": 9, "ks": {}, "shapes": [{"ty": "rp", "c": {"k": 100000}}]}"#, "",
      "layers[0].shapes[0]: makes 100000 copies; at most 200 are accepted"
    ),
    (
      #"{"ty": 4, "ip": 0, "op": 9, "ks": {}, "shapes": [{"ty": "fl", "c": {"k": [NaN]}}]}"#, "",
      "layers[0].shapes[0].c.k[0]: line 1, column 151: 'NaN' is not a JSON value"
    ),
  ])
  func `faults are named by their place`(_ layers: String, _ more: String, _ expected: String) {
    #expect(fault(layers, more) == expected)
  }

  @Test func `compositions of compositions do not grow without bound`() {
    let names = (0..<12).map { "c\($0)" }
    let assets = names.enumerated().map { index, name in
      let next = index + 1 < names.count ? names[index + 1] : "leaf"
      let layer = #"{"ty": 0, "refId": "\#(next)", "ip": 0, "op": 9, "w": 9, "h": 9, "ks": {}}"#
      return #"{"id": "\#(name)", "layers": [\#(Array(repeating: layer, count: 10).joined(separator: ","))]}"#
    }
    let leaf = #"{"id": "leaf", "layers": [{"ty": 1, "sw": 9, "sh": 9, "sc": "ff0000", "ip": 0, "op": 9, "ks": {}}]}"#
    let all = (assets + [leaf]).joined(separator: ",")
    let found = fault(#"{"ty": 0, "refId": "c0", "ip": 0, "op": 9, "w": 9, "h": 9, "ks": {}}"#, #", "assets": [\#(all)]"#)
    #expect(found.contains("levels deep") || found.contains("more than 5000 layers"), "\(found)")
  }

  @Test(arguments: [
    ("[]", "is no Lottie file: it is no object with \"layers\""),
    ("PK\u{3}\u{4}", "is no whole zip archive: its directory is missing. Was it cut off?"),
    (#"{"layers": [], "fr": 0}"#, "fr: 0 frames a second are not in 0.1...1000.0"),
    (#"{"layers": [], "fr": 30, "ip": 5, "op": 5, "w": 9, "h": 9}"#, "op: the animation lasts from frame 5 to 5"),
    (#"{"layers": [], "fr": 30, "ip": 0, "op": 5, "w": 0, "h": 9}"#, "w: the size 0x9 is not in 1...8192"),
  ])
  func `files that are none are refused`(_ text: String, _ expected: String) {
    #expect(throws: LottieFault.self) { try LottieAnimation(Array(text.utf8)) }
    do throws(LottieFault) { _ = try LottieAnimation(Array(text.utf8)) } catch { #expect("\(error)" == expected) }
  }
}
