// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "articles",
  dependencies: [.package(name: "spool", path: "../..")],
  targets: [
    .target(
      name: "Articles", dependencies: [.product(name: "AVFoundation", package: "spool")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // The program finds `spool` beside itself, because it depends on it.
    .executableTarget(
      name: "article-1", dependencies: ["Articles", .product(name: "spool", package: "spool")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ])
