import Glibc
import Messages
import ZeroMQ

/// A fleet of workers that render nothing. Each has a connection, speaks the farm's protocol, and finishes an attempt some time
/// after it was given. It reads and writes messages by hand, so that thousands of workers cost less than what they measure.
///
/// It must stay on the thread that made it.
final class Fleet {
  struct Count: Sendable {
    var welcomed = 0
    var settled = 0
    var assigned = 0
    /// The attempts that were given twice, and those that were taken away.
    var repeated = 0
    var cancelled = 0
  }

  private struct Hand {
    let socket: Socket
    let name: String
    var isWelcome = false
    var running: [AttemptKey] = []
    /// The times at which its free slots became free. The oldest is filled first.
    var freed: [ContinuousClock.Instant] = []
    /// Results that are repeated until they are settled: when the attempts ended, and when that was last told.
    var unsettled: [AttemptKey: (ended: ContinuousClock.Instant, told: ContinuousClock.Instant)] = [:]
    /// The first frames of the chunks that it was given.
    var firstFrames: [AttemptKey: Int] = [:]
    /// The kinds of the tasks that it was given and that are no chunks.
    var otherKinds: [AttemptKey: String] = [:]
    /// The work that it pretends to do, with the beginning of each.
    var pretences: [AttemptKey: (begun: ContinuousClock.Instant, work: Pretence)] = [:]
  }

  /// The work at an order that a worker pretends to do.
  struct Pretence {
    var length: Duration
    /// The units that it tells of: the frames of a chunk.
    var units: Int64
    var proof: Proof
  }

  private(set) var count = Count()
  /// The times from an attempt's end to the next order for its slot, in the order in which the orders came.
  private(set) var turnarounds: [Duration] = []
  /// The longest time from an attempt's end to the message that it is settled.
  private(set) var longestSettling = Duration.zero
  /// The mean time that an attempt takes. Each takes between nothing and twice this.
  var attempt = Duration.zero
  /// Tells what to pretend at an order; nil for attempts of any length at chunks of ten frames.
  var pretence: ((AttemptOrder) throws -> Pretence)?
  private let context: Context
  private var hands: [Hand] = []
  private var polled: [pollfd] = []
  private var ends: [Int: [(hand: Int, key: AttemptKey)]] = [:]
  private var nextEnd = 0
  /// The time at which the fleet last looked for messages.
  private var turned: ContinuousClock.Instant
  private var beatsDue: ContinuousClock.Instant
  private var beat = 0
  private let slots: Int
  private let started = ContinuousClock.now

  /// The parts of a heartbeat interval. In each part another tenth of the workers sends its heartbeat.
  private static let beatSteps = 10
  /// The shortest time between two looks for messages. A look polls thousands of descriptors, which takes processor time from the
  /// farm. A measured turnaround may be longer by this time.
  private static let shortestTurn = Duration.milliseconds(2)

  /// Connects the workers. `welcomed` counts those that were let in.
  init(workers: Int, slots: Int, endpoint: String) throws {
    self.slots = slots
    (beatsDue, turned) = (started, started)
    context = try Context(mostSockets: workers + 16)
    for number in 0..<workers {
      let name = "load-\(number)"
      var options = SocketOptions()
      options.routingID = Array("\(name)/1".utf8)
      options.longestMessage = Int64(Wire.longestOrder)
      let socket = try Socket(.dealer, in: context, options)
      try socket.connect(endpoint)
      hands.append(Hand(socket: socket, name: name))
      polled.append(pollfd(fd: try socket.descriptor, events: Int16(POLLIN), revents: 0))
    }
  }

  /// Forgets turnarounds and free slots. A slot that was empty because there was no work says nothing about the farm.
  func forgetTurnarounds() {
    turnarounds = []
    for index in hands.indices { hands[index].freed = [] }
  }

  func forgetSettling() { longestSettling = .zero }

