import EditTesting
import Document
import FarmTesting
import Formats
import Glibc
import MediaTime
import Scenes
import Testing
import Timeline

/// Tests of effects on sound: what documents say, and the arithmetic that follows from it.
@Suite struct `Effects on sound` {
  private func document(_ effects: String, whole: String = "[]", nested: String = "", rate: Int = 48_000) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.wav"}}, "compositions": {"n": {"tracks": [
      {"id": "i", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]}]\(nested)}},
     "composition": {"tracks": [{"id": "t", "media": "audio", "segments": [{"composition": "n"}]}]},
     "audioMix": [{"track": "t", "effects": \(effects)}],
     "export": {"fileType": "wav", "effects": \(whole), "audio": {"codec": "pcm", "sampleRate": \(rate)}}}
    """
  }

  private static let all = #"""
    [{"equalizer": [{"kind": "highPass", "frequency": 80}, {"kind": "peak", "frequency": 2500, "gain": "3 dB", "q": 1}]},
     {"gate": {"threshold": "-50 dB", "range": "-20dB", "hold": "0.1"}}, {"deEsser": {"threshold": "-30 dB"}},
     {"compressor": {"threshold": "-20.5 dB", "knee": "0 dB", "attack": "0", "makeUpGain": "4 dB"}},
     {"reverb": {}}, {"reverb": {"decay": "2.5", "level": "-18 dB", "preDelay": "0", "brightness": 0.75}}]
    """#

  @Test func `are read in their order, with usual values for what is left out`() throws {
    let edit = try Timeline.parse(Array(document(Self.all, whole: Self.all).utf8))
    let expected: [SoundEffect] = [
      .equalizer([EqualizerBand(.highPass, frequency: 80), EqualizerBand(.peak, frequency: 2_500, gain: 3, quality: 1)]),
      .gate(Gate(threshold: -50, range: -20, hold: MediaTime(milliseconds: 100))), .deEsser(DeEsser(threshold: -30)),
      .compressor(Compressor(threshold: -20.5, knee: 0, attack: .zero, makeUpGain: 4)),
      .reverb(Reverberation()),
      .reverb(Reverberation(decay: MediaTime(milliseconds: 2_500), level: -18, preDelay: .zero, brightness: 0.75)),
    ]
    #expect(edit.audioMix.effects(on: TrackID("t")) == expected && edit.export.effects == expected)
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
  }

  @Test(arguments: [
    (#"[{}]"#, #"audioMix[0].effects[0]: is no effect: needs "equalizer", "compressor", "gate", "deEsser" or "reverb""#),
    (#"[{"reverb": {"decay": "31"}}]"#, "audioMix[0].effects[0].reverb.decay: is not within 0.05...30 seconds"),
    (#"[{"reverb": {"preDelay": "1.5"}}]"#, "audioMix[0].effects[0].reverb.preDelay: longer than 1 second"),
    (#"[{"reverb": {"wet": 0.5}}]"#, "audioMix[0].effects[0].reverb.wet: unknown key (that is said by level: \"-12 dB\")"),
    (
      #"[{"gate": {"threshold": "-9 dB"}, "deEsser": {"threshold": "-9 dB"}}]"#,
      "audioMix[0].effects[0]: is several effects: give each an object of its own, in their order"
    ),
    (#"[{"equalizer": []}]"#, "audioMix[0].effects[0].equalizer: has no band"),
    (
      #"[{"equalizer": [{"kind": "peak", "frequency": 100}]}]"#,
      #"audioMix[0].effects[0].equalizer[0]: needs a "gain", such as "-3 dB""#
    ),
    (
      #"[{"equalizer": [{"kind": "lowPass", "frequency": 100, "gain": "1 dB"}]}]"#,
      "audioMix[0].effects[0].equalizer[0].gain: a lowPass has no gain: it lets the rest through as it is"
    ),
    (
      #"[{"compressor": {"threshold": -20}}]"#,
      #"audioMix[0].effects[0].compressor.threshold: -20 could be a factor: write "-20 dB""#
    ),
    (
      #"[{"compressor": {"threshold": "loud"}}]"#,
      #"audioMix[0].effects[0].compressor.threshold: 'loud' is not a level such as "-6 dB", from -120 dB to 0 dB"#
    ),
    (#"[{"gate": {"threshold": "-9 dB", "attack": 11}}]"#, "audioMix[0].effects[0].gate.attack: longer than 10 seconds"),
    (#"[{"eq": []}]"#, "audioMix[0].effects[0].eq: unknown key (that is said by equalizer)"),
  ])
  func `with faults are refused, each with its place`(effects: String, fault: String) {
    let found = Documents.faults(document(effects))
    #expect(found.first == fault, "\(found)")
  }

  @Test func `of a nested composition's tracks are refused, with what would do`() {
    let mix = #", "audioMix": [{"track": "i", "effects": [{"gate": {"threshold": "-9 dB"}}]}]"#
    #expect(
      Documents.faults(document("[]", nested: mix)) == [
        "compositions.n.audioMix[0].effects: tracks of a nested composition have no effects: give them to a track of the edit that plays it"
      ])
  }

  @Test func `at frequencies that the sound has not are refused`() throws {
    func lowPass(_ frequency: Int) -> String { #"{"equalizer": [{"kind": "lowPass", "frequency": \#(frequency)}]}"# }
    let high = "[\(lowPass(4000)), \(lowPass(900))]"
    let edit = try Timeline.parse(Array(document(high, whole: #"[{"deEsser": {"threshold": "-9 dB"}}]"#, rate: 8_000).utf8))
    let error = #expect(throws: DocumentFaults.self) { try edit.resolved(with: [AssetID("a"): Assets.song()]) }
    #expect(
      error?.faults.map(\.description) == [
        "audioMix: track 't' has an effect at 4000 Hz, and sound of 8000 Hz has frequencies below 4000 Hz",
        "export.effects: the sound has an effect at 6000 Hz, and sound of 8000 Hz has frequencies below 4000 Hz",
      ])
  }

  @Test func `a compressor lowers by its ratio, and bends by a parabola within its knee`() {
    let sharp = Compressor(threshold: -20, ratio: 4, knee: 0)
    #expect([-30, -20, -10, 0].map(sharp.reduction) == [0, 0, 7.5, 15])
    let soft = Compressor(threshold: -20, ratio: 2, knee: 10)
    #expect([-25, -20, -15, -10].map(soft.reduction) == [0, 0.625, 2.5, 5])
    #expect(Compressor(threshold: -20, ratio: 1).reduction(of: 0) == 0)
  }

  @Test func `logarithms agree with the C library, and undo exponentials`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<10_000 {
      let number = Exponential.power(Double.random(in: -600...600, using: &random))
      #expect(abs(Logarithm.natural(number) - log(number)) <= 2e-15 * max(1, abs(log(number))))
      let level = Double.random(in: -200...200, using: &random)
      #expect(abs(Logarithm.decibels(Exponential.gain(decibels: level)) - level) < 1e-12)
    }
    #expect(Logarithm.natural(1) == 0 && Logarithm.decibels(1) == 0)
  }
}
