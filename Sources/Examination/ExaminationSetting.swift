internal import Glibc
internal import Rendering
package import Remote
package import Subprocess

/// Where media are read for somebody's command: by a process that has the rights and the limits of an attempt.
package struct ExaminationSetting: Sendable {
  /// Folders that media must lie below; at least one.
  package var roots: [String]
  /// Of what is behind URLs; nil where none are fetched.
  package var library: MediaLibrary?
  /// Arguments besides those that are set here: how far it is contained.
  package var arguments: [String]
  /// Whether what it writes to standard error goes to ours: that of a program with compositors of its user's, who look for it there.
  package var sharesErrorOutput: Bool
  /// As whom media are read where the caller is root, who opens them; nil: as the caller.
  package var account: Account?
  package var executable = "/proc/self/exe"
  /// Bytes of address space. As an attempt of a worker with two slots has.
  package var addressSpace: Int = max(4 << 30, physicalMemory / 2)
  /// It is killed when nothing is heard of it for so long. Twice what a worker allows an attempt that it knows nothing about: nobody tries
  /// again.
  package var patienceSeconds = 60

  package init(roots: [String], library: MediaLibrary?, arguments: [String] = [], sharesErrorOutput: Bool = false) {
    (self.roots, self.library, self.arguments) = (roots, library, arguments)
    self.sharesErrorOutput = sharesErrorOutput
  }

  /// Lines to sources behind URLs, each with a source at a time: most of probing those is waiting.
  package static let probingLines = ProbedAssets.threads
}

private var physicalMemory: Int { sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) }
