import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// A client of MCP has to refuse metadata that do not say that S256 is taken.
struct UnlistedS256Tests {
    private let rule = "discovery-missing-endpoint"
    private let title = "The metadata do not say that the provider takes S256"
    private let healthy = "discovery/authorization-server-not-listed.near-miss"

    private func recording(_ count: Int, _ edit: (inout JSONObject) -> Void) throws -> Recording {
        Recording(Array(try Recording(healthy).exchanges.prefix(count)))
            .editingAnswer(of: "/.well-known/openid-configuration", edit)
    }

    @Test(
        arguments: [
            (nil, 3, true), (["plain"], 3, true), (["S256"], 3, false), (nil, 7, false),
        ] as [([JSONValue]?, Int, Bool)]
    )
    func clientOfMCPStops(methods: [JSONValue]?, count: Int, fires: Bool) throws {
        let recording = try recording(count) {
            $0["code_challenge_methods_supported"] = methods.map { .array($0) }
        }
        let finding = recording.finding(rule)
        #expect((finding?.title == title) == fires)
        #expect(recording.finding("pkce-method-unsupported") == nil)
        if fires {
            #expect(finding?.severity == .note)
            #expect(
                finding?.places == ["2 request.url ", "2 response.body code_challenge_methods_supported"]
            )
        }
        // Of a client that is none of MCP nothing is said.
        #expect(recording.editing { $0.request.body = nil }.finding(rule)?.title != title)
    }

    /// A server without logins has no use for it.
    @Test func serverWithoutCodesNeedsNone() throws {
        let recording = try recording(3) {
            $0["code_challenge_methods_supported"] = nil
            $0["grant_types_supported"] = ["client_credentials"]
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A client stops at another server's document for that.
    @Test func anotherIssuerIsReasonEnough() throws {
        let recording = try recording(3) {
            $0["code_challenge_methods_supported"] = nil
            $0["issuer"] = "https://another.example"
        }
        #expect(recording.finding("discovery-issuer-mismatch")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    /// A name that was taken out of the capture is no other server's.
    @Test func issuerThatWasTakenOutIsNoOther() throws {
        let recording = try recording(3) {
            $0["code_challenge_methods_supported"] = nil
            $0["issuer"] = "[REDACTED]"
        }
        #expect(recording.finding("discovery-issuer-mismatch") == nil)
        #expect(recording.finding(rule)?.title == title)
    }

    /// Who asks to be registered at the server has taken its metadata.
    @Test func refusedRegistrationIsNoStop() throws {
        var recording = try recording(3) { $0["code_challenge_methods_supported"] = nil }
        var registration = recording.exchanges[0]
        registration.startedAt = recording.exchanges[2].startedAt + .seconds(1)
        registration.request.url = RecordedURL("https://id.harbour.example/register")
        registration.request.body = .json(#"{"redirect_uris":["http://127.0.0.1/cb"],"client_name":"Tools"}"#)
        registration.response = RecordedResponse(
            status: 403,
            body: .json(#"{"error":"access_denied","error_description":"Registration is switched off"}"#)
        )
        recording.exchanges.append(registration)
        #expect(recording.finding("registration-rejected")?.isPrimary == true)
        #expect(recording.finding(rule)?.title != title)
    }
}
