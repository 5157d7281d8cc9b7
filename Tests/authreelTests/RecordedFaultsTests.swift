import Captures
import Foundation
import Provider
import TestSupport
import Testing

@testable import authreel

/// What a recorded provider said that is not so, as the mock says it again.
struct RecordedFaultsTests {
    private static func capture(_ path: String) throws -> Capture {
        try CaptureReader.read(path: Fixtures.root.appending(path: "captures/\(path).har").path)
    }

    @Test(arguments: [
        ("id-token/id-token-nonce-mismatch", ["id-token-nonce-mismatch"]),
        ("id-token/id-token-expired", ["id-token-expired"]),
        ("id-token/id-token-signature-invalid", ["id-token-signature-invalid"]),
        ("id-token/id-token-claims-missing", ["id-token-claims-missing:sub"]),
        ("authorization-response/jarm-invalid", ["jarm-invalid:aud"]),
        ("authorization-response/state-missing-in-response", ["state-missing-in-response"]),
        ("refresh/refresh-subject-changed", ["refresh-subject-changed:sub"]),
        ("providers/appauth-ios.broken", ["id-token-nonce-mismatch"]),
        // What it took is taken again.
        ("token-request/pkce-not-enforced", ["pkce-not-enforced"]),
        // What it refused is in its answers, and what the app did wrong is the app's.
        ("token-request/client-secret-mismatch", []), ("authorization-response/user-cancelled", []),
        // A token has the recorded algorithm as it is.
        ("id-token/id-token-alg-unexpected", []),
        ("id-token/id-token-expired.near-miss", []), ("healthy/web-code-flow", []),
    ])
    func causeIsPlayedAsItsFault(path: String, faults: [String]) throws {
        let recorded = RecordedFaults(in: [try Self.capture(path)])
        #expect(recorded.faults.map(\.id) == faults)
        #expect(recorded.remarks.isEmpty)
    }

    /// A login that is right meets nothing of what is not looked at.
    @Test func whatIsNotLookedAtDisturbsNoLogin() throws {
        let recorded = RecordedFaults(
            in: [
                try Self.capture("healthy/web-code-flow"),
                try Self.capture("token-request/pkce-not-enforced"),
            ]
        )
        #expect(recorded.faults.map(\.id) == ["pkce-not-enforced"] && recorded.remarks.isEmpty)
    }

    /// A fault is in every login: those that went well would not any more.
    @Test func loginThatWentWellStaysOne() throws {
        let recorded = RecordedFaults(
            in: [
                try Self.capture("healthy/web-code-flow"),
                try Self.capture("id-token/id-token-nonce-mismatch"),
            ]
        )
        #expect(recorded.faults.isEmpty)
        #expect(
            recorded.remarks.count == 1 && recorded.remarks[0].contains("--fault id-token-nonce-mismatch")
        )
    }
}
