internal import JSON
package import Timeline

/// The animations of texts that have names. Each is what a document could say itself; docs/text-animations.md shows all of them.
package enum TextPresets {
  /// The presets by their names.
  package static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.animation) })

  /// The presets in the order in which they are listed, each with its line of the list.
  package static let all: [(name: String, animation: TextAnimation, source: String)] = {
    let reader = DocumentReader(knowing: [:])
    return list.split(separator: "\n").map { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      // The list is in this file, and a test reads all of it.
      guard let json = try? JSONReader.read(Array(parts[1].utf8)) else { preconditionFailure("no JSON: \(line)") }
      let node = DocumentNode(value: json, path: .root, log: reader.log)
      guard let animation = reader.textAnimation(node, .any) else { preconditionFailure("no animation: \(line)") }
      return (String(parts[0]), animation, String(parts[1]))
    }
  }()

  private static let list = """
    typewriter {"unit": "grapheme", "stagger": "0.06", "duration": "0", "away": {"opacity": 0}}
    wordByWord {"unit": "word", "stagger": "0.25", "duration": "0", "away": {"opacity": 0}}
    lineByLine {"unit": "line", "stagger": "0.8", "duration": "0", "away": {"opacity": 0}}
    fade {"unit": "text", "duration": "0.5", "away": {"opacity": 0}}
    fadeLetters {"unit": "grapheme", "stagger": "0.04", "duration": "0.4", "away": {"opacity": 0}}
    fadeWords {"unit": "word", "stagger": "0.12", "duration": "0.5", "away": {"opacity": 0}}
    fadeLines {"unit": "line", "stagger": "0.3", "duration": "0.6", "away": {"opacity": 0}}
    fadeUp {"unit": "word", "stagger": "0.08", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "offset": [0, 0.6]}}
    fadeDown {"unit": "word", "stagger": "0.08", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "offset": [0, -0.6]}}
    fadeFromLeft {"unit": "word", "stagger": "0.08", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "offset": [-0.8, 0]}}
    fadeFromRight {"unit": "word", "stagger": "0.08", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "offset": [0.8, 0]}}
    fadeFromCenter {"unit": "grapheme", "order": "center", "stagger": "0.05", "duration": "0.4", "away": {"opacity": 0}}
    fadeToCenter {"unit": "grapheme", "order": "edges", "stagger": "0.05", "duration": "0.4", "away": {"opacity": 0}}
    fadeRandom {"unit": "grapheme", "order": "random", "stagger": "0.04", "duration": "0.5", "away": {"opacity": 0}}
    slideUp {"unit": "line", "stagger": "0.12", "duration": "0.6", "easing": [0.16, 1, 0.3, 1], "clip": true, "away": {"offset": [0, 1.4]}}
    slideDown {"unit": "line", "stagger": "0.12", "duration": "0.6", "easing": [0.16, 1, 0.3, 1], "clip": true, "away": {"offset": [0, -1.4]}}
    slideFromLeft {"unit": "line", "stagger": "0.12", "duration": "0.7", "easing": [0.16, 1, 0.3, 1], "away": {"opacity": 0, "offset": [-6, 0]}}
    slideFromRight {"unit": "line", "stagger": "0.12", "duration": "0.7", "easing": [0.16, 1, 0.3, 1], "away": {"opacity": 0, "offset": [6, 0]}}
    riseLetters {"unit": "grapheme", "stagger": "0.03", "duration": "0.5", "easing": [0.16, 1, 0.3, 1], "clip": true, "away": {"offset": [0, 1.4]}}
    riseWords {"unit": "word", "stagger": "0.09", "duration": "0.6", "easing": [0.16, 1, 0.3, 1], "clip": true, "away": {"offset": [0, 1.4]}}
    fallLetters {"unit": "grapheme", "stagger": "0.03", "duration": "0.5", "easing": [0.16, 1, 0.3, 1], "clip": true, "away": {"offset": [0, -1.4]}}
    dropLetters {"unit": "grapheme", "stagger": "0.05", "duration": "0.7", "easing": {"stiffness": 180, "damping": 12}, "away": [{"opacity": 0, "offset": [0, -2]}, {"at": 0.05, "offset": [0, -1.8]}]}
    pop {"unit": "text", "duration": "0.6", "easing": {"stiffness": 260, "damping": 14}, "away": [{"opacity": 0, "scale": 0.3}, {"at": 0.02, "scale": 0.3}]}
    popWords {"unit": "word", "stagger": "0.12", "duration": "0.5", "easing": {"stiffness": 260, "damping": 14}, "away": [{"opacity": 0, "scale": 0.3}, {"at": 0.02, "scale": 0.3}]}
    popLetters {"unit": "grapheme", "stagger": "0.05", "duration": "0.5", "easing": {"stiffness": 260, "damping": 14}, "away": [{"opacity": 0, "scale": 0.3}, {"at": 0.02, "scale": 0.3}]}
    growWords {"unit": "word", "stagger": "0.1", "duration": "0.4", "easing": "easeOut", "away": {"opacity": 0, "scale": 0}}
    growLetters {"unit": "grapheme", "stagger": "0.04", "duration": "0.4", "easing": "easeOut", "away": {"opacity": 0, "scale": 0}}
    shrinkWords {"unit": "word", "stagger": "0.12", "duration": "0.4", "easing": "easeOut", "away": {"opacity": 0, "scale": 2.5}}
    slam {"unit": "text", "duration": "0.35", "easing": "easeIn", "away": {"opacity": 0, "scale": 4}}
    stretchIn {"unit": "grapheme", "stagger": "0.04", "duration": "0.5", "easing": [0.34, 1.56, 0.64, 1], "anchor": [0.5, 1], "away": {"opacity": 0, "scale": [1, 0]}}
    unfold {"unit": "line", "stagger": "0.15", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "scale": [1, 0]}}
    expand {"unit": "line", "stagger": "0.15", "duration": "0.6", "easing": [0.16, 1, 0.3, 1], "away": {"opacity": 0, "scale": [0, 1]}}
    flipLetters {"unit": "grapheme", "stagger": "0.05", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "scale": [-1, 1]}}
    spinLetters {"unit": "grapheme", "stagger": "0.05", "duration": "0.6", "easing": "easeOut", "away": {"opacity": 0, "scale": 0.2, "rotation": -180}}
    swing {"unit": "word", "stagger": "0.1", "duration": "0.9", "easing": {"stiffness": 120, "damping": 9}, "anchor": [0.5, 0], "away": [{"opacity": 0, "rotation": -40}, {"at": 0.02, "rotation": -40}]}
    tumble {"unit": "grapheme", "stagger": "0.05", "duration": "0.6", "easing": "easeOut", "alternate": true, "away": {"opacity": 0, "offset": [0, -1], "rotation": 60}}
    zigzag {"unit": "grapheme", "stagger": "0.04", "duration": "0.5", "easing": "easeOut", "alternate": true, "away": {"opacity": 0, "offset": [0, 1]}}
    blurIn {"unit": "text", "duration": "0.6", "easing": "easeOut", "away": {"opacity": 0, "blur": 0.4}}
    blurWords {"unit": "word", "stagger": "0.1", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "blur": 0.3}}
    blurLetters {"unit": "grapheme", "stagger": "0.04", "duration": "0.5", "easing": "easeOut", "away": {"opacity": 0, "blur": 0.3}}
    wipe {"unit": "line", "stagger": "0.5", "duration": "0.7", "easing": "easeInOut", "away": {"reveal": 0}}
    wipeWords {"unit": "word", "stagger": "0.2", "duration": "0.3", "away": {"reveal": 0}}
    flash {"unit": "word", "stagger": "0.1", "duration": "0.5", "away": [{"opacity": 0}, {"at": 0.01, "color": "#ffffff", "scale": 1.1}]}
    glitch {"unit": "grapheme", "order": "random", "stagger": "0.02", "duration": "0.3", "away": [{"opacity": 0}, {"at": 0.1, "offset": [0.3, 0], "color": "#ff0050"}, {"at": 0.4, "offset": [-0.2, 0.1], "color": "#00e5ff"}, {"at": 0.7, "offset": [0.1, -0.05], "opacity": 0.5}]}
    highlight {"unit": "word", "stagger": "0.25", "duration": "0.5", "repeat": 1, "away": [{}, {"at": 0.2, "color": "#ffc040"}, {"at": 0.7, "color": "#ffc040"}]}
    sweep {"unit": "grapheme", "stagger": "0.04", "duration": "2", "away": [{}, {"at": 0.1, "color": "#ffffff"}, {"at": 0.3}]}
    rainbow {"unit": "grapheme", "stagger": "0.08", "duration": "2.4", "away": [{"color": "#ff4040"}, {"at": 0.17, "color": "#ffc040"}, {"at": 0.33, "color": "#60e060"}, {"at": 0.5, "color": "#40d0ff"}, {"at": 0.67, "color": "#6070ff"}, {"at": 0.83, "color": "#ff60d0"}, {"at": 0.99, "color": "#ff4040"}]}
    wave {"unit": "grapheme", "stagger": "0.07", "duration": "1.4", "easing": "easeInOut", "away": [{}, {"at": 0.25, "offset": [0, -0.25]}, {"at": 0.5}]}
    pulse {"unit": "text", "duration": "1", "easing": "easeInOut", "away": [{}, {"at": 0.5, "scale": 1.12}]}
    heartbeat {"unit": "text", "duration": "1.2", "easing": "easeOut", "away": [{}, {"at": 0.12, "scale": 1.15}, {"at": 0.24}, {"at": 0.36, "scale": 1.15}, {"at": 0.6}]}
    bounceWords {"unit": "word", "stagger": "0.15", "duration": "1.2", "easing": "easeOut", "away": [{}, {"at": 0.2, "offset": [0, -0.4]}, {"at": 0.4}]}
    shake {"unit": "grapheme", "stagger": "0.01", "duration": "0.4", "alternate": true, "away": [{}, {"at": 0.25, "offset": [0.04, 0], "rotation": 3}, {"at": 0.75, "offset": [-0.04, 0], "rotation": -3}]}
    float {"unit": "text", "duration": "3", "easing": "easeInOut", "away": [{}, {"at": 0.5, "offset": [0, -0.3]}]}
    blink {"unit": "text", "duration": "1", "away": [{}, {"at": 0.5, "opacity": 0}, {"at": 0.999, "opacity": 0}]}
    emphasize {"unit": "word", "duration": "0.35", "easing": "easeOut", "away": [{}, {"at": 0.3, "scale": 1.25}]}
    jump {"unit": "word", "duration": "0.4", "easing": "easeOut", "away": [{}, {"at": 0.4, "offset": [0, -0.3]}]}
    """
}
