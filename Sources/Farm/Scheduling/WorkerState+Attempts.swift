package import Messages

// Messages of the coordinator, and events of attempts.
extension WorkerState {
  mutating func receive(_ message: CoordinatorMessage, _ now: Duration) -> [Action] {
    answered = now
    switch message {
    case .heard: return []
    case .notLeading: return turnAway(now)
    case .welcome(let milliseconds):
      refusals = 0
      let isNew = if case .greeting = link { true } else { false }
      link = .welcomed(interval: .milliseconds(min(max(milliseconds, 10), 60_000)), heartbeatDue: now)
      return (isNew ? [.note(Note("welcomed"))] : []) + unsettled.keys.sorted().flatMap { tell($0, now) }
    case .whoAreYou:
      if now - lastHello >= timing.shortestRepeat {
        link = .greeting(helloDue: now)
        return hello(now)
      }
      link = .greeting(helloDue: lastHello + timing.shortestRepeat)
      return []
    case .refused(let reason): return running.keys.sorted().map(Action.kill) + [.leave(.refused(reason))]
    case .assign(let order): return accept(order, now)
    case .settled(let key):
      if unsettled.removeValue(forKey: key) != nil { remember(key) }
      logs[key] = nil
      return departure(now)
    case .cancel(let key): return cancel(key, now)
    case .shorten(let key, let frame): return shorten(key, before: frame)
    case .sweep: return sweep(SweepOrder(over: []), now)
    case .over(let jobs): return jobs.isEmpty ? [] : sweep(SweepOrder(over: jobs), now)
    case .seek(let tags): return seek(tags, now)
    }
  }

  /// Leaves a coordinator that does not lead. Each endpoint is asked once; then, after a pause, all are asked again.
  private mutating func turnAway(_ now: Duration) -> [Action] {
    if case .turnedAway = link { return [] }
    refusals += 1
    link = .turnedAway(due: refusals % endpointCount == 0 ? now + timing.repeating : now)
    return []
  }

  private mutating func accept(_ order: AttemptOrder, _ now: Duration) -> [Action] {
    let key = order.key
    if unsettled[key] != nil { return tell(key, now) }
    guard running[key] == nil, !past.contains(key), !queue.contains(where: { $0.key == key }) else { return [] }
    guard mode == .serving, running.count + queue.count < 2 * (slots + lanes) + (ahead ?? 0) else {
      unsettled[key] = (.failed(Failure(.transient, at: "worker \(name)", mode == .serving ? "no slot is free" : "stops")), now)
      // The coordinator has not heard that this worker stops, so the worker says it again.
      return tell(key, now) + (mode == .serving ? [] : hello(now))
    }
    if isToBeRecalled(order) { return recall(order, now) }
    guard hasRoom(for: order.work.kind) else {
      queue.append(order)
      return []
    }
    return start(order, now)
  }

  /// Whether an attempt of this kind may start. The dispatcher counts in the same way: a light task takes a lane, or a slot when
  /// no lane is free.
  func hasRoom(for kind: TaskKind) -> Bool {
    let light = running.values.count { $0.kind.isLight }
    let parts = running.values.count { !$0.kind.isLight && $0.sought == nil }
    return kind.isLight && light < lanes || parts + max(0, light - lanes) < slots
  }

  mutating func start(_ order: AttemptOrder, _ now: Duration) -> [Action] {
    var order = order
    if yields(order) { order.yields = true }
    running[order.key] = Running(
      progress: AttemptProgress(key: order.key, done: 0, total: 0), job: order.job, kind: order.work.kind,
      isAwaited: order.isAwaited == true, place: order.work.place, advanced: now, stall: timing.stall(of: order), began: now,
      divisibleFrames: order.divisibleFrames, toldLog: now)
    return [
      .start(order), .note(Note("started", ["attempt": "\(order.key)", "job": order.job, "kind": order.work.kind.rawValue])),
    ] + join(order)
  }

  /// Whether an attempt leaves the processor to sound of its job that is being made here. Whoever plays a movie while it is rendered waits for both,
  /// and sound is made by one thread, which would have a small share beside those of an encoder of pictures.
  private func yields(_ order: AttemptOrder) -> Bool {
    order.work.kind == .picture
      && running.values.contains { sound in
        sound.kind == .sound && sound.sought == nil && sound.job == order.job && (sound.isAwaited || order.isAwaited == true)
      }
  }

  /// Begins to join the movie of an order that is far into it, once for each job. Of all workers that begin, one goes on.
  mutating func join(_ order: AttemptOrder) -> [Action] {
    let isFar =
      switch order.work {
      case .picture(let frames): frames.first >= Self.joinedFrom
      case .soundPart(let samples): samples.first >= Self.joinedFromSample
      case .sound, .mux, .publish: false
      }
    guard isFar, !joined.contains(order.job) else { return [] }
    joined.append(order.job)
    if joined.count > Self.longestJoined { joined.removeFirst(joined.count - Self.longestJoined) }
    return [.join(order)]
  }

  private mutating func cancel(_ key: AttemptKey, _ now: Duration) -> [Action] {
    queue.removeAll { $0.key == key }
    (unsettled[key], logs[key]) = (nil, nil)
    remember(key)
    guard let attempt = running[key] else { return departure(now) }
    guard attempt.doom == nil else { return [] }
    guard attempt.sought == nil else {
      // No process is its own. What the one that looks for segments still answers is ignored.
      running[key] = nil
      return [.note(Note("cancelled", ["attempt": "\(key)"]))] + departure(now)
    }
    running[key]?.doom = .cancelled(killDue: now + timing.drain)
    return [.stop(key), .note(Note("cancelled", ["attempt": "\(key)"]))]
  }

