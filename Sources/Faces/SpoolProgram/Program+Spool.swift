import Arguments

extension Program {
  static let spool = Program(
    name: "spool", version: "0.1.0", summary: "renders video edits on a farm",
    description: [
      """
      Spool renders an edit, written as a JSON document, into a movie. The edit is split into chunks that workers render \
      side by side; the movie has the same frames and samples whether one process rendered it or a hundred machines did.
      """,
      """
      'spool render' does it all on this machine. 'spool coordinator' and 'spool worker' make a farm of several machines \
      on a PostgreSQL database, to which 'spool submit' sends edits.
      """,
    ],
    verbs: [
      RenderVerb.self, ServeVerb.self, InitVerb.self, ValidateVerb.self, ProbeVerb.self, FrameVerb.self, ContactSheetVerb.self,
      FramesVerb.self,
      WaveformVerb.self,
      ReadVerb.self, WriteVerb.self,
      VerifyVerb.self,
      PlanVerb.self, SubmitVerb.self, StatusVerb.self, WatchVerb.self, FollowVerb.self, WhyVerb.self, CompareVerb.self,
      LogsVerb.self,
      TraceVerb.self, ReportVerb.self,
      AuditVerb.self,
      CancelVerb.self, PauseVerb.self, ResumeVerb.self, RetryVerb.self,
      PriorityVerb.self, QuotaVerb.self, DrainVerb.self, UndrainVerb.self, CoordinatorVerb.self, WorkerVerb.self,
      ConsoleVerb.self, WebhookVerb.self, DeliveriesVerb.self, MigrateVerb.self, KeysVerb.self, DoctorVerb.self, HealthVerb.self,
      CompletionsVerb.self, ManualVerb.self,
      AttemptVerb.self, CourierVerb.self, ExamineVerb.self, JoinVerb.self, OfferVerb.self, RecallVerb.self, SeekVerb.self,
      SweepVerb.self,
    ])
}
