import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct StateMismatchTests {
    private let rule = "state-mismatch"
    private let broken = "authorization-response/state-mismatch"

    /// The state that comes back, in the redirect and at the callback.
    private func returning(_ state: String, _ recording: Recording) -> Recording {
        recording.editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "state", state)
                )
            }
            if let location = exchange.response?.location, location.contains("/callback?code") {
                exchange.response?.redirect(to: Recording.changing(location, "state", state))
            }
        }
    }

    private func sent(_ recording: Recording) throws -> String {
        try #require(recording.flows.first?.authorizationRequests.first?.state)
    }

    @Test func namesBothValuesAndTheDifference() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 request.query state", "2 response.location state", "3 request.query state"]
        )
        #expect(finding.notes.first == "cut off after 16 of 22 characters")
    }

    /// An answer without a code brings a state all the same.
    @Test(arguments: [("of-another-login", true), (nil, false)])
    func readsAnAnswerWithoutACode(state: String?, fires: Bool) throws {
        let recording = try Recording("authorization-response/code-missing")
        let answered = recording.redirecting(with: [("state", try state ?? sent(recording))])
        #expect(
            answered.finding(rule)?.places
                == (fires ? ["1 request.query state", "2 response.location state"] : nil)
        )
        #expect(answered.finding("code-missing") != nil)
    }

    /// It may be in the fragment (OAuth 2.0 Multiple Response Types, section 2.1).
    @Test(arguments: [("of-another-login", true), (nil, false)])
    func readsAFragmentWithoutACode(state: String?, fires: Bool) throws {
        let recording = try Recording("authorization-response/code-missing")
        let location = try "https://www.shop.example/callback#state=\(state ?? sent(recording))"
        let answered = recording.editing { exchange in
            if exchange.request.url.path == "/sign-in" { exchange.response?.redirect(to: location) }
        }
        #expect(
            answered.finding(rule)?.places
                == (fires ? ["1 request.query state", "2 response.location state"] : nil)
        )
        #expect(answered.finding("code-missing") != nil)
    }

    /// What is sent without a value counts as left out, whatever the provider makes of it.
    @Test(arguments: [nil, ""]) func leavesARequestWithoutOneAlone(sent: String?) throws {
        #expect(try Recording(broken).asking("state", sent).finding(rule) == nil)
        let codeless = try Recording("authorization-response/code-missing")
            .redirecting(with: [("state", "of-another-login")])
        #expect(codeless.finding(rule) != nil && codeless.asking("state", sent).finding(rule) == nil)
    }

    @Test func leavesTheAnswerOfAnotherTabAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success, .success])
    }

    @Test(arguments: [
        ("upper", "differs in upper and lower case only"), ("plus", "\"+\" was read as a space"),
        ("encoded", "percent-encoded once too often"), ("other", "differs from character 1 on"),
    ])
    func saysHowTheValueChanged(kind: String, note: String) throws {
        let recording = try Recording(broken).asking("state", "ab+cd/Ef_12345678")
        let came = [
            "upper": "AB+CD/EF_12345678", "plus": "ab cd/Ef_12345678", "encoded": "ab%2Bcd%2FEf_12345678",
            "other": "zyx",
        ][kind]
        let returned = try returning(#require(came), recording)
        let finding = try #require(returned.finding(rule))
        #expect(finding.notes.first?.hasPrefix(note) == true)
    }

    /// The one that was answered before, or the other.
    @Test(arguments: [true, false]) func leavesAStateAloneThatAnotherLoginSent(isOfTheLater: Bool) throws {
        let recording = try Recording(broken + ".near-miss")
        let states = recording.flows.flatMap(\.authorizationRequests).sorted { $0.exchange < $1.exchange }
            .compactMap(\.state)
        try #require(states.count == 2)
        let (first, second) = isOfTheLater ? (states[0], states[1]) : (states[1], states[0])
        // The provider mixes them up: the answer on the first login's pages has the second's state.
        let mixed = recording.editing { exchange in
            let url = exchange.request.url
            if url.path == "/callback", url.queryItems.first("state") == first {
                exchange.request.url = RecordedURL(Recording.changing(url.text, "state", second))
            }
            if let location = exchange.response?.location, location.contains("/callback?code"),
                location.contains(first)
            {
                exchange.response?.redirect(to: Recording.changing(location, "state", second))
            }
        }
        #expect(mixed.finding(rule) == nil)
    }

    @Test func holdsWhenTheStateIsTheSame() throws {
        let recording = try Recording(broken)
        #expect(returning(try sent(recording), recording).finding(rule) == nil)
    }

    @Test func isAnErrorThoughTheAppAcceptedIt() throws {
        let recording = try Recording(broken).goingOn
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    @Test func looksInsideOfASignedResponse() throws {
        let token = try JSONWebToken.sign(
            claims: ["state": "forged", "code": "not-a-code"],
            header: [:],
            algorithm: .hs256,
            with: .secret([1])
        )
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL("https://www.shop.example/callback?response=\(token)")
            }
            if exchange.request.url.path == "/sign-in" {
                exchange.response?.redirect(to: "https://www.shop.example/callback?response=\(token)")
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence.last?.place.part == .jwtClaims)
    }

    @Test func abstainsWithoutTheRequest() throws {
        // The token request alone still tells the redirect URI, so the answer is recognised.
        let recording = try Recording("token-request/token-invalid-grant").without { exchange in
            exchange.request.url.path == "/authorize" || exchange.request.url.path == "/login"
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A circle of which one request was not recorded: its answer is none to the request before.
    @Test func anAnsweredRequestIsNotAnsweredTwice() throws {
        let loop = try Recording("user-agent/redirect-loop")
        #expect(loop.finding(rule) == nil)
        let lost = loop.exchanges.indices.filter { loop.exchanges[$0].request.url.path == "/authorize" }
        #expect(lost.count > 1)
        let copies = lost.dropFirst().map { index in
            Recording(loop.exchanges.enumerated().filter { $0.offset != index }.map(\.element))
        }
        #expect(copies.allSatisfy { $0.finding(rule) == nil })
    }

    /// It comes back as it was sent, and the app itself refuses it.
    @Test(arguments: [
        ("Zk3xQ2hQ1mA%3D%3D", "Invalid state", true), ("Zk3xQ2hQ1mA==", "Invalid state", false),
        ("Zk3xQ2hQ1mA%3D%3D", "Out of order", false),
    ])
    func aStateThatWasEncodedTwiceIsNoMismatch(state: String, words: String, fires: Bool) throws {
        let recording = try Recording("user-agent/callback-rejected-by-app").asking("state", state).editing {
            if $0.request.url.path == "/callback" {
                $0.request.url = RecordedURL(Recording.changing($0.request.url.text, "state", state))
                $0.response?.status = 403
                $0.response?.body = .html("<h1>\(words)</h1>")
            }
            if let location = $0.response?.location, RecordedURL(location).path == "/callback" {
                $0.response?.redirect(to: Recording.changing(location, "state", state))
            }
        }
        #expect(recording.finding(rule) == nil)
        let refused = try #require(recording.finding("callback-rejected-by-app"))
        #expect(refused.isPrimary)
        #expect((refused.title == "The `state` was encoded twice") == fires)
        #expect(refused.notes.contains("has %3D where it was decoded once") == fires)
    }

    /// An app that refuses the answer has no use for its code.
    @Test func codeOfARefusedAnswerIsNotMissed() throws {
        let recording = try Recording("the-capture/code-never-redeemed").editing { exchange in
            guard let location = exchange.response?.location, !RecordedURL(location).isWeb else { return }
            exchange.response?.redirect(to: Recording.changing(location, "state", "another-one-98765"))
        }
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("code-never-redeemed") == nil)
    }
}
