// swift-tools-version: 6.2
import PackageDescription

/// Whether the first program on a machine is built, which `scripts/render` builds quickly (decision 0170).
let isQuick = Context.environment["SPOOL_BUILD"] == "quick"

/// The settings of all targets. Memory safety is checked in every build but the quick one: the check takes a fifth of its time.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ] + (isQuick ? [] : [.strictMemorySafety()])

/// The compiler's flags where nothing is optimised. Without its optimiser it still spends a fifth of its time on removing loads, and
/// in a quick build on looking for data races, which every other build looks for.
let withoutOptimizer =
  ["-Onone", "-Xllvm", "-sil-disable-pass=mandatory-redundant-load-elimination"]
  + (isQuick ? ["-Xllvm", "-sil-disable-pass=send-non-sendable"] : [])

/// The settings of targets that only carry words between people, processes and the database. The optimiser would take two thirds of
/// their compile time and make nothing faster that anybody waits for (decision 0135). No picture, sample, plan or message is made there.
let unoptimized: [SwiftSetting] = strict + [.unsafeFlags(withoutOptimizer)]

/// The settings of targets that plan, dispatch, or read edits and media. The quick build does without their optimiser. It checks no more
/// at run time than the shipped program does.
let optimized: [SwiftSetting] = isQuick ? strict + [.unsafeFlags(withoutOptimizer + ["-assert-config", "Release"])] : strict

/// The last part of a path: a target's name.
func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

/// A Swift target at `path` under `Sources/`. It may import only the targets `below`, which are declared before it.
func module(_ path: String, _ below: [String] = [], settings: [SwiftSetting] = optimized) -> Target {
  .target(name: name(path), dependencies: below.map { .byName(name: $0) }, path: "Sources/\(path)", swiftSettings: settings)
}

/// A target under `Tests/Support/`, for tests and measurements only.
func support(_ name: String, _ below: [String] = []) -> Target {
  .target(name: name, dependencies: below.map { .byName(name: $0) }, path: "Tests/Support/\(name)", swiftSettings: strict)
}

/// Tests of targets `below`. Files `embedded` are part of the program; tests read files `excluded` where they lie.
func tests(
  _ name: String, _ below: [String], embedded: [String] = [], excluded: [String] = [], settings: [SwiftSetting] = unoptimized
) -> Target {
  .testTarget(
    name: name, dependencies: below.map { .byName(name: $0) }, exclude: excluded, resources: embedded.map { .embedInCode($0) },
    swiftSettings: settings)
}

