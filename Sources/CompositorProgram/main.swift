import SpoolCompositing
import SpoolProgram

// A spool with compositors of its own, for the tests: one that works, and some that fail each in its way.
Spool.main(compositors: [Mixer.self, Holder.self, Crasher.self, Thrower.self, Waiter.self])
