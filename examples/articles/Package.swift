// swift-tools-version: 6.2
import PackageDescription

let library: Target.Dependency = .product(name: "AVFoundation", package: "spool")
let kit: Target.Dependency = .product(name: "UIKit", package: "spool")
// The program finds `spool` beside itself, because it depends on it.
let program: Target.Dependency = .product(name: "spool", package: "spool")

let package = Package(
  name: "articles",
  dependencies: [.package(name: "spool", path: "../..")],
  targets: [
    .target(name: "Articles", dependencies: [library, kit], swiftSettings: [.swiftLanguageMode(.v6)]),
    // Frames of an edit without an encoder, which scripts/check-articles compares.
    .target(name: "KeptFrames", dependencies: [library], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "article-1", dependencies: ["Articles", "KeptFrames", kit, program], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(name: "article-2", dependencies: ["Articles", "KeptFrames", program], swiftSettings: [.swiftLanguageMode(.v6)]),
    // The other articles are older than Swift 6, and their classes are not Sendable.
    .target(name: "PrintedArticles", dependencies: [library, kit], swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "articles", dependencies: ["PrintedArticles", "KeptFrames", program], swiftSettings: [.swiftLanguageMode(.v5)]),
  ])
