// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// A Swift target under `Sources/`. It may import only the targets `below`, which are declared before it.
func module(_ name: String, _ below: [String] = []) -> Target {
  .target(name: name, dependencies: below.map { .byName(name: $0) }, swiftSettings: strict)
}

func tests(_ name: String, _ below: [String], excluding files: [String] = []) -> Target {
  .testTarget(name: name, dependencies: below.map { .byName(name: $0) }, exclude: files, swiftSettings: strict)
}

/// A C library from a Debian package, which `scripts/setup` installs.
func library(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
  name: "spool",
  products: [
    .executable(name: "spool", targets: ["spool"]),
    // This library is for users' programs that are a spool with compositors of their own.
    .library(name: "SpoolCompositing", targets: ["SpoolCompositing", "SpoolProgram"]),
  ],
  targets: [
    // Each C library has only a module map and a shim here.
    library("CFFmpeg", pkgConfig: "libavformat", debian: "libavformat-dev"),
    library("CZimg", pkgConfig: "zimg", debian: "libzimg-dev"),
    library("CPango", pkgConfig: "pangocairo", debian: "libpango1.0-dev"),
    library("CPostgreSQL", pkgConfig: "libpq", debian: "libpq-dev"),
    library("CZeroMQ", pkgConfig: "libzmq", debian: "libzmq3-dev"),
    library("CXXHash", pkgConfig: "libxxhash", debian: "libxxhash-dev"),
    library("CHeif", pkgConfig: "libheif", debian: "libheif-dev"),
    library("CWebP", pkgConfig: "libwebpdemux", debian: "libwebp-dev"),
    library("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    .target(name: "CLinux"),
    // CJPEG calls libjpeg, which leaves a function by longjmp(3) on an error. Swift code cannot do that.
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

    // SystemWords has the words for the system's error codes. All targets that call the system use it.
    module("SystemWords"),

    // These targets are the edit and the farm's decisions: values without I/O and without C. PlainText comes first because all
    // may use it.
    module("PlainText"),
    module("MediaTime"),
    module("Timeline", ["MediaTime"]),
    module("Messages", ["PlainText", "MediaTime", "Timeline"]),
    module("Scheduling", ["Messages", "PlainText", "Timeline", "MediaTime"]),

    // Each library has one small wrapper.
    module("PostgreSQL", ["CPostgreSQL", "SystemWords"]),
    module("ZeroMQ", ["CZeroMQ", "CLinux", "SystemWords"]),
    module("Subprocess", ["CLinux", "PlainText", "SystemWords"]),
    module("Transfer", ["CCurl", "SystemWords"]),
    module("Arguments"),
    module("Media", ["CFFmpeg", "CHeif", "CJPEG", "CWebP", "CXXHash", "CLinux", "SystemWords", "MediaTime", "Timeline"]),

    // This is the public API, with which users write compositors.
    module("SpoolCompositing", ["Media", "Timeline", "MediaTime", "PlainText"]),

    // These targets make the picture and the sound.
    module("Drawing", ["CPango", "Media", "Timeline", "MediaTime"]),
    module("Compositing", ["CZimg", "Drawing", "Media", "Timeline", "MediaTime"]),
    module(
      "Rendering",
      ["SpoolCompositing", "Compositing", "Drawing", "Media", "Messages", "Timeline", "MediaTime", "SystemWords"]),
    module(
      "Remote", ["Transfer", "Rendering", "Media", "Messages", "Subprocess", "Timeline", "MediaTime", "SystemWords"]),

    // Examination reads media for a user's command, in a process that is contained.
    module(
      "Examination",
      [
        "Remote", "Rendering", "SpoolCompositing", "Compositing", "Media", "Messages", "Subprocess", "Timeline", "MediaTime",
      ]),

    // These targets are the farm.
    .target(
      name: "Ledger",
      dependencies: ["PostgreSQL", "Messages", "Scheduling", "Timeline", "MediaTime", "PlainText"],
      // This file is a link to the schema at the top level, so the program carries the schema that is published there.
      resources: [.embedInCode("schema.sql")],
      swiftSettings: strict),
    module("Coordinator", ["Ledger", "Scheduling", "Messages", "Subprocess", "ZeroMQ"]),
    module("Worker", ["Scheduling", "Messages", "PlainText", "Subprocess", "ZeroMQ"]),
    module("LocalFarm", ["PostgreSQL", "Subprocess", "SystemWords"]),
    module("Terminal", ["CLinux", "Ledger", "Messages", "PlainText", "SystemWords"]),
    module(
      "SpoolProgram",
      [
        "Arguments", "Terminal", "Coordinator", "Worker", "LocalFarm", "Ledger", "Scheduling", "Messages", "Rendering",
        "SpoolCompositing", "Compositing", "Examination", "Remote", "Transfer", "Media", "Timeline", "MediaTime", "ZeroMQ",
        "Subprocess", "PlainText", "SystemWords",
      ]),
    .executableTarget(name: "spool", dependencies: ["SpoolProgram"], swiftSettings: strict),
    // PlantedAttempt is the program with faulty decoders, for FarmTests.
    .executableTarget(name: "PlantedAttempt", dependencies: ["SpoolProgram"], swiftSettings: strict),

    // CompositorProgram is a spool with compositors of its own, for the tests.
    .executableTarget(name: "CompositorProgram", dependencies: ["SpoolCompositing", "SpoolProgram"], swiftSettings: strict),

    // `scripts/benchmark` measures the compositor with this program.
    .executableTarget(
      name: "CompositingBenchmark", dependencies: ["Compositing", "Media", "Timeline", "MediaTime"], swiftSettings: strict),

    // FuzzTargets reads bytes from strangers, for the tests and for `scripts/fuzz`. Only that script builds the Fuzzer.
    module("FuzzTargets", ["Rendering", "Media", "Scheduling", "Messages", "Timeline", "MediaTime"]),

    // `scripts/load` measures the farm with this program.
    .executableTarget(
      name: "FarmLoad",
      dependencies: [
        "Arguments", "Terminal", "LocalFarm", "Ledger", "PostgreSQL", "Messages", "Rendering", "Subprocess", "ZeroMQ",
      ], swiftSettings: strict),

    // These are the tests, and what they share: a virtual clock, seeded random numbers, a ledger in memory and synthetic sources.
    module(
      "FarmTesting",
      ["LocalFarm", "Ledger", "PostgreSQL", "Media", "Scheduling", "Messages", "Subprocess", "Timeline", "MediaTime"]),
    tests("MediaTimeTests", ["MediaTime", "FarmTesting"]),
    tests("TimelineTests", ["Timeline", "MediaTime", "FarmTesting"]),
    tests("SchedulingTests", ["Ledger", "Scheduling", "Messages", "Timeline", "MediaTime", "FarmTesting"]),
    tests("WrapperTests", ["PostgreSQL", "ZeroMQ", "Subprocess", "Arguments", "FarmTesting"]),
    tests("MediaTests", ["Media", "Subprocess", "Timeline", "MediaTime", "FarmTesting"]),
    tests("CompositingTests", ["Compositing", "Drawing", "Media", "Timeline", "MediaTime", "FarmTesting"]),
    tests(
      "RenderingTests",
      [
        "SpoolCompositing", "Rendering", "Compositing", "Media", "Messages", "Subprocess", "Timeline", "MediaTime", "FarmTesting",
      ]),
    tests(
      "LedgerTests", ["Ledger", "PostgreSQL", "LocalFarm", "Scheduling", "Messages", "Subprocess", "Timeline", "FarmTesting"],
      excluding: ["Fixtures"]),
    tests(
      "FarmTests",
      [
        "PlantedAttempt", "Examination", "LocalFarm", "Worker", "Ledger", "Scheduling", "Messages", "Rendering", "Media",
        "Subprocess", "ZeroMQ", "Timeline", "FarmTesting",
      ]),
    tests("LocalFarmTests", ["LocalFarm", "PostgreSQL", "Subprocess", "FarmTesting"]),
    tests("TerminalTests", ["Terminal", "PlainText", "SystemWords", "Ledger", "FarmTesting"]),
    tests("RemoteTests", ["Remote", "Transfer", "Media", "Messages", "Subprocess", "Timeline", "MediaTime", "FarmTesting"]),
    tests("FuzzTests", ["FuzzTargets", "FarmTesting"]),
    tests("CommandTests", ["Subprocess", "FarmTesting"]),
    tests("EndToEndTests", ["Subprocess", "FarmTesting"]),
    tests("HouseTests", ["Timeline"]),
  ]
    // libFuzzer has a main function of its own, so this target can be linked only in libFuzzer's own build.
    + (Context.environment["SPOOL_FUZZ"] == nil
      ? [] : [.executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], swiftSettings: strict)])
)
