import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct IDTokenAlgUnexpectedTests {
    private let rule = "id-token-alg-unexpected"
    private let broken = "id-token/id-token-alg-unexpected"

    @Test func namesBoth() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["5 jwt.header alg", "0 response.body id_token_signed_response_alg"])
        #expect(finding.evidence.map(\.value) == ["RS256", "ES256"])
    }

    @Test func leavesWhatWasRegisteredAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// RFC 7592, section 2.2 has an answer for it that some leave out.
    @Test func readsAChangeThatIsAnsweredWithoutABody() throws {
        var recording = try Recording(broken).configuring("PUT")
        var change = recording.exchanges.removeLast()
        change.request.body = Body(
            text:
                #"{"redirect_uris":["https://www.shop.example/callback"],"id_token_signed_response_alg":"RS256"}"#,
            mediaType: "application/json"
        )
        change.response = RecordedResponse(status: 204)
        recording.exchanges.append(change)
        #expect(recording.finding(rule) == nil)
    }

    @Test func isAWarningWhereTheClientWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .warning)
    }

    @Test func readsTheListOfTheMetadata() throws {
        let recording = try Recording("id-token/id-token-issuer-mismatch")
        let signed = { (name: String) in
            recording.editingIDToken(header: { $0["alg"] = .string(name) }).finding(rule)
        }
        #expect(
            signed("ES256")?.places == [
                "6 jwt.header alg", "0 response.body id_token_signing_alg_values_supported",
            ]
        )
        #expect(signed("RS256") == nil)
        let other = recording.editingAnswer(of: "/.well-known/openid-configuration") {
            $0["id_token_signing_alg_values_supported"] = ["PS256"]
        }
        #expect(other.finding(rule) == nil)
    }

    /// Some clients read it when they have the token; what was read anew at one address is another login's.
    @Test(arguments: [("oauth-authorization-server", true), ("openid-configuration", false)])
    func readsAListBehindTheTokenAtAnotherAddress(first: String, fires: Bool) throws {
        let list = "id_token_signing_alg_values_supported"
        var recording = try Recording("id-token/id-token-issuer-mismatch")
            .editingIDToken(header: { $0["alg"] = "ES256" })
            .editingAnswer(of: "/.well-known/openid-configuration") { $0[list] = nil }
            .rereadingMetadata { $0[list] = ["RS256"] }
        recording.exchanges[0].request.url = RecordedURL("https://id.harbour.example/.well-known/\(first)")
        let last = recording.exchanges.count - 1
        #expect(
            recording.finding(rule)?.places
                == (fires ? ["6 jwt.header alg", "\(last) response.body \(list)"] : nil)
        )
    }

    @Test func saysNothingWhereNoListIsKnown() throws {
        let recording = try Recording("id-token/id-token-nonce-missing").editingIDToken(header: {
            $0["alg"] = "ES256"
        })
        #expect(recording.finding(rule) == nil)
    }

    @Test func aSymmetricAlgorithmNeedsASecret() throws {
        let recording = try Recording("id-token/id-token-nonce-missing").editingIDToken(header: {
            $0["alg"] = "HS256"
        })
        #expect(recording.finding(rule) == nil)
        let open = recording.sending("client_secret", nil)
        #expect(open.finding(rule)?.places[1] == "4 request.body client_secret")
        #expect(open.sanitized.finding(rule) == nil)
    }

    @Test func leavesUnsignedAndEncryptedTokensAlone() throws {
        #expect(try Recording(broken).editingIDToken(header: { $0["alg"] = "none" }).finding(rule) == nil)
        #expect(try Recording(broken).withEncryptedIDToken.finding(rule) == nil)
    }

    /// The app's page has the words of its library: nothing is known of what it expects, so its refusal tells it.
    @Test(arguments: [
        ("unexpected JWT alg received, expected ES256, got: RS256", true),
        ("oidc: id token signed with unsupported algorithm, expected [ES256] got RS256", true),
        ("unexpected JWT \"alg\" header parameter", true),
        (#"{"error":"unexpected JWT \"alg\" header parameter"}"#, true),
        ("unsupported_algorithm: Algorithm of 'RS256' is not allowed", true),
        ("unsupported_algorithm: Algorithm of &#39;RS256&#39; is not allowed", true),
        ("unsupported_algorithm: Algorithm of 'ES256' is not allowed", false), ("Sign-in failed", false),
    ])
    func refusalTellsWhatTheAppSaysOfIt(words: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            500,
            Body(text: "<!doctype html><title>Shop</title>\(words)", mediaType: "text/html")
        )
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("callback-rejected-by-app"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("expects another algorithm") == isTold)
        #expect(finding.notes.contains("the app's own words") == isTold)
        if isTold { #expect(finding.evidence.contains { $0.place.name == "alg" && $0.value == "RS256" }) }
    }

    /// Nimbus says in one sentence that it expects another algorithm, or has no key.
    @Test(arguments: [true, false]) func sentenceOfTwoReasonsCountsWhereAKeyFits(hasKey: Bool) throws {
        var recording = try Recording("healthy/web-code-flow").editingLast("/callback") { exchange in
            exchange.response = RecordedResponse(
                status: 500,
                body: .html("Signed JWT rejected: Another algorithm expected, or no matching key(s) found")
            )
        }
        if !hasKey { recording = recording.editingAnswer(of: "/jwks") { $0["keys"] = .array([]) } }
        #expect(recording.finding(rule) == nil)
        let title = recording.finding("callback-rejected-by-app")?.title ?? ""
        #expect(title.contains("expects another algorithm") == hasKey)
    }
}
