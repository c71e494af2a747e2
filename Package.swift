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

/// A Swift target under `Sources/`, with the targets it may import: only such as stand below it.
func module(_ name: String, _ below: [String] = []) -> Target {
  .target(name: name, dependencies: below.map { .byName(name: $0) }, swiftSettings: strict)
}

func tests(_ name: String, _ below: [String], excluding files: [String] = []) -> Target {
  .testTarget(name: name, dependencies: below.map { .byName(name: $0) }, exclude: files, swiftSettings: strict)
}

/// A C library that Debian packages; `scripts/setup` installs it.
func library(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
  name: "spool",
  products: [
    .executable(name: "spool", targets: ["spool"]),
    // For a program that is a spool with compositors of one's own.
    .library(name: "SpoolCompositing", targets: ["SpoolCompositing", "SpoolProgram"]),
  ],
  targets: [
    // C libraries: module map and shim only.
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
    // Calls libjpeg, which leaves a function by longjmp(3): Swift cannot.
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

    // What the system's codes are called, for all that calls it.
    module("SystemWords"),

    // The edit and the farm's decisions: values, no I/O, no C. Before them what all may say.
    module("PlainText"),
    module("MediaTime"),
    module("Timeline", ["MediaTime"]),
    module("Messages", ["PlainText", "MediaTime", "Timeline"]),
    module("Scheduling", ["Messages", "PlainText", "Timeline", "MediaTime"]),

    // One small wrapper for each library.
    module("PostgreSQL", ["CPostgreSQL", "SystemWords"]),
    module("ZeroMQ", ["CZeroMQ", "CLinux", "SystemWords"]),
    module("Subprocess", ["CLinux", "PlainText", "SystemWords"]),
    module("Transfer", ["CCurl", "SystemWords"]),
    module("Arguments"),
    module("Media", ["CFFmpeg", "CHeif", "CJPEG", "CWebP", "CXXHash", "CLinux", "SystemWords", "MediaTime", "Timeline"]),

    // The public API: what users write compositors with.
    module("SpoolCompositing", ["Media", "Timeline", "MediaTime", "PlainText"]),

    // The picture and the sound.
    module("Drawing", ["CPango", "Media", "Timeline", "MediaTime"]),
    module("Compositing", ["CZimg", "Drawing", "Media", "Timeline", "MediaTime"]),
    module(
      "Rendering",
      ["SpoolCompositing", "Compositing", "Drawing", "Media", "Messages", "Timeline", "MediaTime", "SystemWords"]),
    module(
      "Remote", ["Transfer", "Rendering", "Media", "Messages", "Subprocess", "Timeline", "MediaTime", "SystemWords"]),

    // Media read for somebody's command, by a process that is contained.
    module(
      "Examination",
      [
        "Remote", "Rendering", "SpoolCompositing", "Compositing", "Media", "Messages", "Subprocess", "Timeline", "MediaTime",
      ]),

    // The farm.
    .target(
      name: "Ledger",
      dependencies: ["PostgreSQL", "Messages", "Scheduling", "Timeline", "MediaTime", "PlainText"],
      // A link to the top level: the program carries the schema that is published there.
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
    // The program with faulty decoders, for FarmTests.
    .executableTarget(name: "PlantedAttempt", dependencies: ["SpoolProgram"], swiftSettings: strict),

    // A spool with compositors of its own, for the tests.
    .executableTarget(name: "CompositorProgram", dependencies: ["SpoolCompositing", "SpoolProgram"], swiftSettings: strict),

    // What scripts/benchmark measures from within.
    .executableTarget(
      name: "CompositingBenchmark", dependencies: ["Compositing", "Media", "Timeline", "MediaTime"], swiftSettings: strict),

    // What reads strangers' bytes, for the tests and for scripts/fuzz, which alone builds the Fuzzer.
    module("FuzzTargets", ["Rendering", "Media", "Scheduling", "Messages", "Timeline", "MediaTime"]),

    // What scripts/load measures with.
    .executableTarget(
      name: "FarmLoad",
      dependencies: [
        "Arguments", "Terminal", "LocalFarm", "Ledger", "PostgreSQL", "Messages", "Rendering", "Subprocess", "ZeroMQ",
      ], swiftSettings: strict),

    // Tests, and what they share: virtual clock, seeded random, memory ledger, synthetic sources.
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
    // libFuzzer brings a main function of its own, so that nothing but its own build can link it.
    + (Context.environment["SPOOL_FUZZ"] == nil
      ? [] : [.executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], swiftSettings: strict)])
)
