import Foundation
import TestSupport
import Testing

/// What `Package.swift` says a target depends on is what its files import.
struct PackageDependenciesTests {
    /// Modules of the toolchain, which nobody declares.
    private static let given: Set<String> = [
        "Foundation", "FoundationNetworking", "FoundationXML", "Synchronization", "Glibc", "Musl", "Darwin",
        "Testing",
    ]

    @Test func everyTargetImportsWhatItDeclaresAndDeclaresWhatItImports() throws {
        let targets = try Manifest().targets
        for target in targets {
            let files = try SourceFile.all(below: target.folder).filter { target.compiles($0.path) }
            var imported = Set(files.flatMap { $0.imports.map(\.module) }).subtracting(Self.given)
            // Every test target is given it.
            if target.name.hasSuffix("Tests") { imported.remove("TestSupport") }
            #expect(
                target.dependencies.subtracting(imported).sorted() == [],
                "\(target.name) imports none of"
            )
            #expect(
                imported.subtracting(target.dependencies).sorted() == [],
                "\(target.name) does not declare"
            )
        }
    }

    /// One that belongs to none would not be compiled, nor its tests run.
    @Test func everyFileBelongsToOneTarget() throws {
        let targets = try Manifest().targets
        for folder in ["Sources", "Tests"] {
            for file in try SourceFile.all(below: folder) {
                let path = "\(folder)/\(file.path)"
                let owners = targets.filter { target in
                    path.hasPrefix(target.folder + "/")
                        && target.compiles(String(path.dropFirst(target.folder.count + 1)))
                }
                #expect(owners.count == (path == "Tests/FuzzTests/Fuzz.swift" ? 0 : 1), "\(path)")
            }
        }
    }
}

/// The targets of `Package.swift`, read as text: SwiftPM cannot be asked while it runs the tests.
private struct Manifest {
    struct Target {
        var name: String
        var folder: String
        var dependencies: Set<String>
        /// Paths within the folder.
        var excluded: [String]

        /// Whether a file is compiled, by its path within the folder.
        func compiles(_ path: String) -> Bool {
            !excluded.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
    }

    private(set) var targets: [Target] = []

    init() throws {
        let text = try String(contentsOf: Fixtures.root.appending(path: "Package.swift"), encoding: .utf8)
        // `let hpack = Target.Dependency.product(name: "NIOHPACK", …)`, `let fuzzed: [Target.Dependency] = […]`
        var constants: [String: [String]] = [:]
        for match in text.matches(of: /let (\w+) = Target\.Dependency\.product\(name: "(\w+)"/) {
            constants[String(match.1)] = [String(match.2)]
        }
        for match in text.matches(of: /let (\w+)(?:: \[Target\.Dependency\])? = \[([^\]]*)\]/) {
            constants[String(match.1)] = Self.names(in: match.2, constants)
        }
        for match in text.matches(of: /\b(library|tests|\.target|\.executableTarget)\(\s*(?:name: )?"(\w+)"/)
        {
            // A target of its own for another run, of the same files.
            guard match.2 != "Fuzz" else { continue }
            let name = String(match.2)
            let rest = text[match.range.upperBound...]
            let arguments = rest.prefix(Self.lengthOfArguments(rest))
            let folder = arguments.firstMatch(of: /path: "([^"]*)"/).map { String($0.1) }
            let list = arguments.replacing(
                /(?:path|exclude|plugins|swiftSettings): (?:"[^"]*"|\[[^\]]*\]|\w+(?: \+ \w+)*)/,
                with: ""
            )
            targets.append(
                Target(
                    name: name,
                    folder: folder ?? (match.1 == "tests" ? "Tests/" : "Sources/") + name,
                    dependencies: Set(Self.names(in: Substring(list), constants)),
                    excluded: arguments.firstMatch(of: /exclude: (\[[^\]]*\]|\w+(?: \+ \w+)*)/).map {
                        Self.names(in: $0.1, constants)
                    } ?? []
                )
            )
        }
    }

    /// Up to the parenthesis that closes the call.
    private static func lengthOfArguments(_ text: Substring) -> Int {
        var depth = 1
        for (place, character) in text.enumerated() {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 { return place }
        }
        return text.count
    }

    /// `"Captures"`, `nio("NIOCore")`, and the constants that stand for others.
    private static func names(in list: Substring, _ constants: [String: [String]]) -> [String] {
        list.matches(of: /"([^"]*)"|\b(\w+)\b/).flatMap { match in
            match.1.map { [String($0)] } ?? constants[String(match.2 ?? "")] ?? []
        }
    }
}
