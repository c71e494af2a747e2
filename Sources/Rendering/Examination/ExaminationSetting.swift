internal import EditFiles
internal import Glibc
package import Remote
package import Subprocess

/// How media are read for a command: in a process with the rights and the limits of an attempt.
package struct ExaminationSetting: Sendable {
  /// The folders that media must lie below; at least one.
  package var roots: [String]
  /// The library of media behind URLs; nil where none are fetched.
  package var library: MediaLibrary?
  /// Arguments that say how far the process is contained. Other arguments are set elsewhere.
  package var arguments: [String]
  /// Whether the process writes to this process's standard error. True for programs with custom compositors, whose users look for
  /// output there.
  package var sharesErrorOutput: Bool
  /// The user who reads the media when the caller is root, who opens them; nil for the caller.
  package var account: Account?
  package var executable = "/proc/self/exe"
  /// The limit of address space in bytes. It is that of an attempt of a worker with two slots.
  package var addressSpace: Int = max(4 << 30, physicalMemory / 2)
  /// The number of seconds without progress after which the process is killed. That is twice what a worker allows an attempt that
  /// it knows nothing about, because nobody tries again.
  package var patienceSeconds = 60

  package init(roots: [String], library: MediaLibrary?, arguments: [String] = [], sharesErrorOutput: Bool = false) {
    (self.roots, self.library, self.arguments) = (roots, library, arguments)
    self.sharesErrorOutput = sharesErrorOutput
  }

  /// The number of lines to sources behind URLs, each for one source at a time. Probing such sources is mostly waiting.
  package static let probingLines = ProbedAssets.threads
}

private var physicalMemory: Int { sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) }
