// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "custom-compositor",
  dependencies: [.package(name: "spool", path: "../..")],
  targets: [
    .executableTarget(
      name: "curl-spool",
      dependencies: [.product(name: "SpoolHost", package: "spool"), .product(name: "AVFoundation", package: "spool")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
