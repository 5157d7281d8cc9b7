import Foundation
import Testing
import TestSupport

/// The arrows between modules, as data; an import that is not listed here is a wall broken through.
struct ImportArrowsTests {
    /// What each module may import besides the standard library and Foundation.
    ///
    /// Low to high.
    static let allowed: [String: Set<String>] = [
        "LibCrypto": ["COpenSSL"],
        "JSON": [],
        "JOSE": ["LibCrypto"],
        "Captures": ["CZlib"],
        "Wire": ["Captures", "NIOCore"],
        "TLS": ["LibCrypto", "COpenSSL", "NIOCore"],
        "Packets": ["Wire", "Captures", "LibCrypto", "CPcap"],
        "Proxy": [
            "Wire", "TLS", "Captures", "LibCrypto", "NIOCore", "NIOPosix", "NIOHTTP1",
            "NIOConcurrencyHelpers",
        ],
        "OAuth": ["Captures", "JOSE", "LibCrypto"],
        "Flows": ["OAuth", "Captures", "JOSE"],
        "Diagnosis": ["Flows", "OAuth", "JOSE", "Captures"],
        "Sharing": ["Flows", "OAuth", "JOSE", "Captures", "LibCrypto"],
        "Replay": ["Flows", "OAuth", "JOSE", "Captures", "Wire", "TLS", "LibCrypto"],
        "Provider": ["OAuth", "Flows", "JOSE", "Captures", "LibCrypto"],
        "Reports": ["Diagnosis", "Replay", "Sharing", "Flows", "OAuth", "JOSE", "Captures"],
    ]

    /// Imports that only one folder of a module may have: the only IO of Replay is its sending half.
    static let allowedInFolder: [String: Set<String>] = [
        "Replay/Sending": ["NIOCore", "NIOPosix"]
    ]

    static let anyModuleMayImport: Set<String> = [
        "JSON", "Foundation", "FoundationEssentials", "Synchronization", "Glibc", "Musl", "Darwin",
    ]

    /// The C libraries have one home each.
    static let systemModules: Set<String> = ["COpenSSL", "CPcap", "CZlib"]

    @Test func everyImportIsAnArrowOfTheHouse() throws {
        var wrong: [String] = []
        for file in try SourceFile.all(below: "Sources") {
            let parts = file.path.split(separator: "/").map(String.init)
            guard let module = parts.first, module != "authreel" else { continue }
            guard let own = Self.allowed[module] else {
                wrong.append("Sources/\(file.path): module \(module) is not in the table")
                continue
            }
            let folder = parts.dropLast().prefix(2).joined(separator: "/")
            let permitted = own.union(Self.anyModuleMayImport).union(Self.allowedInFolder[folder] ?? [])
            for (line, name) in file.imports where !permitted.contains(name) {
                wrong.append("Sources/\(file.path):\(line): \(module) may not import \(name)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    @Test func everyModuleUnderSourcesIsInTheTable() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Fixtures.root.appending(path: "Sources").path
        )
        let modules = Set(folders.filter { !$0.hasPrefix(".") })
        let known = Set(Self.allowed.keys).union(Self.systemModules).union(["authreel"])
        #expect(modules.subtracting(known).sorted() == [])
    }

    @Test func foldersBesideTheFixedOnesAreNone() throws {
        let fixed: Set<String> = [
            "Package.swift", "Package.resolved", "Sources", "Tests", "captures", "viewer", "README.md",
            "LICENSE",
            "Makefile", "docs", "Plugins", "Benchmarks", "CONTRIBUTING.md", "CHANGELOG.md", "authreel-demo",
        ]
        let entries = try FileManager.default.contentsOfDirectory(atPath: Fixtures.root.path)
        #expect(Set(entries.filter { !$0.hasPrefix(".") }).subtracting(fixed).sorted() == [])
    }
}
