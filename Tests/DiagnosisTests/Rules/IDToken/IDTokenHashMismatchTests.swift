import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct IDTokenHashMismatchTests {
    private let rule = "id-token-hash-mismatch"
    private let broken = "id-token/id-token-hash-mismatch"

    @Test func namesHashAndToken() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims at_hash", "4 response.body access_token"])
        #expect(finding.notes[0].hasSuffix(" is expected"))
    }

    @Test func leavesTheRightHashesAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(arguments: [nil, .null] as [JSONValue?]) func inTheCodeFlowNoneIsRequired(hash: JSONValue?) throws {
        #expect(try Recording(broken).editingIDToken { $0["at_hash"] = hash }.finding(rule) == nil)
    }

    /// What a token is exchanged for may be an ID token that was there before (RFC 8693, section 2.2.1).
    @Test(arguments: ["hash", "audience"]) func leavesAnExchangedTokenAlone(name: String) throws {
        let recording = try Recording("id-token/id-token-\(name)-mismatch")
        #expect(recording.finding("id-token-\(name)-mismatch") != nil)
        let exchanged = recording.sending("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
            .sending("code", nil)
        #expect(exchanged.finding("id-token-\(name)-mismatch") == nil)
    }

    @Test func looksAtTheCode() throws {
        let recording = try Recording(broken + ".near-miss").editingIDToken {
            $0["c_hash"] = "77QmUPtjPfzWtF2AnpK9RQ"
        }
        #expect(recording.finding(rule)?.places == ["4 jwt.claims c_hash", "4 request.body code"])
    }

    @Test func namesTheHashFunctionThatWasTaken() throws {
        let recording = try Recording(broken + ".near-miss").editingIDToken(header: { $0["alg"] = "RS512" })
        #expect(recording.finding(rule)?.notes.first == "made with SHA-256, which does not go with RS512")
    }

    @Test(arguments: ["none", "XX256", "EdDSA", "Ed448"]) func abstainsWhereTheFunctionIsNotKnown(
        name: String
    ) throws {
        let recording = try Recording(broken).editingIDToken(header: { $0["alg"] = .string(name) })
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Which of its two curves EdDSA stands for tells the key alone (RFC 8037, section 3.1).
    @Test(arguments: [("Ed25519", true, true), ("Ed25519", false, true), ("Ed448", true, false)])
    func curveOfTheKeyTellsTheFunction(curve: String, isNamed: Bool, fires: Bool) throws {
        let recording = try Recording(broken).editingIDToken(header: { header in
            header["alg"] = "EdDSA"
            header["kid"] = isNamed ? "one" : nil
        }).editingAnswer(of: "/jwks") {
            $0["keys"] = [["kty": "OKP", "crv": .string(curve), "kid": "one", "x": "AA"]]
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func isAWarningWhereTheClientWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .warning)
    }

    /// An ID token beside the code in the fragment, with or without a hash of it.
    private func hybrid(_ claims: (inout JSONObject) -> Void) throws -> Recording {
        let recording = try Recording(broken).editingIDToken(claims: claims)
        let token = recording.flows.first?.idTokens.first?.token.token.text ?? ""
        return recording.editing { exchange in
            guard let location = exchange.response?.location, location.contains("code=") else { return }
            exchange.response?.redirect(to: location.replacing("?", with: "#") + "&id_token=\(token)")
        }.without { $0.request.url.path == "/token" || $0.request.url.path == "/callback" }
    }

    @Test func inTheFrontChannelItIsRequired() throws {
        let finding = try #require(hybrid { $0["at_hash"] = nil }.finding(rule))
        #expect(finding.places == ["2 response.location code", "2 jwt.claims c_hash"])
    }

    @Test func looksAtTheState() throws {
        let code = try #require(Recording(broken).flows.first?.authorizationResponses.first?.code)
        let recording = try hybrid { claims in
            claims["c_hash"] = .string(JSONWebToken.halfHash(of: code, algorithm: .rs256))
            claims["s_hash"] = "77QmUPtjPfzWtF2AnpK9RQ"
        }
        #expect(recording.finding(rule)?.places == ["2 jwt.claims s_hash", "2 response.location state"])
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
