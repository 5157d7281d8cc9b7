import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct JWKSUnreachableTests {
    private let rule = "jwks-unreachable"
    private let broken = "discovery/jwks-unreachable"

    @Test func tellsURLAndStatus() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["6 request.url ", "6 response.status ", "6 response.body "])
        #expect(finding.evidence[2].value == #"{"error":"Not found"}"#)
        #expect(recording.outcomes == [.failure])
    }

    /// Its URL has the server's address, where the header field with the host is not in the capture: the metadata may name it.
    @Test func leavesAHostAloneThatIsNotKnown() throws {
        #expect(try Recording(broken).withoutHosts().finding(rule) == nil)
    }

    /// A single key in the place of a list, which may be the private one, is told by its members.
    @Test func showsNoKey() throws {
        let recording = try Recording(broken).editingLast("/jwks") {
            $0.response?.status = 200
            $0.response?.body = .json(#"{"kty":"oct","k":"bm90LWEtc2VjcmV0LW9mLWFueW9uZQ"}"#)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[2].value == "kty, k")
        #expect(finding.notes.contains("no array keys in it"))
    }

    /// authentik without a signing key; what is no data, and a token that a key signed, say nothing of that.
    @Test(arguments: [("HS256", "{}", true), ("RS256", "{}", false), ("HS256", "<html></html>", false)])
    func providerThatSignsWithTheSecretHasNoKeys(algorithm: String, body: String, isTold: Bool) throws {
        let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)","typ":"JWT"}"#.utf8))
        let recording = try Recording(broken).editingLast("/jwks") {
            $0.response?.status = 200
            $0.response?.body = .json(body)
        }.editingAnswer(of: "/token") { answer in
            guard let token = answer["id_token"]?.string else { return }
            let rest = token.split(separator: ".", maxSplits: 1)[1]
            answer["id_token"] = .string("\(header).\(rest)")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("signs with the client's secret") == isTold)
        #expect(finding.fix.contains("Signing Key") == isTold)
        #expect((finding.places.last?.hasSuffix("jwt.header alg") == true) == isTold)
    }

    /// At an address that the metadata do not name; another path is none of keys, who is not let in may be at the right one, and who asked is not the browser.
    @Test(
        arguments: [
            ("/jwks.json", 404, nil, true), ("/.well-known/jwks.json", 410, nil, true),
            ("/jwks.json", 401, nil, false), ("/keyring", 404, nil, false),
            ("/jwks.json", 404, "Mozilla/5.0", false),
        ] as [(String, Int, String?, Bool)]
    )
    func addressThatNobodyNamedIsTold(path: String, status: Int, agent: String?, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
            exchange.response?.status = status
            guard let agent else { return }
            exchange.request.headers.fields.removeAll { $0.name.equalsIgnoringASCIICase("user-agent") }
            exchange.request.headers.append("User-Agent", agent)
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding?.title == "The signing keys were asked for where the provider has none") == fires)
        #expect((recording.finding("callback-rejected-by-app")?.effectOf == rule) == fires)
        #expect(recording.goingOn.finding(rule).map { $0.severity == .note } ?? !fires)
    }

    /// idpyoidc asks for the keys before the login, and once more when it needs them.
    @Test(arguments: [true, false]) func callbackIsRefusedForKeysThatAreAskedForAgain(isAgain: Bool) throws {
        var recording = try Recording(broken)
        var earlier = recording.exchanges[6]
        earlier.startedAt = recording.exchanges[1].endedAt + .milliseconds(1)
        if !isAgain { recording.exchanges.removeLast() }
        recording.exchanges.insert(earlier, at: 2)
        #expect(recording.finding(rule)?.isPrimary == true)
        let refused = try #require(recording.finding("callback-rejected-by-app"))
        #expect(refused.effectOf == (isAgain ? rule : nil))
    }

    /// A client that goes on to UserInfo and is refused there did not stop at the keys; one that got its claims may have.
    @Test(arguments: [(200, true), (401, false)])
    func whoIsRefusedBehindItDidNotStopThere(status: Int, fires: Bool) throws {
        var recording = try Recording(broken)
        let grant = try #require(recording.exchanges[5].response?.body?.bytes)
        let token = try #require(JSONParser.parse(grant).object?["access_token"]?.string)
        recording.exchanges[6].request.url = RecordedURL("https://id.harbour.example/jwks.json")
        recording.exchanges[6].response?.status = 404
        #expect(recording.finding(rule) != nil)
        var call = recording.exchanges[6]
        call.startedAt = call.endedAt + .milliseconds(1)
        call.duration = .milliseconds(1)
        call.request.url = RecordedURL("https://id.harbour.example/userinfo")
        call.request.headers.append("Authorization", "Bearer \(token)")
        call.response = RecordedResponse(status: status, body: .json(#"{"sub":"alice"}"#))
        recording.exchanges.insert(call, at: 7)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func oneKeySetIsEnough() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        (200, "<html>", true), (200, "{}", true), (200, "{\"keys\":{}}", true), (200, "{\"keys\":[]}", false),
        (500, "{\"keys\":[]}", true),
    ])
    func readsWhatIsThere(status: Int, body: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.response?.status = status
            exchange.response?.body = .json(body)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// An app that reads the keys itself goes no further; one that asks for the user's claims next did without them.
    @Test(
        arguments: [
            ("<html>", true, true), ("{\"message\":\"ok\"}", true, true), ("<html>", false, false),
        ]
    )
    func whatIsNoKeySetEndsTheLogin(body: String, isLast: Bool, ends: Bool) throws {
        let recording = try Recording("healthy/native-app").editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.response?.body = .json(body)
        }.without { isLast && $0.request.url.path == "/userinfo" }
        #expect((recording.finding(rule)?.isPrimary == true) == ends)
        #expect((recording.outcomes == [.failure]) == ends)
    }

    @Test(arguments: [302, 304, 429]) func leavesOtherAnswersAlone(status: Int) throws {
        #expect(try Recording(broken).answering("/jwks", status).finding(rule) == nil)
    }

    @Test func leavesWhatTheTransportExplainsToIt() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.response = nil
            exchange.failure = "ECONNREFUSED"
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("host-unreachable") != nil)
    }

    @Test func abstainsWithoutTheBody() throws {
        let recording = try Recording(broken).answering("/jwks", 200).withoutBodies(of: "/jwks").editing {
            if $0.request.url.path == "/jwks" { $0.response?.body = Body(content: .missing) }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// What only the capture lacks may have been a good one, whether its beginning is there or not.
    @Test(arguments: LostAnswers.reasons, [true, false])
    func abstainsWhereTheCaptureLacksTheAnswer(loss: (reason: String, fires: Bool), hasBegun: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.response?.status = 200
            exchange.response?.body = Body(
                content: .bytes(Array("{\"keys\":[{\"kty\"".utf8)),
                mediaType: "application/json",
                isTruncated: true
            )
            if !hasBegun { exchange.response = nil }
            exchange.failure = loss.reason
            exchange.duration = .seconds(1)
        }
        #expect((recording.finding(rule) != nil) == loss.fires)
        #expect((recording.abstention(rule) != nil) == !loss.fires)
    }

    /// Of a page its beginning is enough.
    @Test(
        arguments: [
            ("{\"keys\":[{\"kty\"", "application/json", nil, false),
            ("<!doctype html>", "text/html", nil, true),
            ("unreadable", "application/json", "br", false),
        ] as [(String, String, String?, Bool)]
    ) func abstainsWhereTheRecorderKeptLessThanCame(start: String, type: String, coding: String?, fires: Bool)
        throws
    {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.response?.status = 200
            exchange.response?.body = Body(
                content: .bytes(Array(start.utf8)),
                mediaType: type,
                isTruncated: coding == nil,
                remainingCoding: coding
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
    }
}