  /// Asks an attempt's process to leave the rest of its chunk. Only the process knows what it has begun, so it decides.
  private mutating func shorten(_ key: AttemptKey, before frame: Int) -> [Action] {
    guard let attempt = running[key], attempt.doom == nil, attempt.sought == nil, attempt.amendments < Self.mostAmendments else {
      return []
    }
    running[key]?.amendments += 1
    return [.amend(key, .shorten(before: frame)), .note(Note("asked", ["attempt": "\(key)", "before": "\(frame)"]))]
  }

  /// Notes the promise of an attempt's process. The next heartbeat is due at once, because somebody waits for the rest.
  private mutating func promise(_ key: AttemptKey, before frame: Int, _ now: Duration) {
    guard frame > 0, frame < running[key]?.progress.end ?? .max else { return }
    running[key]?.progress.end = frame
    if case .welcomed(let interval, _) = link { link = .welcomed(interval: interval, heartbeatDue: now) }
  }

  mutating func take(_ report: AttemptReport, of key: AttemptKey, _ now: Duration) -> [Action] {
    guard let attempt = running[key] else { return [] }
    switch report {
    case .progress(let done, let total):
      guard done > attempt.progress.done || attempt.progress.total == 0, done >= 0, total >= done else { break }
      running[key]?.progress = AttemptProgress(key: key, done: done, total: total, end: attempt.progress.end)
      running[key]?.advanced = now
    case .keyed: break  // It is for the attempt's process alone.
    case .composing(let compositor): running[key]?.compositor = compositor
    case .shortened(let frame): promise(key, before: frame, now)
    case .finished(let proof): running[key]?.report = .finished(proof)
    case .failed(let failure): running[key]?.report = .failed(failure)
    }
    return []
  }

  mutating func note(_ log: AttemptLog, of key: AttemptKey) -> [Action] {
    running[key]?.log = log
    return []
  }

  /// Whether the coordinator is to hear what a running attempt wrote so far.
  ///
  /// - Parameter byteCount: the bytes that it wrote.
  package func wantsLog(of key: AttemptKey, byteCount: Int, now: Duration) -> Bool {
    guard case .welcomed = link, let attempt = running[key], attempt.doom == nil, byteCount > attempt.toldBytes else {
      return false
    }
    return now - attempt.toldLog >= timing.loggingAttempt && now - toldLog >= timing.logging
  }

  mutating func tell(_ log: AttemptLog, of key: AttemptKey, _ now: Duration) -> [Action] {
    guard running[key] != nil else { return [] }
    running[key]?.toldBytes = log.byteCount
    running[key]?.toldLog = now
    toldLog = now
    return [.send(.logged(worker: name, epoch: epoch, key, log))]
  }

  mutating func conclude(_ key: AttemptKey, _ end: AttemptEnd, _ now: Duration) -> [Action] {
    guard let attempt = running.removeValue(forKey: key) else { return [] }
    var actions: [Action] = []
    if let report = attempt.result(end) {
      (unsettled[key], logs[key]) = ((report, now), attempt.log)
      actions.append(.note(report.note(key)))
      if case .finished(let proof) = report, !proof.kind.writesOutput {
        // Another job may look for the segment as soon as the result is committed.
        actions.append(.keep(key, job: attempt.job, proof))
        noteRecall(of: attempt.job, isFound: proof.isFound)
      }
      actions += tell(key, now)
    } else if let log = attempt.log, case .welcomed = link {
      // Nobody waits for a result, so what a cancelled attempt wrote is told once.
      actions.append(.send(.logged(worker: name, epoch: epoch, key, log)))
    }
    while mode == .serving, let next = queue.firstIndex(where: { hasRoom(for: $0.work.kind) }) {
      actions += start(queue.remove(at: next), now)
    }
    return actions + departure(now)
  }

  private mutating func remember(_ key: AttemptKey) {
    guard !past.contains(key) else { return }
    past.append(key)
    if past.count > Self.longestPast { past.removeFirst(past.count - Self.longestPast) }
  }
}

extension WorkerState.Running {
  /// The report about an ended attempt; nil when nobody needs one.
  fileprivate func result(_ end: AttemptEnd) -> WorkerState.Report? {
    let place = place + (compositor.map { ", compositor '\($0)'" } ?? "")
    switch doom {
    case .cancelled: return nil
    case .stalled: return .failed(Failure(.worker, at: place, "no progress for \(stall.components.seconds) s; killed"))
    case nil: break
    }
    if let failure = end.failure(at: place) { return .failed(failure) }
    return report ?? .failed(Failure(.bug, at: place, "the attempt ended without a result"))
  }
}

extension WorkerState.Report {
  func note(_ key: AttemptKey) -> Note {
    switch self {
    case .finished: Note("finished", ["attempt": "\(key)"])
    case .returned: Note("returned", ["attempt": "\(key)"])
    case .failed(let failure):
      Note("failed", ["attempt": "\(key)", "class": failure.class.rawValue, "reason": failure.description])
    }
  }
}

extension AttemptOrder {
  /// The frames of a chunk that may be divided while it runs; nil for all other work.
  fileprivate var divisibleFrames: FrameRange? {
    guard case .picture(let frames) = work, spec.isDivisible == true else { return nil }
    return frames
  }
}

extension Work {
  /// The part of the job that a failure of the whole attempt concerns.
  fileprivate var place: String {
    switch self {
    case .picture(let frames): "frames \(frames.first)..<\(frames.indices.upperBound)"
    case .sound: "sound"
    case .soundPart(let samples): "samples \(samples.first)..<\(samples.indices.upperBound) of the sound"
    case .mux: "mux"
    case .publish: "publish"
    }
  }
}
