/// The answer of a farm that takes an edit.
public struct SpoolSubmission: Hashable, Sendable, Codable {
  public var job: String
  public var output: String
  public var frameCount: Int
  public var chunkCount: Int
  public var warnings: [SpoolFault]
}

/// A job at one moment.
public struct SpoolJobStatus: Hashable, Sendable, Codable, Identifiable {
  public enum State: String, Hashable, Sendable, Codable {
    case queued, running, done, failed, cancelled
    /// Whether the job has ended. It stays so unless it is retried.
    public var isFinal: Bool { self != .queued && self != .running }
  }

  /// The reason for which a job failed.
  public struct Failure: Hashable, Sendable, Codable {
    /// The kind of the failure: `content`, `worker`, `source`, `store`, `transient` or `bug`.
    public var `class`: String
    /// The thing that failed: an asset, a track, a path in the document, a file.
    public var place: String
    public var reason: String
  }

  public var id: String
  public var state: State
  public var priority: Int
  public var isPaused: Bool
  public var output: String
  public var submitter: String
  public var frameCount: Int
  public var framesDone: Int
  public var chunkCount: Int
  public var chunksDone: Int
  /// The number of attempts beyond the first of each task.
  public var retries: Int
  public var failure: Failure?
  public var submittedAt: String
  /// The seconds from the submission until the job first ran; or until it ended, or until now.
  public var waitedSeconds: Double
  /// The seconds since the job first ran; nil while it never ran.
  public var elapsedSeconds: Double?
  /// The reason why the job's next task is not given out, in a word or two.
  public var waitsFor: String?
  /// The seconds until the movie is there, as far as there is a forecast.
  public var secondsLeft: Double?
  /// Whether damaged media were replaced.
  public var isDamaged: Bool

  /// The share of the frames that are done, 0...1.
  public var progress: Double { frameCount > 0 ? min(1, Double(framesDone) / Double(frameCount)) : state == .done ? 1 : 0 }
}

/// A job with its tasks.
public struct SpoolJobReport: Hashable, Sendable, Codable {
  public struct Task: Hashable, Sendable, Codable, Identifiable {
    public var id: Int64
    public var state: String
    public var worker: String?
  }

  public var job: SpoolJobStatus
  public var tasks: [Task]
  public var concealed: [SpoolConcealment]
  public var loudness: SpoolLoudness?
}

/// A farm at one moment.
public struct SpoolFarmStatus: Hashable, Sendable, Codable {
  public struct Summary: Hashable, Sendable, Codable {
    public var isLed: Bool
    public var leader: String?
    public var workersAlive: Int
    public var slots: Int
    public var attemptsRunning: Int
    public var jobsRunning: Int
    public var jobsQueued: Int
  }

  public struct Worker: Hashable, Sendable, Codable {
    public var name: String
    public var host: String
    public var slots: Int
    public var running: Int
    public var isAlive: Bool
    public var state: String
  }

  public var farm: Summary
  public var jobs: [SpoolJobStatus]
  public var workers: [Worker]
}

/// The reasons why a job, a task or a worker does not get on.
public struct SpoolExplanation: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable { case job, task, worker }

  /// The time that one part of a job took.
  public struct Share: Hashable, Sendable, Codable {
    public var part: String
    public var seconds: Double
  }

  public var kind: Kind
  /// Each reason is to be read behind the name of what was asked about. Those after the first are details.
  public var reasons: [String]
  /// The parts of a job's time since its submission; nil for tasks and workers.
  public var time: [Share]?
}

/// The result of comparing a movie with a render of its edit by one process.
public struct SpoolVerification: Hashable, Sendable, Codable {
  /// How the movie's pictures compare with the edit's. `uncompared` are those that are not as many, or of another size, or none.
  public enum Pictures: String, Hashable, Sendable, Codable { case equal, differ, uncompared }

  public struct Frame: Hashable, Sendable, Codable {
    public var index: Int
    /// The PSNR of the frame, in decibels.
    public var psnr: Double
  }

  public var movie: String
  /// Whether the movie is the edit.
  public var ok: Bool
  public var lossless: Bool
  public var frameCount: Int
  public var sampleCount: Int64
  public var pictures: Pictures
  public var psnr: Double?
  public var worstFrame: Frame?
  public var concealed: [SpoolConcealment]
  public var loudness: SpoolLoudness?
  public var faults: [String]
}

/// The frames and samples of a damaged medium that were replaced.
public struct SpoolConcealment: Hashable, Sendable, Codable {
  /// A part of the movie, from `first` until just before `end`.
  public struct Span: Hashable, Sendable, Codable {
    public var first: Int64
    public var end: Int64
  }

  /// The medium's name in the document.
  public var asset: String
  public var frames: Int
  public var samples: Int64
  public var frameSpan: Span?
  public var sampleSpan: Span?
}

/// The loudness of a movie's sound, before and after.
public struct SpoolLoudness: Hashable, Sendable, Codable {
  /// The loudness of the mix in LUFS; nil where it could not be measured.
  public var measured: Double?
  public var integrated: Double?
  /// The highest true peak in dBTP; nil for silence.
  public var truePeak: Double?
  /// The gain and the most that the limiter took away, in dB.
  public var gain: Double
  public var limiting: Double
}
