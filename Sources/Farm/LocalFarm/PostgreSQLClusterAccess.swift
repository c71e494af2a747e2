internal import Glibc
internal import Linux
internal import Subprocess

/// The server's files (pg_hba.conf, pg_ident.conf) that say who may connect to a cluster of root's: root as the owner of
/// everything, and one other user as a coordinator. The kernel says which user is at the other end of the socket.
struct PostgreSQLClusterAccess {
  /// The database role of that user.
  static let role = "spool_local"

  /// The SQL that makes the role. The schema makes what else is missing, and gives the group of all coordinators its rights.
  static let makeRole = """
    do $$ begin
      if to_regrole('spool_coordinator') is null then create role spool_coordinator; end if;
      if to_regrole('\(role)') is null then create role \(role) login in role spool_coordinator; end if;
    end $$
    """

  private let hosts: String
  private let users: String

  /// Writes the files.
  ///
  /// - Parameter folder: a folder of root's that the server may enter.
  init(of guest: Account, in folder: String) throws(PostgreSQLClusterError) {
    (hosts, users) = ("\(folder)/pg_hba.conf", "\(folder)/pg_ident.conf")
    guard !guest.name.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") }) else {
      throw PostgreSQLClusterError(at: "user \(guest.name)", "has a name that the database server does not take")
    }
    try Self.write("local all all peer map=farm\n", to: hosts)
    try Self.write("farm root spool\nfarm \"\(guest.name)\" \(Self.role)\n", to: users)
  }

  var settings: [String: String] { ["hba_file": hosts, "ident_file": users] }

  private static func write(_ text: String, to path: String) throws(PostgreSQLClusterError) {
    let descriptor: Int32
    do throws(OwnPlace.Distrust) {
      descriptor = try OwnPlace.openFile(path, mode: 0o644)
    } catch { throw PostgreSQLClusterError(error) }
    defer { close(descriptor) }
    var code = ftruncate(descriptor, 0) == 0 ? SystemCall.write(Array(text.utf8), to: descriptor) : errno
    if code == 0, fchmod(descriptor, 0o644) != 0 { code = errno }
    guard code == 0 else { throw PostgreSQLClusterError(at: path, "cannot be written: \(SystemWords.of(code))") }
  }
}
