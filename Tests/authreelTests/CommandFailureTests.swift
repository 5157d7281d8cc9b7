import Captures
import Testing

@testable import authreel

/// What is advised where a capture is of no use.
struct CommandFailureTests {
    @Test func patternWithoutAMatchIsNoNameForARecording() {
        let named = CommandFailure(CaptureError.noSuchFile(path: "logins/a.har"))
        #expect(named.hint?.hasSuffix(" record --out logins/a.har makes one") == true)
        let pattern = CommandFailure(CaptureError.noSuchFile(path: "logins/*.har"))
        #expect(pattern.hint == "no name is like that: look into the folder")
    }

    /// `authreel diagnose "$CAPTURE"`, where no variable has that name.
    @Test func captureWithoutANameIsNoneToMake() {
        let failure = CommandFailure(CaptureError.noSuchFile(path: ""))
        #expect(failure.status == .noInput && failure.message == "the name of the capture is empty")
        #expect(failure.hint?.contains("--out") == false)
    }

    private static let rows: [(reason: String, hint: String?)] = [
        ("is a folder", "name the captures in it, one by one or as 'a b'/*.har"),
        (
            "Permission denied",
            "only its owner may read a capture; one that was recorded with sudo becomes yours by: sudo chown \"$USER\" 'a b'"
        ), ("Input/output error", nil),
    ]

    @Test(arguments: rows.indices)
    func reasonDecidesOnTheHint(index: Int) {
        let (reason, hint) = Self.rows[index]
        let failure = CommandFailure(CaptureError.inputOutput(path: "a b", reason: reason))
        #expect(failure.message == "a b: \(reason)" && failure.hint == hint)
        #expect(failure.status == .noInput)
    }
}
