package import Messages
package import Scheduling
package import Timeline

extension JobSubmission {
  /// The job that renders `edit` as `plan` divides it.
  ///
  /// - Parameters:
  ///   - edit: asset paths absolute, since workers have their own working folders.
  ///   - output: absolute path of the movie.
  package init(
    edit: ResolvedTimeline, plan: ChunkPlan, output: String, overwrites: Bool, keepsSegments: Bool, submitter: String,
    priority: Int = 0, needs: Capabilities = Capabilities()
  ) {
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, output: output,
      overwrites: overwrites, keepsSegments: keepsSegments)
    var tasks = plan.chunks.map { Task(kind: .picture, frames: $0.frames, cost: $0.cost) }
    if let cost = plan.soundCost { tasks.append(Task(kind: .sound, cost: cost)) }
    tasks.append(Task(kind: .mux, cost: 0))
    tasks.append(Task(kind: .publish, cost: 0))
    // Whoever submits: only programs that have the edit's compositors can render it.
    let compositors = edit.compositorUses.map { Capabilities.tag(ofCompositor: $0.compositor.name) }
    let needs = Capabilities(tags: needs.tags + compositors, memory: needs.memory)
    self.init(
      spec: spec, submitter: submitter, priority: priority, needs: needs,
      frameCount: plan.chunks.reduce(0) { $0 + $1.frames.count },
      tasks: tasks)
  }
}
