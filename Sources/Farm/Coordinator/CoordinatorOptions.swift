/// The settings of a coordinator: how it is reached, and by whom.
package struct CoordinatorOptions: Sendable {
  /// The keys of CURVE. Without them whoever reaches an endpoint counts as a worker, so leave them out only for `ipc://` in a
  /// folder of one user.
  package struct Keys: Sendable {
    /// The path of the coordinator's secret key (`CurveKeyPair`).
    package var secretKeyFile: String
    /// The path of the list of workers' public keys (`AllowList`). It is read again when it changes, so that removed keys are
    /// locked out.
    package var allowListFile: String

    package init(secretKeyFile: String, allowListFile: String) {
      (self.secretKeyFile, self.allowListFile) = (secretKeyFile, allowListFile)
    }
  }

  /// The coordinator's name: unique among the farm's coordinators, and the same at every start.
  package var name: String
  /// The ZeroMQ endpoints to bind, such as "tcp://*:7400" or "ipc:///run/spool/farm".
  package var endpoints: [String]
  package var keys: Keys?
  /// The interval of workers' heartbeats, in milliseconds. The ledger's lease time should be several of them.
  package var heartbeatMilliseconds: Int
  /// Whether idle slots make second attempts at slow chunks.
  package var speculates: Bool
  /// Whether idle slots take the rests of expensive chunks, which are divided while they run.
  package var splits: Bool

  package init(
    name: String, endpoints: [String], keys: Keys? = nil, heartbeatMilliseconds: Int = 1000, speculates: Bool = true,
    splits: Bool = true
  ) {
    (self.name, self.endpoints, self.keys) = (name, endpoints, keys)
    (self.heartbeatMilliseconds, self.speculates, self.splits) = (heartbeatMilliseconds, speculates, splits)
  }
}
