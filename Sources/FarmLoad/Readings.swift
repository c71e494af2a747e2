import FoundationEssentials
import Glibc

/// What a process and its children have taken, as the kernel counts it.
struct Readings: Sendable {
  /// Processor seconds of the process and of those of its children that live.
  var processorSeconds: Double
  /// Resident memory of the process alone.
  var residentBytes: Int

  init(process: Int32, withChildren: Bool = false) throws {
    let resident = try Self.words("/proc/\(process)/statm")[1]
    residentBytes = (Int(resident) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    processorSeconds = try Self.processorSeconds(process)
    guard withChildren else { return }
    for child in try Self.words("/proc/\(process)/task/\(process)/children") {
      // One that ends while we look counts no more.
      processorSeconds += (try? Self.processorSeconds(Int32(child) ?? 0)) ?? 0
    }
  }

  /// utime and stime, fields 14 and 15 (proc(5)), and those of children that were waited for, 16 and 17.
  private static func processorSeconds(_ process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    return fields[12...15].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func words(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
