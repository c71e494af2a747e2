internal import Ledger
internal import Messages
internal import Scheduling

extension SimulatedFarm {
  /// A coordinator's process, if it runs, with what it has not done yet.
  struct Seat {
    let name: String
    var dispatcher: Dispatcher?
    var starts = 0
    /// The time until which it stands still, as after SIGSTOP.
    var stoppedUntil = Duration.zero
    /// The time until which it cannot reach the ledger.
    var cutOffUntil = Duration.zero
    /// Whether the ledger crashed since its last request, which makes the next one fail.
    var hasLostLedger = false
    var events: ArraySlice<Dispatcher.Event> = []
    /// The ledger's answers, which come before further events.
    var answers: ArraySlice<Dispatcher.Event> = []
    var actions: ArraySlice<Dispatcher.Action> = []
    var outbox: [(CoordinatorMessage, String)] = []

    init(name: String, starts: Int = 0) { (self.name, self.starts) = (name, starts) }
  }

  struct Host {
    let name: String
    let slots: Int
    /// The folders below which it may write movies; nil means anywhere.
    var outputRoots: [String]?
    var state: WorkerState?
    var starts = 0
    /// The coordinator that it is connected to, as an index.
    var endpoint = 0
    /// For each coordinator, the time until which nothing passes between them.
    var cutOffUntil = [Duration.zero, .zero]
    /// The attempts' processes of its newest process.
    var processes: [AttemptKey: SimulatedProcess] = [:]

    var route: String? { state.map { "\($0.name)/\($0.epoch)" } }
  }

  enum Event {
    case toCoordinator(Int, WorkerMessage, route: String)
    case toWorker(Int, CoordinatorMessage, route: String, from: Int)
    case disconnected(Int, route: String)
    case coordinatorTurn(Int)
    case workerTurn(Int)
    case attempt(Int, route: String, WorkerState.Event)
    case process(Int, route: String, AttemptKey, SimulatedProcess.Step)
    case sweep(Int, route: String, SweepOrder)
    case seek(Int, route: String, found: [String])
    case cancel(String)
    case retry(String)
    case replace(JobSubmission)
    case fault
    case startWorker(Int)
    case startCoordinator(Int)
    /// A stopped coordinator goes on.
    case goOn(Int)
    case restoreLedger
    case resume(String)
    case undrain(String?)
    case interrupt(Int, notice: Duration?)
    case takeAway(Int, route: String)
  }
}
