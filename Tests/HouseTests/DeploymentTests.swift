import FoundationEssentials
import Testing

/// The files of deploy are checked for what the pages about them promise.
@Suite struct `The deployment files` {
  private static let folder = SourceTree.root.appending(path: "deploy")
  private static let roles: Set = [
    "spool_owner", "spool_coordinator", "spool_submitter", "spool_operator", "spool_viewer", "spool_console",
  ]

  private let files: [(path: String, text: String)]

  init() throws {
    files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).sorted()
      .filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".service") || $0.hasSuffix(".env") || $0.hasSuffix("Containerfile") }
      .map { ($0, try SourceTree.text(of: "deploy/\($0)")) }
  }

  @Test func `each connects to the database as a role of its own, and never as the superuser`() {
    let connecting = files.flatMap { file in
      file.text.matches(of: /postgresql:\/\/([^@\/\s]+)@/).map { (file.path, String($0.1)) }
    }
    #expect(connecting.count >= 8)
    #expect(connecting.filter { !Self.roles.contains($0.1) }.map { "\($0.0): \($0.1)" } == [])
  }

  @Test func `no password is on a command line`() {
    let spoken = files.flatMap { file in
      file.text.matches(of: /password=[^\s}\]]+|postgresql:\/\/[^@\/\s:]+:[^@\s]+@/).map { "\(file.path): \($0.0)" }
    }
    #expect(spoken.filter { !$0.contains("password=secrets/") } == [])
  }

  @Test func `images are named by digest, or by names that the user must give one`() {
    let images = files.flatMap { file in
      file.text.matches(of: /(?m)^\s*(?:image:|FROM) (\S+)/).map { (file.path, String($0.1)) }
    }
    #expect(images.count >= 6)
    let named: Set = ["spool", "postgres", "${BUILD_IMAGE}", "${BASE_IMAGE}"]
    let loose = images.filter { !named.contains($0.1) && !$0.1.contains("@sha256:") && !$0.1.hasPrefix("${POSTGRES_IMAGE:?") }
    #expect(loose.map { "\($0.0): \($0.1)" } == [])
    let text = files.map(\.text).joined()
    #expect(!text.contains("newTag") && text.contains("ARG BUILD_IMAGE\nARG BASE_IMAGE\n"))
  }

  @Test func `whatever reads strangers' bytes must be contained`() throws {
    for path in [
      "container/compose.yaml", "kubernetes/base/worker.yaml", "kubernetes/base/console.yaml", "kubernetes/submit.yaml",
      "systemd/spool-worker@.service", "systemd/spool-console.service",
    ] {
      let text = try #require(files.first { $0.path == path }).text
      let readers = text.matches(of: /(?m)- (?:worker|console)$|spool,? (?:worker|submit|console)\b|\[submit\b/).count
      let contained = text.matches(of: /--containment[ =]required/).count
      #expect(readers > 0 && readers == contained, "\(path)")
    }
  }

  @Test func `workers know the time after which they are killed`() throws {
    for (path, time) in [
      ("container/compose.yaml", "stop_grace_period: 5m"), ("kubernetes/base/worker.yaml", "terminationGracePeriodSeconds: 300"),
      ("systemd/spool-worker@.service", "TimeoutStopSec=5min"),
    ] {
      let text = try #require(files.first { $0.path == path }).text
      let (workers, told) = (text.matches(of: /--curve-server-key[ =]/).count, text.matches(of: /--notice[ =]300\b/).count)
      #expect(text.contains(time) && told > 0 && told == workers, "\(path)")
    }
  }

  @Test func `workers write below an output root alone, and no unit runs as root`() throws {
    for path in ["container/compose.yaml", "kubernetes/base/worker.yaml", "systemd/spool-worker@.service"] {
      let text = try #require(files.first { $0.path == path }).text
      let workers = text.matches(of: /(?m)- (?:worker|console)$|bin\/spool worker\b/).count
      #expect(workers > 0 && text.matches(of: /--output-root[ =]/).count == workers, "\(path)")
    }
    let units = files.filter { $0.path.hasSuffix(".service") }
    #expect(units.count == 3)
    for unit in units {
      let users = unit.text.matches(of: /(?m)^User=(\S+)$/).map { String($0.1) }
      #expect(users.count == 1 && !["root", "0"].contains(users[0]), "\(unit.path)")
    }
  }

  @Test func `workers have no network in common with the database, and nothing that is not named has any`() throws {
    let compose = try #require(files.first { $0.path == "container/compose.yaml" }).text
    let networks = compose.matches(of: /(?m)^ +networks: \[(.*)\]$/).map { String($0.1) }
    #expect(Set(networks) == ["workers", "database", "database, workers", "database, people"])
    // Only coordinators have both, and only the console has the network of its port on the host.
    #expect(networks.filter { $0 == "database, workers" }.count == 1 && networks.filter { $0 == "database, people" }.count == 1)
    #expect(compose.matches(of: /<<: \*coordinator\n/).count == 2)
    #expect(compose.matches(of: /\{internal: true\}/).count == 2)
    let policies = try #require(files.first { $0.path == "kubernetes/base/network-policy.yaml" }).text
    #expect(policies.contains("podSelector: {}\n  policyTypes: [Ingress, Egress]"))
    #expect(!policies.contains("ipBlock"))
    // What says who reaches the database does not speak of workers, and workers reach the coordinator.
    let parts = policies.split(separator: "\n---\n")
    let ofDatabase = parts.filter { $0.contains("port: 5432") }
    #expect(ofDatabase.count == 2 && !ofDatabase.contains { $0.contains("worker") })
    let ofWorkers = parts.filter { $0.contains("  podSelector: {matchLabels: {app.kubernetes.io/component: worker}}\n  policy") }
    let reached = ofWorkers.map { $0.matches(of: /component: \w+|port: \d+/).map { String($0.0) } }
    #expect(reached == [["component: worker", "component: coordinator", "port: 7400"]])
  }

  @Test func `each alert has a section in the runbook, and the dashboard asks for numbers that there are`() throws {
    let rules = try SourceTree.text(of: "deploy/prometheus/spool.rules.yaml")
    let sections = Set(try SourceTree.text(of: "docs/runbook.md").matches(of: /(?m)^## (\w+)$/).map { String($0.1) })
    let alerts = rules.matches(of: /(?m)- alert: (\w+)$/).map { String($0.1) }
    #expect(alerts.count >= 10 && Set(alerts) == sections && alerts.count == sections.count)
    let links = rules.matches(of: /(?m)runbook: docs\/runbook\.md#(\w+)$/).map { String($0.1) }
    #expect(links == alerts.map { $0.lowercased() })
    let metrics = try SourceTree.text(of: "docs/metrics.md")
    let dashboard = try SourceTree.text(of: "deploy/prometheus/spool.dashboard.json")
    let names = Set((dashboard + rules).matches(of: /\bspool_[a-z_]+/).map { String($0.0) })
    #expect(names.count > 10)
    #expect(names.filter { !metrics.contains($0.replacing("_bucket", with: "")) } == [])
  }

  @Test func `each deployment has a coordinator that stands by, which workers know, and a console`() throws {
    let compose = try #require(files.first { $0.path == "container/compose.yaml" }).text
    let called = Set(compose.matches(of: /--connect=tcp:\/\/([\w-]+):/).map { String($0.1) })
    #expect(called == ["coordinator", "coordinator-2"] && compose.contains("\n  console:\n"))
    let pods = try #require(files.first { $0.path == "kubernetes/base/coordinator.yaml" }).text
    #expect(pods.contains("replicas: 2\n"))
    let workers = try #require(files.first { $0.path == "kubernetes/base/worker.yaml" }).text
    #expect(workers.matches(of: /--connect=tcp:\/\/spool-coordinator-[01]\.spool-coordinator:/).count == 2)
    let kinds = try SourceTree.text(of: "deploy/kubernetes/base/kustomization.yaml")
    #expect(kinds.contains("- console.yaml\n"))
    let units = try #require(files.first { $0.path == "systemd/worker.env" }).text
    #expect(units.matches(of: /--connect tcp:/).count == 2)
  }

  @Test func `nodes can be drained while no pod is ready, and the scaler counts the slots of a pod`() throws {
    for name in ["console", "coordinator", "worker"] {
      let text = try #require(files.first { $0.path == "kubernetes/base/\(name).yaml" }).text
      let budgets = text.matches(of: /kind: PodDisruptionBudget/).count
      #expect(budgets == 1 && text.matches(of: /unhealthyPodEvictionPolicy: AlwaysAllow/).count == budgets, "\(name)")
    }
    let worker = try #require(files.first { $0.path == "kubernetes/base/worker.yaml" }).text
    let slots = try #require(worker.firstMatch(of: /--slots=([0-9]+)/).flatMap { Int($0.1) })
    let scaler = try #require(files.first { $0.path == "kubernetes/keda.yaml" }).text
    #expect(scaler.contains("targetQueryValue: \"\(600 * slots)\""))
  }

  @Test func `an alert about the farm comes once, whatever the number of consoles`() throws {
    let rules = try SourceTree.text(of: "deploy/prometheus/spool.rules.yaml")
    let alerts = rules.split(separator: "- alert: ").dropFirst()
    let loose = alerts.filter { rule in
      let names = rule.matches(of: /\bspool_[a-z_]+/).count
      return names > rule.matches(of: /max by \(job(?:, state)?\) \((?:(?:changes|max_over_time)\()?spool_/).count
    }
    #expect(loose.map { $0.prefix { $0 != "\n" } } == [])
  }

  @Test func `no two workers share a key`() throws {
    let compose = try #require(files.first { $0.path == "container/compose.yaml" }).text
    let keys = compose.matches(of: /--curve-secret-key=\/run\/secrets\/(worker\S*)/).map { String($0.1) }
    #expect(keys.count == 2 && Set(keys).count == 2)
    let pods = try #require(files.first { $0.path == "kubernetes/base/worker.yaml" }).text
    #expect(pods.contains("subPathExpr: $(POD_NAME).key"))
  }
}
