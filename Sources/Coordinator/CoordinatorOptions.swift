/// How a coordinator is reached, and by whom.
package struct CoordinatorOptions: Sendable {
  /// CURVE: without it whoever reaches an endpoint is a worker, so only for `ipc://` in a directory of one user.
  package struct Keys: Sendable {
    /// Path of the coordinator's secret key (`CurveKeyPair`).
    package var secretKeyFile: String
    /// Path of the workers' public keys (`AllowList`); read again when it changes, so that a removed key is locked out.
    package var allowListFile: String

    package init(secretKeyFile: String, allowListFile: String) {
      (self.secretKeyFile, self.allowListFile) = (secretKeyFile, allowListFile)
    }
  }

  /// Unique among the farm's coordinators, the same at every start.
  package var name: String
  /// ZeroMQ endpoints to bind, such as "tcp://*:7400" or "ipc:///run/spool/farm".
  package var endpoints: [String]
  package var keys: Keys?
  /// How often workers report; the lease time of the ledger should be several of these.
  package var heartbeatMilliseconds: Int
  /// Whether idle workers make second attempts at chunks that are slow.
  package var speculates: Bool
  /// Whether they take the rests of chunks that are dear, which are divided while they run.
  package var splits: Bool

  package init(
    name: String, endpoints: [String], keys: Keys? = nil, heartbeatMilliseconds: Int = 1000, speculates: Bool = true,
    splits: Bool = true
  ) {
    (self.name, self.endpoints, self.keys) = (name, endpoints, keys)
    (self.heartbeatMilliseconds, self.speculates, self.splits) = (heartbeatMilliseconds, speculates, splits)
  }
}
