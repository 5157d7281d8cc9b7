import Foundation
import JSON
import TestSupport
import Testing

/// The program `age`, whose files are opened here and which opens ours.
enum AgeProgram {
    /// Whether to run: continuous integration has to have it, elsewhere it may be missing.
    static var isAvailable: Bool { RealComponents.isRequired || missing == nil }

    /// What is not installed; nil where both programs are.
    static let missing: String? = {
        let names = ["age", "age-keygen"].filter { path(of: $0) == nil }
        return names.isEmpty ? nil : "not installed: \(names.joined(separator: " "))"
    }()

    private static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    static func run(_ arguments: [String], name: String = "age") throws -> Program.Result {
        let program = try #require(path(of: name), "\(missing ?? "")")
        return try Program.run(arguments, executable: program)
    }

    /// Runs a program on a terminal of its own, and types a line when a pattern has come.
    ///
    /// `command`: `age`, or a path.
    static func onTerminal(_ command: [String], type: [(String, String)]) throws -> (
        status: Int, text: String
    ) {
        let script = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/terminal").path
        let keys = type.flatMap { ["--type", $0.0, "\($0.1)\\r"] }
        let result = try Program.run(keys + ["--"] + command, executable: script)
        let json = try JSONParser.parse(Array(result.output.utf8))
        #expect(json["untyped"]?.array?.isEmpty == true, "never came: \(result.output)")
        return (Int(json["status"]?.int ?? -1), json["text"]?.string ?? "")
    }
}