/// A C library from a Debian package, which `scripts/setup` installs.
///
/// - Parameter pkgConfig: the name of its flags; nil where its headers stand where every compiler looks.
func library(_ path: String, pkgConfig: String? = nil, debian: String) -> Target {
  .systemLibrary(name: name(path), path: "Sources/\(path)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let package = Package(
  name: "spool",
  products: [
    .executable(name: "spool", targets: ["spool"]),
    // This library is for users' programs that are a spool with compositors of their own.
    .library(name: "SpoolHost", targets: ["SpoolHost"]),
    // These libraries are AVFoundation's names on Linux. What they are told becomes a document.
    .library(
      name: "AVFoundation",
      targets: [
        "AVFoundation", "QuartzCore", "CoreImage", "CoreText", "CoreGraphics", "CoreMedia", "CoreVideo", "CoreFoundation",
        "ImageIO", "AVKit", "UIKitCore", "UIFoundation", "AVFAudio", "AudioToolbox", "CoreAudio", "CoreAudioTypes",
        "VideoToolbox", "UniformTypeIdentifiers", "MobileCoreServices", "CoreServices", "_Testing_CoreGraphics",
        "_Testing_CoreImage",
      ]),
    .library(name: "UIKit", targets: ["UIKit", "UIKitCore", "UIFoundation", "_Testing_UIKit"]),
    .library(name: "AppKit", targets: ["AppKit", "Cocoa", "UIFoundation", "_Testing_AppKit"]),
    .library(name: "Photos", targets: ["Photos"]),
    .library(name: "OSLog", targets: ["os", "OSLog"]),
    // This library has a part of Accelerate. Code asks by canImport whether all of it is there, so it is a product of its own.
    .library(name: "Accelerate", targets: ["Accelerate"]),
    // This library sends edits to a farm. Its sources use AVFoundation's public interface alone, so that apps can have them.
    .library(name: "SpoolClient", targets: ["SpoolClient"]),
    // This library has what Spool's farms can do beside AVFoundation.
    .library(name: "Spool", targets: ["Spool"]),
    // The tests load this library into tools that they call thousands of times.
    .library(name: "ForkServer", type: .dynamic, targets: ["CForkServer"]),
  ],
  targets: [
    // Each C library has only a module map and a shim here. SwiftPM warns at each build of -pthread, which pkg-config gives for Pango
    // and which SwiftPM leaves out. The warning stays: all of Pango's paths come from GLib's .pc file, which has that flag too.
    library("Libraries/CFFmpeg", pkgConfig: "libavformat", debian: "libavformat-dev"),
    library("Libraries/CZimg", pkgConfig: "zimg", debian: "libzimg-dev"),
    library("Libraries/CPango", pkgConfig: "pangocairo", debian: "libpango1.0-dev"),
    // The library's drawing is apart from the program's: CPango belongs to what the farm draws.
    library("Libraries/CCairo", pkgConfig: "pangocairo", debian: "libpango1.0-dev"),
    library("Libraries/CPostgreSQL", pkgConfig: "libpq", debian: "libpq-dev"),
    library("Libraries/CZeroMQ", debian: "libzmq3-dev"),
    library("Libraries/CXXHash", pkgConfig: "libxxhash", debian: "libxxhash-dev"),
    library("Libraries/CRubberBand", pkgConfig: "rubberband", debian: "librubberband-dev"),
    library("Libraries/CEbur128", pkgConfig: "libebur128", debian: "libebur128-dev"),
    library("Libraries/CUchardet", pkgConfig: "uchardet", debian: "libuchardet-dev"),
    library("Libraries/CRsvg", pkgConfig: "librsvg-2.0", debian: "librsvg2-dev"),
    library("Libraries/CAss", pkgConfig: "libass", debian: "libass-dev"),
    library("Libraries/CLCMS", pkgConfig: "lcms2", debian: "liblcms2-dev"),
    library("Libraries/CHeif", pkgConfig: "libheif", debian: "libheif-dev"),
    library("Libraries/CWebP", pkgConfig: "libwebpdemux", debian: "libwebp-dev"),
    library("Libraries/CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    library("Libraries/CMicroHTTPD", debian: "libmicrohttpd-dev"),
    .target(name: "CLinux", path: "Sources/Libraries/CLinux"),
    // CTextTurn is the lock of whoever sets or draws text, in the program and in the library alike.
    .target(name: "CTextTurn", path: "Sources/Libraries/CTextTurn"),
    // CJPEG calls libjpeg, which leaves a function by longjmp(3) on an error. Swift code cannot do that.
    .target(name: "CJPEG", path: "Sources/Libraries/CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

    // CStillJPEG decodes and encodes pictures for the library.
    .target(name: "CStillJPEG", path: "Sources/Libraries/CStillJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

    // PlainText is text as a terminal or a log may be shown it. It comes first because all may use it.
    module("Values/PlainText"),

    // Linux has what every caller of the system needs: words for its error codes, calls and waits that go on after a signal,
    // clocks, paths, threads and the log.
    module("Libraries/Linux", ["PlainText"]),

    // These targets are the edit and the farm's decisions: values without I/O and without C.
    module("Values/MediaTime"),
    module("Values/JSON"),
    module("Values/Formats", ["MediaTime"]),
    // SampleStream is the form in which raw pictures and sound go from one process to another.
    module("Values/SampleStream", ["Formats", "MediaTime"]),
    module("Edit/Captions", ["Formats", "MediaTime"]),
    module("Edit/Timeline", ["Captions", "Formats", "JSON", "MediaTime"]),
    module("Edit/Scenes", ["Timeline", "Captions", "Formats", "JSON", "MediaTime", "PlainText"]),
    module("Edit/Lottie", ["Timeline", "Formats", "JSON", "MediaTime"]),
    module("Edit/Document", ["Lottie", "PlainText", "Scenes", "Timeline", "Captions", "Formats", "JSON", "MediaTime"]),
    module("Farm/Messages", ["PlainText", "Formats"]),
    module("Farm/Scheduling", ["Messages", "PlainText", "Formats", "Timeline", "Scenes", "MediaTime"]),

    // Each library has one small wrapper.
    module("Libraries/PostgreSQL", ["CPostgreSQL", "Linux"]),
    module("Libraries/ZeroMQ", ["CZeroMQ", "CLinux", "Linux"]),
    module("Libraries/Subprocess", ["CLinux", "PlainText", "Linux"], settings: unoptimized),
    module("Libraries/Transfer", ["CCurl", "Linux"]),
    module("Libraries/CharacterSets", ["CUchardet"]),
    module("Libraries/WebServer", ["CMicroHTTPD", "Linux"], settings: unoptimized),
    module("Faces/Arguments", settings: unoptimized),
    module(
      "Media/Media",
      [
        "CFFmpeg", "CEbur128", "CHeif", "CJPEG", "CLCMS", "CRsvg", "CRubberBand", "CWebP", "CXXHash", "CLinux", "Linux",
        "MediaTime",
        "Formats",
      ]),

    // This target is between the renderer and the compositors of a user's program.
    module("Faces/SpoolCompositing", ["Media", "Formats", "Timeline", "Scenes", "MediaTime", "PlainText"]),

    // These targets make the picture and the sound.
    module(
      "Picture/Drawing",
      ["CPango", "CTextTurn", "CAss", "PlainText", "Linux", "Media", "Subprocess", "Captions", "Formats", "Timeline", "Scenes"]),
    module("Picture/Compositing", ["CZimg", "Drawing", "Media", "Formats", "Timeline", "Scenes"], settings: strict),
    // EditFiles loads an edit: its document from disk, checked against its media and this machine's fonts.
    module(
      "Rendering/EditFiles",
      [
        "SpoolCompositing", "Drawing", "Media", "Lottie", "Captions", "Formats", "Timeline", "Scenes", "Document", "MediaTime",
        "CharacterSets", "Linux",
      ],
      settings: unoptimized),
    module(
      "Rendering/Rendering",
      [
        "SpoolCompositing", "Compositing", "Drawing", "Media", "Messages", "Transfer", "Subprocess", "SampleStream", "Formats",
        "Timeline", "Scenes", "Document", "JSON", "MediaTime", "Linux",
      ]),
    module(
      "Farm/Remote",
      ["Transfer", "Rendering", "Media", "Messages", "Subprocess", "Formats", "Timeline", "Scenes", "Document", "Linux"]),

    // Examination reads media for a user's command, in a process that is contained.
    module(
      "Rendering/Examination",
      [
        "Linux", "Remote", "Rendering", "EditFiles", "SpoolCompositing", "Compositing", "Drawing", "Media", "Messages",
        "Subprocess", "SampleStream", "Formats", "Timeline", "Scenes", "Document", "MediaTime", "CharacterSets",
      ], settings: unoptimized),

    // These targets are the farm. CSchema carries the schema at the top level.
    .target(name: "CSchema", path: "Sources/Farm/CSchema"),
    .target(
      name: "Ledger",
      dependencies: [
        "CSchema", "PostgreSQL", "Messages", "Scheduling", "Formats", "Timeline", "Scenes", "Document", "JSON", "PlainText",
        "Linux",
      ], path: "Sources/Farm/Ledger",
      exclude: ["Migrations/README.md"],
      // Each migration is a file here: .embedInCode("Migrations/0026-what-it-does.sql").
      resources: [
        .embedInCode("Migrations/0026-sound-has-parts.sql"), .embedInCode("Migrations/0027-movies-go-to-s3.sql"),
        .embedInCode("Migrations/0028-jobs-have-further-places.sql"),
        .embedInCode("Migrations/0029-slots-have-their-time.sql"),
        .embedInCode("Migrations/0030-copies-have-states.sql"),
        .embedInCode("Migrations/0031-busy-time-is-summed.sql"),
        .embedInCode("Migrations/0032-attempts-are-returned.sql"),
        .embedInCode("Migrations/0033-attempts-go-on.sql"),
        .embedInCode("Migrations/0034-attempts-end-and-parts-are-wanted.sql"),
      ],
      swiftSettings: optimized),
    module("Farm/Coordinator", ["Ledger", "Scheduling", "Messages", "Subprocess", "ZeroMQ", "Linux"]),
    module("Farm/Worker", ["Scheduling", "Messages", "PlainText", "Subprocess", "ZeroMQ", "Linux"], settings: unoptimized),
    module("Farm/LocalFarm", ["PostgreSQL", "Subprocess", "Linux"], settings: unoptimized),
    // Operations are the farm's use cases, without any face.
    module(
      "Faces/Operations",
      [
        "Ledger", "LocalFarm", "Examination", "EditFiles", "Rendering", "Remote", "Transfer", "SpoolCompositing", "Compositing",
        "SampleStream", "Drawing", "Media", "Scheduling", "Messages", "Document", "Scenes", "Timeline", "Formats", "JSON",
        "MediaTime",
        "Subprocess",
        "PlainText", "CharacterSets", "Linux",
      ], settings: unoptimized),
    module("Faces/Terminal", ["CLinux", "Operations", "Ledger", "Messages", "PlainText", "Linux"], settings: unoptimized),
    // Console is the farm's face for HTTP: an API, and pages that use it, which CPages carries.
    .target(name: "CPages", path: "Sources/Faces/CPages"),
    .target(
      name: "Console",
      dependencies: [
        "CPages", "Operations", "WebServer", "Transfer", "SpoolCompositing", "Ledger", "Document", "Timeline", "Examination",
        "Scheduling", "Messages", "PlainText", "Linux",
      ], path: "Sources/Faces/Console",
      exclude: ["Pages"],
      swiftSettings: unoptimized),
    module(
      "Faces/SpoolProgram",
      [
        "Operations", "Console", "WebServer", "Arguments", "Terminal", "Coordinator", "Worker", "LocalFarm", "Ledger",
        "Scheduling", "Messages",
        "Rendering",
        "SpoolCompositing", "Compositing", "Examination", "EditFiles", "Remote", "Transfer", "Media", "Formats", "Timeline",
        "Scenes", "Document", "MediaTime", "ZeroMQ",
        "Subprocess", "PlainText", "Linux",
      ], settings: unoptimized),
    .executableTarget(name: "spool", dependencies: ["SpoolProgram"], path: "Sources/Faces/spool", swiftSettings: strict),

    // The library: AVFoundation's API. Nothing of spool depends on it, and it reaches the farm through the program `spool` alone.
    // CObjectMaking makes objects of classes that are known only while the program runs.
    .target(name: "CObjectMaking", path: "Sources/Library/CObjectMaking"),
    // CModuleNames is a module map with the names of submodules, such as CoreImage.CIFilterBuiltins.
    .target(name: "CModuleNames", path: "Sources/Library/CModuleNames"),
    module("Library/CoreFoundation"),
    module("Library/CoreVideo", ["CModuleNames", "CoreFoundation"]),
    module("Library/CoreMedia", ["CModuleNames", "CoreVideo"]),
    module("Library/CoreGraphics", ["CModuleNames", "CoreFoundation", "CCairo", "CTextTurn", "CStillJPEG"]),
    // Swift Testing asks for this module beside one that is named CoreGraphics.
    module("Library/_Testing_CoreGraphics"),
    module("Library/CoreText", ["CoreGraphics"]),
    module("Library/UIFoundation", ["CoreText", "CoreGraphics"]),
    module("Library/ImageIO", ["CoreGraphics"]),
    module("Library/CoreImage", ["CModuleNames", "ImageIO", "CoreText", "CoreGraphics", "CoreVideo"]),
    module("Library/QuartzCore", ["CoreText", "CoreGraphics"]),
    module("Library/UniformTypeIdentifiers"),
    module("Library/MobileCoreServices", ["UniformTypeIdentifiers", "CoreFoundation"]),
    module("Library/CoreServices", ["MobileCoreServices"]),
    module("Library/CoreAudio", ["CoreMedia"]),
    module("Library/CoreAudioTypes", ["CoreMedia"]),
    module("Library/VideoToolbox", ["CoreImage", "CoreGraphics", "CoreMedia", "CoreVideo", "CoreFoundation"]),
    module("Library/Accelerate"),
    module("Library/os"),
    module("Library/OSLog", ["os"]),
    // Code asks by canImport whether UIKit or AppKit is there, so each is in a product of its own. AVKit has UIKit's names, without it.
    module("Library/UIKitCore", ["CObjectMaking", "UIFoundation", "CoreImage", "QuartzCore", "CoreText", "CoreGraphics"]),
    module("Library/UIKit", ["UIKitCore", "CoreGraphics"]),
    module("Library/AppKit", ["UIFoundation", "CoreImage", "QuartzCore", "CoreText", "CoreGraphics"]),
    module("Library/Cocoa", ["AppKit"]),
    // Swift Testing asks for these, too.
    module("Library/_Testing_CoreImage"),
    module("Library/_Testing_UIKit"),
    module("Library/_Testing_AppKit"),
    module("Library/SpoolCalls", ["Subprocess", "Linux"], settings: unoptimized),
    module("Library/Spool", ["SpoolCalls"], settings: unoptimized),
    module(
      "Library/AVFoundation",
      [
        "CModuleNames", "CObjectMaking", "SpoolCalls", "QuartzCore", "CoreImage", "CoreGraphics", "CoreMedia", "CoreVideo",
        "MobileCoreServices", "UniformTypeIdentifiers",
        "SampleStream", "Document", "JSON",
        "Timeline", "Formats", "MediaTime",
      ]),

    module("Library/AVKit", ["AVFoundation", "UIKitCore"]),
    module("Library/AVFAudio", ["AVFoundation"]),
    module("Library/AudioToolbox", ["AVFoundation"]),
    module("Library/SpoolClient", ["AVFoundation", "ImageIO"]),
    module("Library/Photos", ["AVFoundation", "CoreGraphics", "CoreFoundation"]),
    // SpoolHost makes a user's program with AVFoundation's compositors a farm's program. It is the one place that has both.
    module(
      "Library/SpoolHost",
      [
        "SpoolProgram", "SpoolCompositing", "AVFoundation", "CoreVideo", "SampleStream", "Media", "Timeline", "Formats",
        "MediaTime",
      ]),

    // PlantedAttempt is the program with faulty decoders, for FarmTests.
    .executableTarget(
      name: "PlantedAttempt", dependencies: ["Linux", "SpoolProgram"], path: "Tests/Support/PlantedAttempt", swiftSettings: strict
    ),

    // CompositorProgram is a spool with compositors of its own, for the tests.
    .executableTarget(
      name: "CompositorProgram", dependencies: ["SpoolHost", "AVFoundation"], path: "Tests/Support/CompositorProgram",
      swiftSettings: strict),

    // `scripts/benchmark` measures the compositor with this program.
    .executableTarget(
      name: "CompositingBenchmark",
      dependencies: [
        "Rendering", "EditFiles", "Compositing", "Media", "Formats", "Timeline", "Scenes", "MediaTime", "Subprocess",
      ],
      path: "Tests/Benchmarks/CompositingBenchmark",
      swiftSettings: strict),

    // SyntheticFonts makes fonts whose letters are boxes.
    support("SyntheticFonts"),

    // FuzzTargets reads bytes from strangers, for the tests and for `scripts/fuzz`. Only that script builds the Fuzzer.
    support(
      "FuzzTargets",
      [
        "SyntheticFonts", "Rendering", "Drawing", "Media", "Scheduling", "Messages", "Lottie", "Captions", "Formats", "Timeline",
        "Scenes", "Document", "MediaTime", "CharacterSets",
      ]),

    // `scripts/load` and `scripts/scale` measure the farm with this program.
    .executableTarget(
      name: "FarmLoad",
      dependencies: [
        "Arguments", "Terminal", "LocalFarm", "Ledger", "Scheduling", "PostgreSQL", "Messages", "Subprocess", "ZeroMQ", "Linux",
      ], path: "Tests/Benchmarks/FarmLoad", swiftSettings: strict),

    // These are the tests, and what they share: a virtual clock, seeded random numbers, a ledger in memory and synthetic sources.
    support(
      "FarmTesting",
      ["LocalFarm", "Ledger", "PostgreSQL", "Media", "Scheduling", "Messages", "Subprocess", "Linux"]),
    .target(name: "CForkServer", path: "Tests/Support/CForkServer", linkerSettings: [.linkedLibrary("dl")]),

    // EditTesting has the examples and random edits without their media, and changes documents by seed.
    support(
      "EditTesting",
      ["Lottie", "Captions", "Formats", "Timeline", "Scenes", "Document", "JSON", "MediaTime", "FarmTesting"]),

    // KeyChecks looks for segments that would be found again although they are others. It tries millions of documents, so it is
    // optimised.
    support(
      "KeyChecks",
      [
        "EditTesting", "SyntheticFonts", "Rendering", "EditFiles", "Document", "Media", "Messages", "Formats", "Timeline",
        "Scenes",
        "FarmTesting", "Linux",
      ]),

    tests("MediaTimeTests", ["MediaTime", "FarmTesting"]),
    tests(
      "TimelineTests",
      [
        "Lottie", "Captions", "Formats", "SampleStream", "Timeline", "Scenes", "Document", "JSON", "MediaTime", "EditTesting",
        "FarmTesting",
      ]),
    tests(
      "SchedulingTests",
      ["Ledger", "Scheduling", "Messages", "Formats", "Timeline", "Scenes", "Document", "MediaTime", "FarmTesting"],
      settings: strict),
    tests("WrapperTests", ["PostgreSQL", "ZeroMQ", "Subprocess", "Arguments", "Linux", "FarmTesting"]),
    tests("MediaTests", ["Media", "Subprocess", "Formats", "Timeline", "MediaTime", "FarmTesting"]),
    tests(
      "CompositingTests",
      [
        "CPango", "CTextTurn", "Compositing", "Drawing", "Media", "Formats", "Timeline", "Scenes", "SyntheticFonts",
        "FarmTesting",
      ],
      excluded: ["Fixtures/icu-breaks.json"], settings: strict),
    tests(
      "RenderingTests",
      [
        "SpoolCompositing", "Rendering", "EditFiles", "Compositing", "Drawing", "Media", "Messages", "Transfer", "Subprocess",
        "Captions", "Formats", "JSON", "Lottie",
        "Scheduling", "Timeline", "Scenes", "Document", "MediaTime", "Linux", "SyntheticFonts", "KeyChecks", "FarmTesting",
      ]),
    tests(
      "LedgerTests", ["Ledger", "PostgreSQL", "LocalFarm", "Scheduling", "Messages", "Subprocess", "Formats", "FarmTesting"],
      embedded: ["Fixtures/Migrations/0035-jobs-have-notes.sql", "Fixtures/Migrations/0036-notes-have-authors.sql"],
      excluded: ["Fixtures/schema-25.sql"]),
    tests(
      "OperationsTests",
      [
        "Operations", "LocalFarm", "Examination", "EditFiles", "Rendering", "SpoolCompositing", "Ledger", "PostgreSQL",
        "Scheduling",
        "Messages",
        "Formats", "Document", "Timeline", "MediaTime", "Subprocess", "FarmTesting",
      ]),
    tests(
      "FarmTests",
      [
        "PlantedAttempt", "Examination", "EditFiles", "LocalFarm", "Worker", "Ledger", "Scheduling", "Messages", "Rendering",
        "Media", "Subprocess", "ZeroMQ", "Timeline", "SyntheticFonts", "FarmTesting",
      ]),
    tests(
      "ConsoleTests",
      [
        "Console", "WebServer", "Operations", "SpoolCompositing", "Examination", "Subprocess", "EditFiles", "Ledger",
        "PostgreSQL", "Rendering", "Media",
        "Scheduling", "Messages", "FarmTesting",
      ]),
    tests("LocalFarmTests", ["LocalFarm", "PostgreSQL", "Subprocess", "FarmTesting"]),
    tests("TerminalTests", ["Terminal", "Operations", "Messages", "PlainText", "Linux", "Ledger", "FarmTesting"]),
    tests("RemoteTests", ["Remote", "Transfer", "Media", "Messages", "Subprocess", "Formats", "MediaTime", "FarmTesting"]),
    tests(
      "AVFoundationTests",
      [
        "AVFoundation", "VideoToolbox", "QuartzCore", "CoreText", "CoreGraphics", "UIKit", "CoreImage", "CoreMedia", "CoreVideo",
        "SpoolCalls", "Spool", "SpoolClient", "ImageIO", "Document", "Timeline", "Formats", "MediaTime", "Subprocess",
        "FarmTesting",
        "_Testing_CoreGraphics",
        "_Testing_CoreImage", "_Testing_UIKit",
      ]),
    tests(
      "LibraryTests",
      [
        "UIKit", "AppKit", "UIFoundation", "CoreImage", "QuartzCore", "CoreText", "CoreGraphics", "ImageIO",
        "UniformTypeIdentifiers", "MobileCoreServices", "CoreFoundation", "_Testing_CoreGraphics", "_Testing_CoreImage",
        "_Testing_UIKit", "Photos", "os", "Accelerate", "FarmTesting",
      ]),
    tests("FuzzTests", ["FuzzTargets", "FarmTesting"], settings: strict),
    tests("CommandTests", ["Subprocess", "FarmTesting"]),
    tests("EndToEndTests", ["LocalFarm", "PostgreSQL", "Subprocess", "SyntheticFonts", "FarmTesting"]),
    tests("HouseTests", ["Timeline", "Document"]),
  ]
    // libFuzzer has a main function of its own, so this target can be linked only in libFuzzer's own build.
    + (Context.environment["SPOOL_FUZZ"] == nil
      ? []
      : [.executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Support/Fuzzer", swiftSettings: strict)]),
  // C23 has #embed.
  cLanguageStandard: .c2x
)
