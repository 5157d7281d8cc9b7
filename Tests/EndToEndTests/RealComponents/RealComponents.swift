import Foundation
import TestSupport
import Testing

/// The real provider, relying party and browser under `Components`, driven by its script.
enum RealComponents {
    private static let script = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/components")
        .path

    /// Whether to run: continuous integration has to have them, elsewhere they may be missing.
    static var isAvailable: Bool { isRequired || missing == nil }

    /// With `CI` set, what is missing is a failure.
    static var isRequired: Bool { ProcessInfo.processInfo.environment["CI"] != nil }

    /// What the script says is not installed; nil where everything is.
    static let missing = check([])

    /// The same for logins in Firefox, which the others do without.
    static let missingForFirefox = check(["--browser", "firefox"])

    static var isFirefoxAvailable: Bool { isRequired || missingForFirefox == nil }

    /// The same for browsers before a display, and their developer tools.
    static let missingForDisplay = check(["--browser", "firefox", "--display"])

    static var isDisplayAvailable: Bool { isRequired || missingForDisplay == nil }

    private static func check(_ options: [String]) -> String? {
        guard let result = try? run(["check"] + options) else { return "python3 is not installed" }
        return result.status == 0 ? nil : result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The certificate that the components of a folder are trusted by.
    static func authority(_ state: String) throws -> String {
        let authority = try run(["authority", "--state", state])
        try #require(authority.status == 0, "\(authority.errors)")
        return authority.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The same without a thread of the tests' that waits.
    static func runAside(_ arguments: [String], within seconds: Double = 240) async throws -> Program.Result {
        try await Program.runAside(arguments, executable: script, within: seconds)
    }

    static func run(_ arguments: [String], within seconds: Double = 240) throws -> Program.Result {
        try Program.run(arguments, executable: script, within: seconds)
    }
}
