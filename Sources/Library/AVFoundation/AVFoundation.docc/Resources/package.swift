// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "first-movie",
  // Say here where your checkout of Spool is.
  dependencies: [.package(name: "spool", path: "../spool")],
  targets: [
    .executableTarget(
      name: "first-movie",
      dependencies: [.product(name: "AVFoundation", package: "spool"), .product(name: "spool", package: "spool")])
  ])
