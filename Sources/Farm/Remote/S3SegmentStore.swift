internal import Glibc
internal import Linux
package import Messages
internal import Rendering
package import Transfer

/// A segment store in S3. Objects have the same names as the files of a store in a folder, below the store's place.
package struct S3SegmentStore {
  private let bucket: S3Bucket

  package init(_ bucket: S3Bucket) { self.bucket = bucket }

  /// - Throws: `TransferError` when the store cannot be listed.
  package func requireReachable() throws(TransferError) { _ = try bucket.folders() }

  /// Has `waiting` called at least once a second while requests are under way.
  func watch(_ waiting: @escaping () -> Void) { bucket.waiting = waiting }

  /// Puts an attempt's segment file. The object appears whole or not at all.
  package func put(_ path: String, as name: String, progress: @escaping (Int64) -> Void) throws(TransferError) {
    try bucket.put(path, as: name, progress: progress)
  }

  package func get(
    _ name: String, to path: String, byteCount: Int64, progress: (Int64) -> Void
  ) throws(TransferError) {
    try bucket.get(name, to: path, byteCount: byteCount, progress: progress)
  }

  /// Removes a job's segments.
  ///
  /// - Parameter dead: the attempts whose segments are removed; nil for all attempts.
  package func remove(job: String, dead: DeadAttempts? = nil) throws(TransferError) {
    for object in try segments(of: job) where SegmentStore.isDead(object.key, dead) { try bucket.remove(object.key) }
  }

  /// The objects below the job's folder whose names are those of segments.
  private func segments(of job: String) throws(TransferError) -> [S3Bucket.Object] {
    try bucket.objects(below: job + "/").filter { SegmentStore.isSegmentName($0.key) }
  }
}

extension S3SegmentStore: SweptStore {
  package func jobs() throws -> [String] { try bucket.folders().filter(SegmentStore.isJobName) }

  package func clear(_ jobs: [OverJob], outputRoots: [String] = []) throws {
    for job in jobs where SegmentStore.isJobName(job.id) {
      if job.output != nil {
        for place in job.places where SegmentStore.isOutput(place) {
          SegmentStore.removeParts(of: job.id, output: place, below: outputRoots, dead: job.dead)
        }
        try remove(job: job.id, dead: job.dead)
      } else if let changed = try segments(of: job.id).map(\.changedAt).max(),
        changed < Self.time(before: SegmentStore.strangerAge)
      {
        try remove(job: job.id)
      }
    }
  }

  /// The time that many seconds ago as S3 writes it, but without fractions of a second. Such texts sort in the order of their
  /// times.
  private static func time(before seconds: Int) -> String { UTCTime.text(secondsSince1970: Glibc.time(nil) - seconds) }
}
