import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct UnsupportedGrantTypeTests {
    private let rule = "unsupported-grant-type"
    private let broken = "token-request/unsupported-grant-type"

    private func answering(_ error: String, _ text: String? = nil) throws -> Recording {
        try Recording(broken).answering(
            "/token",
            400,
            ["error": .string(error), "error_description": text.map { .string($0) } ?? ""]
        )
    }

    @Test func namesGrantAndList() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "1 request.body grant_type", "0 response.body grant_types_supported", "1 response.body error",
            ]
        )
        #expect(finding.evidence[1].note == "not among them")
    }

    @Test func leavesAnotherFaultOfTheRequestAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        let bare = recording.answering("/token", 400, ["error": "unauthorized_client"])
        #expect(bare.finding(rule) == nil)
        #expect(bare.finding("redirect-uri-token-mismatch")?.isPrimary == true)
    }

    @Test func takesTheClientsMissingRight() throws {
        #expect(
            try answering("unauthorized_client", "Client not allowed for direct access grants").finding(rule)
                != nil
        )
        #expect(try answering("unauthorized_client").finding(rule) != nil)
        #expect(try answering("unauthorized_client", "Unknown tenant").finding(rule) == nil)
    }

    @Test(arguments: ["invalid_grant", "invalid_request", "invalid_client"]) func leavesOtherErrorsAlone(
        error: String
    ) throws {
        #expect(try answering(error).finding(rule) == nil)
    }

    /// What was asked for is not known then, and who may not use it may be a client that did not prove itself.
    @Test(arguments: [("unauthorized_client", false), ("unsupported_grant_type", true)])
    func blamesNoGrantThatWasNotSaved(error: String, fires: Bool) throws {
        let recording = try answering(error).editingLast("/token") {
            $0.request.body = Body(content: .missing)
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(finding?.places ?? ["1 response.body error"] == ["1 response.body error"])
    }

    /// Keycloak calls it an invalid request, and so it stands with that.
    @Test(arguments: [
        ("Standard token exchange is not enabled for the requested client", true),
        ("Parameter 'subject_token' is missing", false),
    ])
    func leavesATokenExchangeThatIsSwitchedOffToTheRefusal(words: String, isTold: Bool) throws {
        let recording = try answering("invalid_request", words)
            .sending("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("token exchange switched off") == isTold)
    }

    /// Atlassian's name for a refresh token that is not good any more.
    @Test func leavesARefusedRefreshTokenAlone() throws {
        let recording = try Recording("refresh/refresh-token-expired").answering(
            "/token",
            403,
            ["error": "unauthorized_client", "error_description": "refresh_token is invalid"]
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-grant") != nil)
    }

    @Test func leavesTheRegistrationToItsOwnRule() throws {
        var recording = try Recording(broken)
        let registration = try #require(
            Recording("token-request/client-secret-mismatch").exchanges.first {
                $0.request.url.path == "/register"
            }
        )
        var earlier = registration
        earlier.startedAt = recording.exchanges[0].startedAt - .seconds(60)
        recording.exchanges.insert(earlier, at: 0)
        recording = recording.editingAnswer(of: "/register") { $0["client_id"] = "shop-jobs" }
        #expect(recording.finding("registration-grant-missing") != nil)
        #expect(recording.finding(rule) == nil)
    }

    /// What proved the client was left out of the export: it may be what was refused.
    @Test func leavesARefusalAloneWhoseCredentialsWereTakenOut() throws {
        let recording = try Recording("token-request/token-invalid-client")
            .answering("/token", 403, ["error": "unauthorized_client"])
        #expect(recording.sanitized.finding(rule) == nil)
        let told = recording.answering(
            "/token",
            403,
            ["error": "unauthorized_client", "error_description": "This grant is not allowed for the client"]
        )
        #expect(told.sanitized.finding(rule) != nil)
    }

    @Test func takesTheMethodForTheGrant() throws {
        let text = "The client is not authorized to request a token using this method."
        #expect(try answering("unauthorized_client", text).finding(rule) != nil)
    }

    @Test func statusOfAClientsRefusalMakesItNone() throws {
        let recording = try Recording(broken).answering(
            "/token",
            401,
            [
                "error": "unauthorized_client",
                "error_description": "Client not enabled to retrieve service account",
            ]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-invalid-client") == nil)
    }

    /// GitHub has a name of its own for a client that may not use the grant of devices.
    @Test(arguments: [("device_flow_disabled", true), ("server_error", false)])
    func takesTheNameForAGrantOfDevicesThatIsOff(error: String, fires: Bool) throws {
        let recording = try Recording("logout-and-device/device-code-expired")
            .without { $0.request.url.path == "/token" }
            .answering(
                "/device_authorization",
                400,
                [
                    "error": .string(error),
                    "error_description": "Device Flow must be explicitly enabled for this App",
                ]
            )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }
}
