import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import LibCrypto
import OAuth
import TestSupport
import Testing

struct PKCEVerifierMismatchTests {
    private let rule = "pkce-verifier-mismatch"
    private let broken = "token-request/pkce-verifier-mismatch"

    /// RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let hex = "13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3"

    private func pair(_ challenge: String, _ verifier: String = Self.verifier, method: String? = "S256")
        throws -> Recording
    {
        try Recording(broken).asking("code_challenge", challenge).asking("code_challenge_method", method)
            .sending("code_verifier", verifier)
    }

    /// Of a capture of packets the answer may be missing, and what the app made of it be there.
    @Test(arguments: [
        ("253 bytes of the server are not in the capture", 502, true),
        ("253 bytes of the server are not in the capture", 302, false),
        ("the capture ends before the answer was complete", 302, false),
    ])
    func needsNoAnswerWhereTheAppRefusedWhatItGot(words: String, callback: Int, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response = nil
            $0.failure = words
        }.editingLast("/callback") { exchange in
            exchange.response = RecordedResponse(status: callback)
            if callback == 302 { exchange.response?.redirect(to: "/home") }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func namesChallengeVerifierAndWhatItHasToBe() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "hex")
        #expect(
            finding.places == [
                "1 request.query code_challenge", "4 request.body code_verifier",
                "- request.body BASE64URL(SHA256(code_verifier))",
                "4 response.body error",
            ]
        )
        #expect(finding.notes.first == "64 characters, method S256")
        #expect(finding.explanation == "The challenge is the digest in hexadecimal.")
        #expect(recording.finding("token-invalid-grant")?.effectOf == rule)
    }

    /// A gateway's bare 401 names no reason.
    @Test(
        arguments: [
            (["code": 401, "message": "Unauthorized"], hex, true), (["code": 401], challenge, false),
        ] as [(JSONValue, String, Bool)]
    )
    func isTheCauseBehindABareRefusal(answer: JSONValue, challenge: String, fires: Bool) throws {
        let finding = try pair(challenge).answering("/token", 401, answer).finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding != nil) == fires)
    }

    /// A client that did not prove itself was refused for that; its verifier would be refused next.
    @Test(arguments: ["client-auth-missing", "client-secret-mismatch"])
    func comesBehindAFaultOfTheClient(cause: String) throws {
        let recording = try Recording("token-request/" + cause).asking("code_challenge", Self.hex)
            .asking("code_challenge_method", "S256").sending("code_verifier", Self.verifier)
            .answering("/token", 401, ["code": 401])
        #expect(recording.finding(cause)?.isPrimary == true)
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// What one call lacks is no fault of the other, in either order.
    @Test(arguments: [(true, 5), (false, 4)]) func eachCallHasItsOwnClientToJudge(
        isFirstBare: Bool,
        place: Int
    )
        throws
    {
        let proven = try Recording(broken).answering("/token", 401, ["code": 401])
        let bare = proven.sending("client_secret", nil)
        let (first, second) = isFirstBare ? (bare, proven) : (proven, bare)
        var again = try #require(second.exchanges.last { $0.request.url.path == "/token" })
        again.startedAt = again.startedAt + .seconds(1)
        let finding = try #require(Recording(first.exchanges + [again]).finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places[1] == "\(place) request.body code_verifier")
    }

    /// The same is refused for the same, however often it is tried.
    @Test(arguments: [1, 5]) func clientThatTriesAgainIsStillTheCause(tries: Int) throws {
        var recording = try Recording(broken).sending("client_secret", nil)
            .answering("/token", 401, ["code": 401])
        var request = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        for _ in 0..<tries {
            request.startedAt = request.startedAt + .milliseconds(20)
            recording.exchanges.append(request)
        }
        #expect(recording.finding("client-auth-missing")?.isPrimary == true)
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// Where the client is what was refused, that is why the login broke; one that was let in with the same code lost nothing by it.
    @Test(arguments: [(hex, false, true), (challenge, false, false), (hex, true, false)])
    func isAWarningWhereTheClientWasRefused(challenge: String, isLetIn: Bool, fires: Bool) throws {
        var recording = try pair(challenge).answering("/token", 401, ["error": "invalid_client"])
        if isLetIn {
            var again = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
            again.startedAt = again.startedAt + .seconds(1)
            recording.exchanges.append(again)
            recording = recording.granted()
        }
        #expect(recording.finding(rule)?.severity == (fires ? .warning : nil))
        if !isLetIn { #expect(recording.finding("token-invalid-client")?.isPrimary == true) }
    }

    @Test func leavesAPairThatFitsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Each way of getting it wrong.
    static let variants: [(variant: String, challenge: String, verifier: String, method: String?)] = [
        ("padded", challenge + "=", verifier, "S256"),
        ("base64", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM=", verifier, "S256"),
        ("base64", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", verifier, "S256"),
        ("hex", hex, verifier, "S256"),
        ("hex", hex.uppercased(), verifier, "S256"),
        (
            "hex-base64url",
            "MTNkMzFlOTYxYTFhZDhlYzJmMTZiMTBjNGM5ODJlMDg3NmE4NzhhZDZkZjE0NDU2NmVlMTg5NGFjYjcwZjljMw",
            verifier, "S256"
        ),
        ("double-hash", CodeChallenge.s256(of: challenge), verifier, "S256"),
        ("plain-as-s256", verifier, verifier, "S256"),
        ("s256-as-plain", challenge, verifier, "plain"),
        ("truncated", String(challenge.prefix(40)), verifier, "S256"),
        ("trimmed", challenge, verifier + " ", "S256"),
        ("trimmed", challenge, "\n" + verifier, "S256"),
        ("trimmed", CodeChallenge.s256(of: "a~b" + verifier), "a%7Eb" + verifier, "S256"),
        ("unknown", challenge, "M25iVXpKU3puUjFaYWg3T1NDTDQtcW1ROUY5YXlwalNoc0hhakxifmZHag", "S256"),
        ("unknown", challenge, verifier + "x", nil),
        ("letter-case", challenge.lowercased(), verifier, "S256"),
        ("quoted", challenge, "\"" + verifier + "\"", "S256"),
        ("no-value", challenge, "undefined", "S256"),
    ]

    @Test(arguments: variants) func namesTheVariant(
        _ row: (variant: String, challenge: String, verifier: String, method: String?)
    ) throws {
        let finding = try #require(pair(row.challenge, row.verifier, method: row.method).finding(rule))
        #expect(finding.variant == row.variant)
        #expect(finding.severity == .error)
    }

    @Test(arguments: [
        (challenge, verifier + "=", "the challenge was made without its \"=\""),
        (
            CodeChallenge.s256(of: verifier + "\n"), verifier,
            "the challenge was made with a newline behind it"
        ),
        (
            CodeChallenge.s256(of: "a+b" + verifier), "a b" + verifier,
            "\"+\" was sent bare and read as a space"
        ),
    ])
    func namesTheOtherSpelling(challenge: String, verifier: String, note: String) throws {
        let finding = try #require(pair(challenge, verifier).finding(rule))
        #expect(finding.variant == "trimmed" && finding.notes.contains(note))
    }

    @Test func showsAWordForNothing() throws {
        let finding = try #require(pair(Self.challenge, "undefined").finding(rule))
        #expect(finding.evidence.contains { $0.value == "undefined" })
        #expect(!finding.fix.contains("once per login"))
    }

    @Test func namesSlashAsDash() throws {
        // A digest with both of the characters that differ between the alphabets.
        let number = try #require(
            (0..<200).first {
                CodeChallenge.s256(of: "verifier-\($0)").contains("_")
                    && CodeChallenge.s256(of: "verifier-\($0)").contains("-")
            }
        )
        let wrong = String(
            CodeChallenge.s256(of: "verifier-\(number)").map { $0 == "_" ? "-" : $0 == "-" ? "_" : $0 }
        )
        #expect(try pair(wrong, "verifier-\(number)").finding(rule)?.variant == "base64-slash-as-dash")
    }

    @Test func namesTheLoginThatTheVerifierBelongsTo() throws {
        var recording = try Recording(broken)
        let other = try Recording("healthy/web-code-flow")
        let verifier = try #require(other.flows.first?.tokenRequests.first?.codeVerifier)
        recording.exchanges += other.exchanges.filter { $0.request.url.path == "/authorize" }
        let finding = try #require(recording.sending("code_verifier", verifier).finding(rule))
        #expect(finding.variant == "other-flow")
        #expect(finding.evidence.last?.place.exchange == 5)
    }

    /// Of a login that its server pushed, and to which nobody was sent.
    @Test func namesThePushThatTheVerifierBelongsTo() throws {
        var recording = try Recording(broken)
        let token = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        var push = recording.exchanges[token]
        push.request.url = RecordedURL("https://id.harbour.example/par")
        push.request.body = Body(
            text: FormBody.encode([
                ("client_id", "shop-web"), ("response_type", "code"), ("state", "another-one-98765"),
                ("code_challenge", CodeChallenge.s256(of: Self.verifier)), ("code_challenge_method", "S256"),
            ]),
            mediaType: FormBody.mediaType
        )
        push.response = RecordedResponse(
            status: 201,
            body: .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5b","expires_in":60}"#)
        )
        push.startedAt = recording.exchanges[0].startedAt + .milliseconds(10)
        recording.exchanges.append(push)
        recording = recording.sending("code_verifier", Self.verifier)
        let finding = try #require(recording.finding(rule))
        #expect(finding.variant == "other-flow")
        #expect(finding.evidence.last?.place.exchange == recording.exchanges.count - 1)
        #expect(
            recording.without { $0.request.url.path == "/par" }.finding(rule)?.variant != "other-flow"
        )
    }

    @Test(arguments: [nil, "", "plain"] as [String?]) func takesPlainAsPlain(method: String?) throws {
        #expect(try pair(Self.verifier, method: method).finding(rule) == nil)
    }

    @Test func leavesAnOmittedMethodToItsOwnRule() throws {
        #expect(try pair(Self.challenge, method: nil).finding(rule) == nil)
    }

    @Test func abstainsOnAMethodNobodyKnows() throws {
        let recording = try pair(Self.hex, method: "S512")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["use_dpop_nonce", "temporarily_unavailable"])
    func saysNothingWhereTheCodeWasNotLookedAt(error: String) throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": .string(error)]).finding(rule) == nil
        )
    }

    @Test func readsARefusalWithStatus200() throws {
        let recording = try Recording(broken).answering("/token", 200, ["error": "bad_verification_code"])
        #expect(recording.finding(rule)?.variant == "hex")
    }

    @Test func abstainsWhereTheCodeIsOfAnotherLogin() throws {
        let recording = try Recording(broken).sending("code", "code-of-a-login-nobody-recorded")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsWithoutTheChallenge() throws {
        let recording = try Recording(broken).asking("code_challenge", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("challenge") == true)
    }

    @Test func asksNothingOfALoginWithoutPKCE() throws {
        let recording = try Recording(broken).asking("code_challenge", nil).sending("code_verifier", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
    }

    @Test func abstainsWhereTheTokenRequestWasNotSaved() throws {
        let recording = try Recording(broken).withMetadata().editing { exchange in
            if exchange.request.url.path == "/token" { exchange.request.body = Body(content: .missing) }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The server's half of a login whose request was pushed.
    @Test(arguments: [true, false]) func comparesWithTheChallengeThatWasPushed(isWrong: Bool) throws {
        let pushed = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
            .answering("/token", 400, ["error": "invalid_grant"])
        let recording =
            isWrong ? pushed.sending("code_verifier", String(repeating: "k", count: 43)) : pushed
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isWrong)
        #expect(recording.outcomes == [.failure])
        guard let finding else { return }
        #expect(
            finding.places.prefix(2) == ["0 request.body code_challenge", "1 request.body code_verifier"]
        )
    }

    /// A verifier that fits what was pushed is not wrong because the provider says so.
    @Test func wordsDoNotCountAgainstThePushedChallenge() throws {
        let pushed = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
            .answering(
                "/token",
                400,
                ["error": "invalid_grant", "error_description": "PKCE verification failed"]
            )
        #expect(pushed.finding(rule) == nil)
        #expect(pushed.finding("token-invalid-grant")?.isPrimary == true)
    }

    @Test func leavesTwoPushedRequestsAloneOfWhichAnyMayBeMeant() throws {
        var recording = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
            .sending("code_verifier", String(repeating: "k", count: 43))
            .answering("/token", 400, ["error": "invalid_grant"])
        var second = try #require(recording.exchanges.first)
        second.startedAt = second.startedAt + .seconds(1)
        second.response?.body = .json(
            #"{"request_uri":"urn:ietf:params:oauth:request_uri:2","expires_in":90}"#
        )
        let other = Recording([second]).sending("state", "another-state-22", to: "/par")
            .sending("nonce", "another-nonce-22", to: "/par")
        recording.exchanges.insert(contentsOf: other.exchanges, at: 1)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.incomplete, .incomplete, .failure])
    }
}
