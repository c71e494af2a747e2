internal import Messages
internal import Scheduling

extension SimulatedFarm {
  /// A coordinator's process, if it runs, and what it has not done yet.
  struct Seat {
    let name: String
    var dispatcher: Dispatcher?
    var starts = 0
    /// It stands still until then, as by SIGSTOP.
    var stoppedUntil = Duration.zero
    /// It does not reach the ledger until then.
    var cutOffUntil = Duration.zero
    /// The ledger crashed, which its next request finds out.
    var hasLostLedger = false
    var events: ArraySlice<Dispatcher.Event> = []
    /// Come before further events.
    var answers: ArraySlice<Dispatcher.Event> = []
    var actions: ArraySlice<Dispatcher.Action> = []
    var outbox: [(CoordinatorMessage, String)] = []

    init(name: String, starts: Int = 0) { (self.name, self.starts) = (name, starts) }
  }

  struct Host {
    let name: String
    let slots: Int
    /// Folders that it may write movies below; nil: anywhere.
    var outputRoots: [String]?
    var state: WorkerState?
    var starts = 0
    /// Which coordinator it is connected to.
    var endpoint = 0
    /// Nothing passes between it and each coordinator until then.
    var cutOffUntil = [Duration.zero, .zero]
    /// Those of its attempts, by the newest process of it.
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
    case fault
    case startWorker(Int)
    case startCoordinator(Int)
    /// After it was stopped.
    case goOn(Int)
    case restoreLedger
    case resume(String)
    case undrain(String?)
  }
}
