internal import FoundationEssentials

/// The name of this machine.
package var hostName: String { ProcessInfo.processInfo.hostName }

/// The number of cores that this process may use (sched_getaffinity).
package var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }
