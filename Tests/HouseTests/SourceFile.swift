import Foundation
import TestSupport

/// A Swift file of the repository.
struct SourceFile {
    /// From the folder that was looked through.
    let path: String
    let text: String

    /// Every Swift file below a folder of the repository, in the order of their paths.
    static func all(below folder: String) throws -> [SourceFile] {
        let root = Fixtures.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") }.sorted()
            .map {
                SourceFile(path: $0, text: try String(contentsOf: root.appending(path: $0), encoding: .utf8))
            }
    }

    /// The lines that are no comments, with their numbers (from 1).
    var code: [(number: Int, text: Substring)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { ($0.offset + 1, $0.element) }
            .filter { !$0.1.drop { $0 == " " }.hasPrefix("//") }
    }

    /// The modules it imports, with their lines: `package import X`, `import struct X.Y` and attributes included.
    ///
    /// Imports stand at the margin; indented ones are of other languages, in texts.
    var imports: [(line: Int, module: String)] {
        code.compactMap { number, line in
            let words = line.split(separator: " ")
            guard line.first != " ", let position = words.firstIndex(of: "import"), position <= 3,
                words[..<position].allSatisfy({
                    $0.hasPrefix("@") || ["package", "public", "internal", "private"].contains($0)
                })
            else { return nil }
            let kinds: Set<Substring> = [
                "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
            ]
            var rest = words[(position + 1)...]
            if let first = rest.first, kinds.contains(first) { rest = rest.dropFirst() }
            return rest.first?.split(separator: ".").first.map { (number, String($0)) }
        }
    }

    /// The names of the types that it declares; nested ones are left out, and so are extensions.
    var types: [String] {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        return code.compactMap { _, line in
            let words = line.split { $0 == " " || $0 == ":" || $0 == "<" }
            guard line.first != " ", let position = words.firstIndex(where: kinds.contains), position <= 3
            else { return nil }
            return words[(position + 1)...].first.map(String.init)
        }
    }
}
