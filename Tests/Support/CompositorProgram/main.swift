import SpoolCompositing
import SpoolProgram

// A spool with compositors of its own, for the tests: two that work, and others that fail, each in its own way.
Spool.main(compositors: [Mixer.self, Holder.self, Crasher.self, Thrower.self, Waiter.self])