  /// Works until `condition` holds, or for `limit`.
  /// - Returns: whether the condition held.
  func work(limit: Duration, until condition: (Count) throws -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if try condition(count) { return true }
      try turn()
    }
    return false
  }

  private func turn() throws {
    let wait = turned + Self.shortestTurn - .now
    if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
    turned = .now
    let count = unsafe poll(&polled, nfds_t(polled.count), 0)
    if count > 0 { for index in hands.indices where polled[index].revents != 0 { try hear(index) } }
    try finishDue()
    let now = ContinuousClock.now
    guard now >= beatsDue else { return }
    beatsDue = now + .milliseconds(1000 / Self.beatSteps)
    beat = (beat + 1) % Self.beatSteps
    for index in hands.indices where index % Self.beatSteps == beat { try speak(index, now) }
  }

  private func speak(_ index: Int, _ now: ContinuousClock.Instant) throws {
    let hand = hands[index]
    let running = hand.running.map { key in
      let (done, total) = progress(hand.pretences[key], now)
      return #"{"done":\#(done),"key":\#(Self.json(key)),"total":\#(total)}"#
    }.joined(separator: ",")
    if hand.isWelcome {
      try send(index, #"{"heartbeat":{"epoch":"1","running":[\#(running)],"worker":"\#(hand.name)"}}"#)
    } else {
      let hello = WorkerHello(worker: hand.name, epoch: "1", host: "load", processID: getpid(), slots: slots, running: [])
      _ = try hand.socket.send(try Wire.encode(WorkerMessage.hello(hello)))
    }
    for (key, result) in hand.unsettled where now - result.told > .seconds(1) { try tell(index, key, now) }
    try hear(index)
  }

  private func progress(_ pretence: (begun: ContinuousClock.Instant, work: Pretence)?, _ now: ContinuousClock.Instant) -> (
    Int64, Int64
  ) {
    guard let (begun, work) = pretence else { return (1, 2) }
    let share = work.length > .zero ? min((now - begun) / work.length, 1) : 1
    return (Int64(share * Double(work.units)), work.units)
  }

  private func tell(_ index: Int, _ key: AttemptKey, _ now: ContinuousClock.Instant) throws {
    hands[index].unsettled[key] = (hands[index].unsettled[key]?.ended ?? now, now)
    if let proof = hands[index].pretences[key]?.work.proof {
      let message = WorkerMessage.finished(worker: hands[index].name, epoch: "1", key, proof)
      _ = try hands[index].socket.send(try Wire.encode(message))
      return
    }
    let digest = "0123456789abcdef0123456789abcdef"
    // Workers write the keys in this order, too.
    let (bytes, file) = (#""byteCount":123456,"byteDigest":"\#(digest)""#, #""file":"j/\#(key).seg""#)
    let proof =
      if let kind = hands[index].otherKinds[key] {
        #"{\#(bytes),\#(file),"kind":"\#(kind)"}"#
      } else {
        #"{\#(bytes),"contentDigest":"\#(digest)",\#(file),"frames":{"count":10,"first":\#(hands[index].firstFrames[key] ?? 0)},"#
          + #""kind":"picture","milliseconds":{"compositing":3,"encoding":4,"opening":1,"reading":2},"parameterSetDigest":"\#(digest)"}"#
      }
    try send(
      index, #"{"finished":{"_2":\#(Self.json(key)),"_3":\#(proof),"epoch":"1","worker":"\#(hands[index].name)"}}"#)
  }

  private func send(_ index: Int, _ json: String) throws {
    _ = try hands[index].socket.send([Array("spool/\(Wire.version)".utf8), Array(json.utf8)])
  }

  private func hear(_ index: Int) throws {
    while let message = try hands[index].socket.receive() {
      guard message.frames.count == 2 else { continue }
      let body = message.frames[1]
      if body.starts(with: #"{"assign""#.utf8) {
        if let pretence, case .assign(let order) = try Wire.decode(CoordinatorMessage.self, from: message.frames) {
          hands[index].pretences[order.key] = (.now, try pretence(order))
          try take(index, order.key)
          continue
        }
        guard let key = Self.key(in: body) else { continue }
        // The order's work is at the end of the message. A chunk's is short. Others are few, so they may be searched whole.
        let ending = Array(body.suffix(100))
        hands[index].firstFrames[key] = Self.number(after: #""first":"#, in: ending)
        if !String(decoding: ending, as: UTF8.self).contains(#""picture""#) {
          let text = String(decoding: body, as: UTF8.self)
          hands[index].otherKinds[key] = ["mux", "publish"].first { text.contains(#""work":{"\#($0)""#) }
        }
        try take(index, key)
      } else if body.starts(with: #"{"settled""#.utf8) {
        guard let key = Self.key(in: body), let result = hands[index].unsettled.removeValue(forKey: key) else { continue }
        hands[index].firstFrames[key] = nil
        hands[index].otherKinds[key] = nil
        hands[index].pretences[key] = nil
        count.settled += 1
        longestSettling = max(longestSettling, ContinuousClock.now - result.ended)
      } else if body.starts(with: #"{"welcome""#.utf8) {
        if !hands[index].isWelcome { count.welcomed += 1 }
        hands[index].isWelcome = true
      } else if body.starts(with: #"{"cancel""#.utf8) {
        count.cancelled += 1
        if let key = Self.key(in: body) { drop(index, key) }
      } else if body.starts(with: #"{"whoAreYou""#.utf8) || body.starts(with: #"{"notLeading""#.utf8) {
        hands[index].isWelcome = false
      }
    }
  }

  private func drop(_ index: Int, _ key: AttemptKey) {
    hands[index].unsettled[key] = nil
    hands[index].pretences[key] = nil
    hands[index].running.removeAll { $0 == key }
  }

  private func take(_ index: Int, _ key: AttemptKey) throws {
    guard !hands[index].running.contains(key), hands[index].unsettled[key] == nil else {
      count.repeated += 1
      return
    }
    let now = ContinuousClock.now
    count.assigned += 1
    if !hands[index].freed.isEmpty { turnarounds.append(now - hands[index].freed.removeFirst()) }
    hands[index].running.append(key)
    let length = hands[index].pretences[key]?.work.length ?? attempt * Double.random(in: 0..<2)
    ends[max(nextEnd, milliseconds(now + length)), default: []].append((index, key))
  }

  private func finishDue() throws {
    let now = ContinuousClock.now
    while nextEnd <= milliseconds(now) {
      for (index, key) in ends.removeValue(forKey: nextEnd) ?? [] where hands[index].running.contains(key) {
        hands[index].running.removeAll { $0 == key }
        hands[index].freed.append(now)
        try tell(index, key, now)
        try hear(index)
      }
      // Attempts without length may be added to this millisecond while it is handled. They are still due.
      if ends[nextEnd] == nil { nextEnd += 1 }
    }
  }

  private func milliseconds(_ time: ContinuousClock.Instant) -> Int { Int((time - started) / .milliseconds(1)) }

  private static func json(_ key: AttemptKey) -> String { #"{"attempt":\#(key.attempt),"task":\#(key.task)}"# }

  /// The first attempt's key in a message.
  private static func key(in body: [UInt8]) -> AttemptKey? {
    guard let attempt = number(after: #""attempt":"#, in: body), let task = number(after: #""task":"#, in: body) else {
      return nil
    }
    return AttemptKey(task: Int64(task), attempt: attempt)
  }

  private static func number(after label: StaticString, in body: [UInt8]) -> Int? {
    let length = label.utf8CodeUnitCount
    // Keys are at the beginning, before the long parts.
    let end = min(body.count - length, 200)
    guard end > 0 else { return nil }
    for start in 0..<end {
      var isHere = true
      for offset in 0..<length where body[start + offset] != (unsafe label.utf8Start[offset]) {
        isHere = false
        break
      }
      guard isHere else { continue }
      var (value, position) = (0, start + length)
      while position < body.count, 0x30...0x39 ~= body[position] {
        value = value * 10 + Int(body[position] - 0x30)
        position += 1
      }
      return value
    }
    return nil
  }
}
