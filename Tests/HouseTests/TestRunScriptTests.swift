import Foundation
import TestSupport
import Testing

/// `Tests/run` says what failed, and runs once more what did not come to its end by no fault of the tests.
struct TestRunScriptTests {
    @Test func aGreenRunRunsOnceAndSaysNothing() throws {
        let outcome = try run([.green])
        #expect(outcome == Outcome(isGreen: true, runs: 1, failures: ""))
    }

    @Test func anIssueIsNamedAndRunsOnce() throws {
        let outcome = try run([.failed, .green])
        #expect(!outcome.isGreen && outcome.runs == 1)
        #expect(outcome.failures.contains("✘ Test uploadEnds() recorded an issue at UploadTests.swift:7:9"))
        #expect(outcome.failures.contains("1 issue.\n"))
    }

    @Test func anIssueBesideProgramsOfOthersIsDecidedByTheSecondRun() throws {
        #expect(try run([.failed, .green], options: ["--twice"]).isGreen)
        let outcome = try run([.failed, .failed], options: ["--twice"])
        #expect(!outcome.isGreen && outcome.runs == 2)
    }

    @Test(arguments: [[], ["--twice"]])
    func aRunThatIsEndedFromOutsideSaysWhatRanAndRunsOnceMore(options: [String]) throws {
        let outcome = try run([.endedFromOutside, .green], options: options)
        #expect(outcome.isGreen && outcome.runs == 2)
        #expect(
            outcome.failures.contains("swift test with status 1. What ran then:\n  downloadEnds(size:)\n")
        )
        #expect(outcome.failures.hasSuffix("Green, the second time.\n"))
        #expect(try run([.endedFromOutside, .endedFromOutside], options: options).isGreen == false)
    }

    @Test func aCrashIsNamedAndIsDecidedByTheFirstRun() throws {
        let outcome = try run([.crashed, .green])
        #expect(!outcome.isGreen && outcome.runs == 1)
        #expect(outcome.failures.contains("error: Exited with unexpected signal code 11\n"))
        #expect(outcome.failures.contains("  downloadEnds(size:)\n"))
        #expect(try run([.crashed, .green], options: ["--twice"]).isGreen)
    }

    // MARK: -

    private struct Outcome: Equatable {
        var isGreen: Bool
        /// How often `swift` was called.
        var runs: Int
        /// What is printed behind all runs.
        var failures: String
    }

    /// How a run of `swift test` ends.
    private enum Ending {
        case green, failed, endedFromOutside, crashed

        /// Lines of a shell that end as it does.
        var script: String {
            switch self {
            case .green: return "echo '✔ Test run with 3 tests in 1 suite passed after 0.1 seconds.'"
            case .failed:
                return """
                    echo '✘ Test uploadEnds() recorded an issue at UploadTests.swift:7:9: Expectation failed'
                    echo '✘ Test uploadEnds() failed after 0.1 seconds with 1 issue.'
                    echo '✘ Suite UploadTests failed after 0.1 seconds with 1 issue.'
                    echo '✘ Test run with 3 tests in 1 suite failed after 0.1 seconds with 1 issue.'
                    exit 1
                    """
            case .endedFromOutside:
                return """
                    echo '◇ Test uploadEnds() started.'
                    echo '◇ Test downloadEnds(size:) started.'
                    echo '✔ Test uploadEnds() passed after 0.1 seconds.'
                    exit 1
                    """
            case .crashed:
                // What stood before it on its line may be of the tests.
                return """
                    echo '◇ Test downloadEnds(size:) started.'
                    printf 'half a line'
                    echo 'error: Exited with unexpected signal code 11'
                    exit 1
                    """
            }
        }
    }

    /// Runs the script with a `swift` whose runs end so, one after another, in a locale that knows no letters beyond ASCII.
    private func run(_ endings: [Ending], options: [String] = []) throws -> Outcome {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (index, ending) in endings.enumerated() {
            try Data(ending.script.utf8).write(to: URL(filePath: folder.file("run-\(index + 1)")))
        }
        let swift = """
            #!/bin/bash
            folder=$(dirname "$0")
            echo run >> "$folder/runs"
            . "$folder/run-$(wc -l < "$folder/runs")"
            """
        try Data(swift.utf8).write(to: URL(filePath: folder.file("swift")))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: folder.file("swift")
        )
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try Program.run(
            [Fixtures.root.appending(path: "Tests/run").path] + options,
            executable: "/bin/bash",
            environment: [
                "PATH": folder.path + ":" + path, "LC_ALL": "C", "AUTHREEL_FAILURES": folder.file("failures"),
            ]
        )
        let failures = try? String(contentsOfFile: folder.file("failures"), encoding: .utf8)
        let runs = try String(contentsOfFile: folder.file("runs"), encoding: .utf8)
        return Outcome(
            isGreen: result.status == 0,
            runs: runs.split(separator: "\n").count,
            failures: failures ?? ""
        )
    }
}
