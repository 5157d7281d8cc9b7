import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct DPoPNonceIgnoredTests {
    private let rule = "dpop-nonce-ignored"
    private let broken = "token-request/dpop-nonce-ignored"

    @Test func namesTheNonceAndTheNextProof() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "2 response.body error", "2 response.header DPoP-Nonce", "3 jwt.claims nonce",
            ]
        )
        #expect(finding.evidence[2].value == "missing")
        #expect(try Recording(broken).outcomes == [.failure])
    }

    @Test func leavesARetryWithTheNonceAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.findings.filter { $0.severity != .note }.isEmpty)
        #expect(recording.outcomes == [.success])
    }

    @Test func tellsAClientThatGaveUp() throws {
        var recording = try Recording(broken)
        recording.exchanges.removeLast()
        #expect(recording.finding(rule)?.places.last == "- request.header DPoP")
    }

    /// The proof may be in a header field that is not in the capture.
    @Test func leavesALaterRequestAloneWhoseProofIsNotKnown() throws {
        let without = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.response?.status == 200 else { return }
            exchange.request.headers.fields.removeAll { $0.name == "DPoP" }
        }
        #expect(without.finding(rule) != nil)
        #expect(without.editing { $0.unknownFields.request = 1 }.finding(rule) == nil)
    }

    @Test func takesANewerNonce() throws {
        let recording = try Recording(broken + ".near-miss")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        var old = recording
        old.exchanges[index].response?.headers.replace("DPoP-Nonce", with: "another-nonce")
        #expect(old.finding(rule) != nil)
        // The nonce that is used came with a later answer.
        var refreshed = old
        var answer = old.exchanges[index]
        answer.startedAt = answer.startedAt + .milliseconds(10)
        answer.response?.headers.remove("DPoP-Nonce")
        let nonce = try #require(recording.exchanges[index].response?.headers.first("dpop-nonce"))
        answer.response?.headers.append("DPoP-Nonce", nonce)
        refreshed.exchanges.append(answer)
        #expect(refreshed.finding(rule) == nil)
    }

    /// The retry carries the nonce, and is asked for another one.
    @Test func providerThatDoesNotTakeItsOwnNonceIsTheOneAtFault() throws {
        var recording = try Recording(broken + ".near-miss")
        let places = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.path == "/token"
        }
        let (first, second) = (try #require(places.first), try #require(places.last))
        #expect(first < second)
        recording.exchanges[second].response = recording.exchanges[first].response
        recording.exchanges[second].response?.headers.replace("DPoP-Nonce", with: "another-nonce")
        recording.exchanges.removeSubrange((second + 1)...)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title.contains("does not take"))
        #expect(finding.places[1] == "\(second) jwt.claims nonce")
        #expect(try Recording(broken).finding(rule)?.title.contains("does not take") == false)
    }

    @Test func readsAnAPIsChallenge() throws {
        let recording = try Recording("token-request/dpop-proof-invalid.near-miss").editing { exchange in
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.response?.status = 401
            exchange.response?.body = nil
            exchange.response?.headers.append("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"")
            exchange.response?.headers.append("DPoP-Nonce", "a-nonce-of-the-api")
        }
        #expect(recording.finding(rule)?.places.first == "3 response.header WWW-Authenticate")
    }

    /// An app that signs in at an API (Curity's HAAPI) has a proof in its authorization request, too.
    @Test(arguments: [nil, "another-nonce", "nonce-of-the-provider"])
    func readsTheChallengeToAnAuthorizationRequest(used: String?) {
        let address =
            "https://idsvr.corp.example/oauth/v2/oauth-authorize?client_id=shop-app&response_type=code&redirect_uri=com.shop.app%3A%2Fcb&state=af0ifjsldkj"
        func headers(_ nonce: String?) -> [(String, String)] {
            let claims = nonce.map { #"{"htm":"GET","nonce":"\#($0)"}"# } ?? #"{"htm":"GET"}"#
            let proof = "\(encoded(#"{"typ":"dpop+jwt","alg":"ES256"}"#)).\(encoded(claims)).AAAA"
            return [
                ("User-Agent", "okhttp/4.12.0"), ("Accept", "application/vnd.auth+json"),
                ("Authorization", "DPoP not-a-haapi-token"), ("DPoP", proof),
            ]
        }
        let answer = [
            ("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""), ("DPoP-Nonce", "nonce-of-the-provider"),
        ]
        var capture = CaptureBuilder()
        capture.get(address, 401, headers: headers(nil), answer: answer)
        if used == "nonce-of-the-provider" {
            capture.get(address, headers: headers(used), body: .json(#"{"type":"redirection-step"}"#))
        } else {
            capture.get(address, 401, headers: headers(used), answer: answer)
        }
        let recording = Recording(capture.exchanges)
        let isTaken = used == "nonce-of-the-provider"
        #expect((recording.finding(rule)?.isPrimary == true) == !isTaken)
        #expect(recording.findings.filter { $0.severity == .error }.map(\.rule) == (isTaken ? [] : [rule]))
        #expect(recording.outcomes == [isTaken ? .incomplete : .failure])
    }

    /// Where the proof, or the nonce, is not in the capture, the refusal itself is told.
    @Test(arguments: [true, false]) func leavesAChallengeToTheRefusalThatShowsNoMore(hasNonce: Bool) {
        var capture = CaptureBuilder()
        capture.get(
            "https://idsvr.corp.example/oauth/v2/oauth-authorize?client_id=shop-app&response_type=code&redirect_uri=com.shop.app%3A%2Fcb&state=af0ifjsldkj",
            401,
            headers: [("User-Agent", "okhttp/4.12.0"), ("Accept", "application/vnd.auth+json")]
                + (hasNonce ? [] : [("DPoP", "e30.e30.AAAA")]),
            answer: [("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"")]
                + (hasNonce ? [("DPoP-Nonce", "nonce-of-the-provider")] : []),
            body: .json(#"{"error":"use_dpop_nonce"}"#)
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("authorization-error")?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    @Test func saysNothingWithoutANonce() throws {
        let recording = try Recording(broken).editing {
            $0.response?.headers.remove("DPoP-Nonce")
        }
        #expect(recording.finding(rule) == nil)
    }
}
