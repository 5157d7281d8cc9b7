import Captures
import JSON
import Provider
import TestSupport
import Testing

/// Whether a page of the client may read what the token endpoint answers (Fetch standard, CORS protocol).
struct ReadableAnswersTests {
    private static let issuer = "https://id.example"
    private static let app = "https://spa.example"
    private static let base = RecordedProviderTests.base
    private static let tokens = #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#

    private static func form(_ code: String) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", app + "/cb"),
            ("client_id", "spa"),
        ]
    }

    /// A login whose token requests were answered with these statuses, some to be read by this origin.
    private static func provider(_ answers: [(status: Int, reader: String?)]) throws -> Caller {
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "spa"), ("redirect_uri", app + "/cb"),
            ("state", "state-0123456789"),
        ])
        capture.redirect(
            issuer + "/auth?" + query,
            to: app + "/cb?code=code-0123456789&state=state-0123456789"
        )
        for (status, reader) in answers {
            capture.post(
                issuer + "/token",
                form("code-0123456789"),
                status,
                headers: [("Origin", app)],
                answer: reader.map { [("Access-Control-Allow-Origin", $0)] } ?? [],
                body: .json(status == 200 ? tokens : #"{"error":"invalid_grant"}"#)
            )
        }
        return Caller(try RecordedProviderTests.provider(capture.capture))
    }

    /// The header of the answer to a code that is good, or to one that nobody issued.
    private static func reader(_ caller: Caller, from origin: String = app, isGood: Bool) -> String? {
        let login = caller.get(
            base + "/auth",
            [
                ("response_type", "code"), ("client_id", "spa"), ("redirect_uri", app + "/cb"),
                ("state", "state-of-mine"),
            ]
        )
        let code = isGood ? login.parameters.first("code") ?? "" : "nobodys"
        let answer = caller.post(base + "/token", form(code), headers: [("Origin", origin)])
        #expect(answer.status == (isGood ? 200 : 400))
        return answer.headers.first("access-control-allow-origin")
    }

    @Test func kindOfAnswerThatNobodySawIsReadAsTheOther() throws {
        #expect(try Self.reader(Self.provider([(400, Self.app)]), isGood: true) == Self.app)
        #expect(try Self.reader(Self.provider([(200, Self.app)]), isGood: false) == Self.app)
        #expect(try Self.reader(Self.provider([(200, "*")]), isGood: false) == "*")
        #expect(try Self.reader(Self.provider([(200, nil)]), isGood: false) == nil)
    }

    @Test func refusalThatPagesCouldNotReadStaysSo() throws {
        let caller = try Self.provider([(400, nil), (200, Self.app)])
        #expect(Self.reader(caller, isGood: false) == nil && Self.reader(caller, isGood: true) == Self.app)
    }

    @Test func pageOfNoClientReadsNothing() throws {
        let caller = try Self.provider([(200, Self.app)])
        #expect(Self.reader(caller, from: "https://evil.example", isGood: false) == nil)
    }

    /// A page that sends its cookies is let read nothing without the word, be it the preflight or a refusal.
    @Test(arguments: [(app, true), (app, false), ("*", true)])
    func pageMaySendItsCookiesWhereItCould(reader: String, mayWithCookies: Bool) throws {
        var capture = CaptureBuilder()
        let cookies = mayWithCookies ? [("Access-Control-Allow-Credentials", "true")] : []
        capture.post(
            Self.issuer + "/token",
            Self.form("code-0123456789"),
            headers: [("Origin", Self.app)],
            answer: [
                ("Access-Control-Allow-Origin", reader), ("Access-Control-Expose-Headers", "DPoP-Nonce"),
            ] + cookies,
            body: .json(Self.tokens)
        )
        let caller = Caller(try RecordedProviderTests.provider(capture.capture))
        let refused = caller.post(Self.base + "/token", Self.form("nobodys"), headers: [("Origin", Self.app)])
        #expect(refused.status == 400)
        let preflight = caller.send(
            "OPTIONS",
            Self.base + "/token",
            nil,
            [("Origin", Self.app), ("Access-Control-Request-Method", "POST")]
        )
        let word = reader != "*" && mayWithCookies ? "true" : nil
        for answer in [refused, preflight] {
            #expect(answer.headers.first("access-control-allow-origin") == reader)
            #expect(answer.headers.first("access-control-allow-credentials") == word)
        }
        #expect(refused.headers.first("access-control-expose-headers") == "DPoP-Nonce")
        #expect(preflight.headers.first("access-control-expose-headers") == nil)
    }
}
