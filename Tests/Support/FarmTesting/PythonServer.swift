internal import FoundationEssentials
internal import Glibc
internal import Subprocess

/// A server by somebody else, written in Python. It runs as long as this object and this process live. Its first line of output
/// says where it listens.
package final class PythonServer {
  package struct Mute: Error, CustomStringConvertible { package let description: String }

  /// The words of its first line of output.
  package let greeting: [String]
  private let child: ChildProcess

  package init(_ script: String, arguments: [String] = [], environment: [String: String] = [:]) throws {
    var command = Command("/usr/bin/python3", ["-c", Self.watch + script] + arguments)
    command.environment = ["PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1"].merging(environment) { $1 }
    (command.output, command.errorOutput) = (.pipe, .pipe)
    child = try ChildProcess(command)
    guard let output = child.output, let errors = child.errorOutput else { preconditionFailure("both streams are pipes") }
    var (lines, complaints) = (LineReader(output, limit: 4096), TailReader(errors, limit: 4096))
    // Python and its packages take seconds to start, and longer on a busy machine.
    let deadline = ContinuousClock.now + .seconds(120)
    while true {
      try complaints.read()
      if case .text(let line)? = try lines.read().first {
        greeting = line.split(separator: " ").map(String.init)
        break
      }
      guard try child.poll() == nil, ContinuousClock.now < deadline else { throw Mute(description: complaints.text) }
      var entry = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 100)
    }
  }

  /// A script that ends the server when this process ends, because objects that live to the end of a process are not freed. The
  /// kernel's signal for a parent's death would come at the end of a thread already.
  private static let watch = """
    import os, threading, time
    def end_with(parent):
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(0)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()

    """
}

/// An S3 server, moto, which checks every signature. It has a bucket "farm" and a user who may do everything with it.
///
/// @unchecked: its process is only kept alive, and not used after `init`.
package final class S3Server: @unchecked Sendable {
  package let endpoint: String
  /// The variables that its clients need in their environment.
  package let environment: [String: String]
  private let server: PythonServer

  /// Whether `scripts/test` has installed moto.
  package static let isInstalled: Bool = unsafe access("\(packages)/moto", F_OK) == 0

  /// The file that names a fault. It goes with the object.
  private let fault: TemporaryDirectory

  private static let packages = "\(FileManager.default.currentDirectoryPath)/.build/moto"

  package init() throws {
    fault = TemporaryDirectory()
    server = try PythonServer(
      Self.script, arguments: [fault.file("fault")],
      environment: ["PYTHONPATH": Self.packages, "INITIAL_NO_AUTH_ACTION_COUNT": "4"])
    guard server.greeting.count == 3 else { throw PythonServer.Mute(description: "\(server.greeting)") }
    endpoint = "http://127.0.0.1:\(server.greeting[0])"
    environment = [
      "AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": server.greeting[1], "AWS_SECRET_ACCESS_KEY": server.greeting[2],
    ]
  }

  /// Puts a file into the bucket.
  package func put(_ path: String, as key: String) throws {
    _ = try ask("s3.upload_file(sys.argv[2], 'farm', sys.argv[3])", path, key)
  }

  /// Gets an object of the bucket.
  package func get(_ key: String, to path: String) throws {
    _ = try ask("s3.download_file('farm', sys.argv[2], sys.argv[3])", key, path)
  }

  /// Removes an object of the bucket.
  package func remove(_ key: String) throws { _ = try ask("s3.delete_object(Bucket='farm', Key=sys.argv[2])", key) }

  /// The objects of the bucket, as "object KEY BYTES TYPE", and the uploads that have begun, as "upload KEY".
  package func list(_ prefix: String = "") throws -> [String] {
    try ask(
      """
      for o in s3.list_objects_v2(Bucket='farm', Prefix=sys.argv[2]).get('Contents', []):
          print('object', o['Key'], o['Size'], s3.head_object(Bucket='farm', Key=o['Key'])['ContentType'])
      for u in s3.list_multipart_uploads(Bucket='farm').get('Uploads', []):
          if u['Key'].startswith(sys.argv[2]): print('upload', u['Key'])
      """, prefix
    ).split(separator: "\n").map(String.init)
  }

  /// Has requests fail whose path or query has some words.
  ///
  /// - Parameter rule: the words, and "fail" for status 503, "hang" for no answer, or "gather" for status 503 unless three of them came at one time;
  ///   nil for no faults.
  package func breaks(_ rule: String?) throws { try (rule ?? "").write(toFile: fault.file("fault")) }

  private func ask(_ code: String, _ arguments: String...) throws -> String {
    let script = "import boto3, sys\ns3 = boto3.client('s3', endpoint_url=sys.argv[1], region_name='us-east-1')\n" + code
    let command = Command(
      "/usr/bin/python3", ["-c", script, endpoint] + arguments,
      environment: environment.merging(["PYTHONPATH": Self.packages, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]) { $1 })
    guard let done = try command.run(timeoutMilliseconds: 120_000), done.status.isSuccess else {
      throw PythonServer.Mute(description: "the bucket does not answer: \(code)")
    }
    return done.output
  }

  private static let script = """
    import boto3, logging, sys, threading, time
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    moto = DomainDispatcherApplication(create_backend_app)
    gathered, gathering = threading.Event(), threading.Semaphore(2)
    def app(environ, start):
        try: rule = open(sys.argv[1]).read().split()
        except FileNotFoundError: rule = []
        if rule and rule[0] in environ["PATH_INFO"] + "?" + environ["QUERY_STRING"]:
            if rule[1] == "gather":
                if not gathering.acquire(blocking=False): gathered.set()
                elif not gathered.wait(20): gathering.release()
                if gathered.is_set(): return moto(environ, start)
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            while rule[1] == "hang": time.sleep(1)
            start("503 Service Unavailable", [("Content-Length", "0")])
            return [b""]
        return moto(environ, start)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_port
    where = dict(endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    iam = boto3.client("iam", **where)
    iam.create_user(UserName="spool")
    key = iam.create_access_key(UserName="spool")["AccessKey"]
    policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'
    iam.put_user_policy(UserName="spool", PolicyName="all", PolicyDocument=policy)
    boto3.client("s3", **where).create_bucket(Bucket="farm")
    print(port, key["AccessKeyId"], key["SecretAccessKey"])
    threading.Event().wait()
    """
}
