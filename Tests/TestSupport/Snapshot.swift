import Foundation

/// Texts that are compared as whole files, below `Tests/Snapshots`.
package enum Snapshot {
    /// Compares a text with the file of this name.
    ///
    /// With `AUTHREEL_WRITE_SNAPSHOTS` set the file is written instead, to be reviewed as a diff.
    /// - Returns: nil where they are equal, else the first line that differs, as it is and as it should be.
    package static func difference(of text: String, from name: String) throws -> String? {
        let url = Fixtures.root.appending(path: "Tests/Snapshots/\(name)")
        if ProcessInfo.processInfo.environment["AUTHREEL_WRITE_SNAPSHOTS"] != nil {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
            return nil
        }
        guard let expected = try? String(contentsOf: url, encoding: .utf8) else {
            return "Tests/Snapshots/\(name) is missing"
        }
        guard text != expected else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let index =
            zip(lines, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(lines.count, wanted.count)
        let found = index < lines.count ? String(lines[index]) : "(end)"
        let should = index < wanted.count ? String(wanted[index]) : "(end)"
        return "Tests/Snapshots/\(name):\(index + 1): found\n  \(found)\ninstead of\n  \(should)"
    }
}
