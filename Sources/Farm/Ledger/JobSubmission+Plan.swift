internal import Document
package import Formats
package import Messages
package import Scenes
package import Scheduling
internal import Timeline

extension JobSubmission {
  /// The job that renders `edit` in the chunks of `plan`.
  ///
  /// - Parameters:
  ///   - edit: the edit; its asset paths must be absolute, because workers have working folders of their own.
  ///   - fonts: the faces that the edit's texts are drawn in.
  ///   - output: the absolute path of the movie.
  ///   - isDivisible: whether chunks may be divided further while they run.
  package init(
    edit: ResolvedTimeline, fonts: [FontFace], plan: ChunkPlan, output: String, overwrites: Bool, keepsSegments: Bool,
    submitter: String,
    priority: Int = 0, needs: Capabilities = Capabilities(), isDivisible: Bool = true
  ) {
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, fonts: fonts, output: output,
      overwrites: overwrites, keepsSegments: keepsSegments)
    let pictures = plan.chunks.map { Task(kind: .picture, frames: $0.frames, cost: $0.cost) }
    let tasks = Self.tasks(pictures: pictures, sound: plan.sound.map { Task(kind: .sound, samples: $0.samples, cost: $0.cost) })
    // The needs are added for every submitter: only programs that have the edit's compositors can render it, on machines that
    // have its fonts and encoders.
    let compositors = edit.compositorUses.map { Capabilities.tag(ofCompositor: $0.statement.name) }
    let encoders = edit.optionalEncoders.map { Capabilities.tag(ofEncoder: $0) }
    // The document's own fonts are read as media are, so no machine needs to have them.
    let own = edit.fonts
    let tags = FontTag.tags(of: fonts.filter { own[$0.family] == nil })
    let needs = Capabilities(tags: needs.tags + compositors + encoders + tags, memory: needs.memory)
    self.init(
      spec: spec, work: edit.work, submitter: submitter, priority: priority, needs: needs,
      // A chunk's share of a target is of all its frames, and so is its quality.
      isDivisible: isDivisible && !edit.timeline.export.video.coding.coder.hasTarget,
      frameCount: plan.chunks.reduce(0) { $0 + $1.frames.count },
      tasks: tasks)
  }
}

extension JobSubmission {
  /// A job's tasks in the order in which they are given out. The sound is first, because its pieces may be long and the mux waits for it. Of a sound
  /// in parts the others come behind the first chunk: who plays the movie from its beginning needs that chunk and the first part.
  package static func tasks(pictures: [Task], sound: [Task] = []) -> [Task] {
    sound.prefix(1) + pictures.prefix(1) + sound.dropFirst() + pictures.dropFirst()
      + [Task(kind: .mux, cost: 0), Task(kind: .publish, cost: 0)]
  }
}

extension JobSubmission {
  /// Moves the parts that have to be rendered before those that will be found, so that what is new is there early. Their places in the movie stay.
  ///
  /// - Parameters:
  ///   - pictures: whether each chunk will be found, in their order.
  ///   - sounds: whether the sound or each of its parts will be found.
  package mutating func giveOutNewFirst(pictures: [Bool], sounds: [Bool]) {
    var answers = (pictures: pictures[...], sounds: sounds[...])
    let known = tasks.map { task -> (task: Task, isKnown: Bool?) in
      switch task.kind {
      case .picture: (task, answers.pictures.popFirst())
      case .sound: (task, answers.sounds.popFirst())
      case .mux, .publish: (task, nil)
      }
    }
    precondition(answers.pictures.isEmpty && answers.sounds.isEmpty, "there is an answer for each part")
    tasks = [false, true, nil].flatMap { answer in known.filter { $0.isKnown == answer }.map(\.task) }
  }
}

extension ResolvedTimeline {
  /// The kind of work that the edit's pictures are. It names the codec, its speed and bit depth, and the size in megapixels,
  /// rounded up to a power of two. It also names the user's own compositors, because nobody can know their cost.
  package var work: String {
    let video = timeline.export.video
    let pixels = videoComposition.map { $0.renderSize.width * $0.renderSize.height } ?? 0
    var size = 1
    while size * 1_000_000 < pixels { size *= 2 }
    let words = [video.codec.rawValue] + video.coding.coder.workWords + ["\(video.bitDepth)-bit", "\(size)MP"]
    let ladder = renditions.isEmpty ? [] : ["\(renditions.count) renditions"]
    return (words + ladder + Set(compositorUses.map(\.statement.name)).sorted()).joined(separator: " ")
  }
}
