import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct TokenResponseNotJSONTests {
    private let rule = "token-response-not-json"
    private let broken = "token-response/token-response-not-json"

    @Test func namesTypeAndBody() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["4 response.header Content-Type", "4 response.body "])
        #expect(finding.evidence[0].value == "text/html; charset=utf-8")
        #expect(finding.evidence[1].value.hasPrefix("<!doctype html>"))
    }

    /// A page of what stands in front, and then the tokens.
    @Test func pageBeforeTheTokensIsANote() throws {
        let recording = try Recording("authorization-response/provider-server-error.near-miss")
        let index = try #require(
            recording.exchanges.firstIndex { $0.request.url.path == "/token" && $0.response?.status == 503 }
        )
        var answered = recording
        answered.exchanges[index].response = RecordedResponse(status: 200, body: .html("<h1>Starting"))
        #expect(answered.finding(rule)?.severity == .note)
        #expect(answered.outcomes == [.success])
        // Some recorders write seconds.
        var atOnce = answered
        atOnce.exchanges[index + 1].startedAt = atOnce.exchanges[index].startedAt
        #expect(atOnce.finding(rule)?.severity == .note)
        // One that nothing made up for is told of instead.
        var later = answered.exchanges[index + 1]
        let grant = try #require(later.response?.body?.bytes)
        let token = try #require(JSONParser.parse(grant).object?["refresh_token"]?.string)
        later.startedAt = try #require(answered.exchanges.last).endedAt + .seconds(60)
        later.request.body = Body(
            text: FormBody.encode([
                ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "shop-web"),
            ]),
            mediaType: FormBody.mediaType
        )
        later.response = RecordedResponse(status: 200, body: .html("<h1>Starting"))
        answered.exchanges.append(later)
        #expect(answered.finding(rule)?.places.first == "8 response.header Content-Type")
        // The callback was answered before it: that the browser was sent on says nothing of a refresh.
        #expect(answered.finding(rule)?.severity == .error)
        #expect(answered.outcomes == [.failure])
    }

    /// Net::OAuth2 of Perl takes what it gets, and calls with a header that ends behind its scheme.
    @Test(arguments: ["Bearer", "bearer "]) func whoHasNothingToCallWithDidNotReadIt(header: String) throws {
        let recording = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/jwks" }
            .sendingHeader("Authorization", header, to: "/userinfo").editing { exchange in
                switch exchange.request.url.path {
                case "/token":
                    exchange.response = RecordedResponse(status: 200, body: .html("<h1>Starting"))
                case "/userinfo":
                    exchange.response = RecordedResponse(status: 401, body: .json("{}"))
                    exchange.response?.headers.append("WWW-Authenticate", "Bearer")
                default: break
                }
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        let refused = try #require(recording.finding("bearer-rejected"))
        #expect(refused.title == "The call has a scheme for its access token, and no token")
        #expect(refused.notes.last == "nothing stands behind the scheme")
        #expect(recording.outcomes == [.failure])
    }

    /// Sixteen times as many take sixteen times as long, two hundred and fifty-six times if each looked for the one behind all.
    @Test func timeGrowsWithThePagesBeforeTheTokens() throws {
        let recording = try Recording("token-response/token-response-not-json")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        func seconds(_ count: Int) -> Double {
            var tried = recording
            var granted = tried.exchanges[index]
            tried.exchanges[index].response = RecordedResponse(status: 200, body: .html("<h1>Starting"))
            for number in 1..<count {
                var again = tried.exchanges[index]
                again.startedAt = again.startedAt + .milliseconds(50 * number)
                tried.exchanges.append(again)
            }
            granted.startedAt = granted.startedAt + .milliseconds(50 * count)
            granted.response = RecordedResponse(
                status: 200,
                body: .json(#"{"access_token":"access-1","token_type":"Bearer"}"#)
            )
            tried.exchanges.append(granted)
            return ProcessorTime.seconds { #expect(tried.finding(rule)?.severity == .note) }
        }
        let few = min(seconds(125), seconds(125))
        #expect((0..<3).contains { _ in seconds(2000) / few < 48 })
    }

    @Test func jsonOfAnotherTypeIsANote() throws {
        let finding = try #require(Recording(broken + ".near-miss").finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.evidence.map(\.value) == ["text/plain; charset=utf-8"])
    }

    @Test(arguments: ["[1]", "access_token=a&token_type=bearer", "null"]) func nothingButAnObjectWillDo(
        body: String
    ) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.body = Body(text: body, mediaType: "text/plain")
        }
        #expect(recording.finding(rule)?.severity == .error)
    }

    @Test func anEmptyBodyCountsWhereTheServerSaysThatItIsEmpty() throws {
        let recording = try Recording(broken).editingLast("/token") { $0.response?.body = Body(text: "") }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        #expect(
            recording.answering("/token", header: "Content-Length", "0").finding(rule)?.evidence[1].value
                == "empty"
        )
        let silent = recording.editingLast("/token") { $0.response?.status = 204 }
        #expect(silent.finding(rule)?.evidence[1].value == "empty")
    }

    /// A recorder that lost a body has another size for it than none, and one that an app went on with was none.
    @Test(
        arguments: [(0, 0, true), (0, nil, false), (66, 0, false), (nil, 0, false), (0, 66, false)]
            as [(Int?, Int?, Bool)]
    )
    func anEmptyBodyCountsWhereTheRecorderSaysThatItIsEmpty(size: Int?, wireSize: Int?, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.body = Body(content: .missing, size: size, wireSize: wireSize)
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(finding?.evidence[1].value == (fires ? "empty" : nil))
        #expect((recording.abstention(rule) != nil) == !fires)
        #expect(recording.goingOn.finding(rule) == nil)
    }

    @Test func aFormThatWasTakenIsAWarning() throws {
        let recording = try Recording(broken).goingOn.editingLast("/token") {
            $0.response?.body = Body(text: "access_token=a&token_type=bearer", mediaType: FormBody.mediaType)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(finding.notes == ["a form"])
        #expect(finding.explanation.contains("This client reads it"))
        #expect(!finding.evidence[1].value.contains("access_token=a&"))
    }

    @Test(arguments: [
        #"{"access_token": "abcdefghijklmnopqrst", "refresh_to"#,
        #"{'access_token': 'abcdefghijklmnopqrst', 'token_type': 'Bearer'}"#,
        #")]}',\n{"access_token": "abcdefghijklmnopqrst"}"#,
    ])
    func tokensAreMasked(body: String) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.body = .json(body)
        }
        let value = try #require(recording.finding(rule)).evidence[1].value
        #expect(value.contains("abcd…(20)"))
        #expect(!value.contains("abcde"))
    }

    @Test(arguments: [
        (#"{"access_token": "abcdefghijklmnopqrst", "refr"#, "Content-Length"),
        (#")]}',\n{"access_token": "abcdefghijklmnopqrst"}"#, "Leave the prefix out"),
        (#""{\"access_token\":\"abcdefghijklmnopqrst\"}""#, "the object itself; often a gateway"),
        (#"[{"access_token": "abcdefghijklmnopqrst"}]"#, "without the brackets"),
        (#"{'access_token': 'abcdefghijklmnopqrst'}"#, "in double quotes"),
        ("<html>Sign in</html>", "a page means"),
    ])
    func theFixFollowsTheBody(body: String, fix: String) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.body = .json(body)
        }
        #expect(try #require(recording.finding(rule)).fix.contains(fix))
    }

    @Test func bytesThatAreNoTextAreNotShown() throws {
        func answered(_ bytes: [UInt8]) throws -> Finding {
            let recording = try Recording(broken).editingLast("/token") {
                $0.response?.body = Body(content: .bytes(bytes), size: bytes.count)
            }
            return try #require(recording.finding(rule))
        }
        let packed = try answered([0x1f, 0x8b, 0x08, 0x00] + (0x80..<0xa0).map { UInt8($0) })
        #expect(packed.evidence[1].value == "binary, 36 bytes")
        #expect(packed.fix.contains("Content-Encoding"))
        let json = #"{"access_token":"abcdefghijklmnopqrst"}"#
        let wide = try answered([0xff, 0xfe] + json.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
        #expect(wide.evidence[1].value.contains("abcd…(20)"))
        #expect(wide.fix.contains("UTF-8"))
    }

    @Test(arguments: [
        ("mark", "begins with a byte order mark"), ("coding", "is not encoded as it says"),
        ("end", "is broken off"),
    ])
    func tellsWhatKeepsAClientFromReadingJSON(flaw: String, title: String) throws {
        let login = try Recording("healthy/native-app")
        let edited = login.editingLast("/token") { exchange in
            switch flaw {
            case "mark":
                let bytes = [0xef, 0xbb, 0xbf] + (exchange.response?.body?.bytes ?? [])
                exchange.response?.body?.content = .bytes(bytes)
            case "coding": exchange.response?.body?.remainingCoding = "gzip"
            default:
                exchange.response?.body?.isTruncated = true
                exchange.failure = "the server closed the connection before the answer was complete"
            }
        }
        // This client read it all the same.
        #expect(edited.finding(rule) == nil)
        let answered = try #require(edited.exchanges.lastIndex { $0.request.url.path == "/token" })
        let stopped = Recording(Array(edited.exchanges[...answered]))
        #expect(try #require(stopped.finding(rule)).title.contains(title))
        #expect(Recording(Array(login.exchanges[...answered])).finding(rule) == nil)
    }

    @Test func whoFetchesKeysHasReadTheAnswer() throws {
        let login = try Recording("healthy/native-app").editingLast("/token") { exchange in
            let bytes = [0xef, 0xbb, 0xbf] + (exchange.response?.body?.bytes ?? [])
            exchange.response?.body?.content = .bytes(bytes)
        }
        let keys = try #require(login.exchanges.lastIndex { $0.request.url.path == "/jwks" })
        #expect(Recording(Array(login.exchanges[...keys])).finding(rule) == nil)
    }

    @Test func theDefaultOfGitHubIsANote() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            let text = exchange.request.url.text.replacing(
                "id.harbour.example/authorize",
                with: "github.com/login/oauth/authorize"
            )
            .replacing("id.harbour.example/token", with: "github.com/login/oauth/access_token")
            exchange.request.url = RecordedURL(text)
        }.editingLast("/login/oauth/access_token") {
            $0.response?.body = Body(text: "access_token=a&token_type=bearer", mediaType: FormBody.mediaType)
        }
        #expect(recording.flows.contains { $0.provider == .github })
        #expect(recording.finding(rule)?.severity == .note)
    }

    @Test func leavesRefusalsAlone() throws {
        let recording = try Recording(broken).editingLast("/token") { $0.response?.status = 502 }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWithoutTheBody() throws {
        let recording = try Recording(broken).withoutBodies(of: "/token").withMetadata()
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The browser could not undo the coding that the answer names, and gave the page nothing.
    @Test(arguments: [
        ("net::ERR_CONTENT_DECODING_FAILED", true), ("incorrect header check", true),
        ("net::ERR_ABORTED", false),
    ])
    func tellsAnAnswerThatCouldNotBeDecoded(words: String, fires: Bool) throws {
        var recording = try Recording("healthy/web-code-flow").editingLast("/token") { exchange in
            exchange.failure = words
            exchange.response?.headers.append("Content-Encoding", "gzip")
            exchange.response?.body = nil
        }
        let token = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        recording.exchanges.removeSubrange((token + 1)...)
        let finding = recording.without { $0.request.url.path == "/callback" }.finding(
            "token-response-not-json"
        )
        #expect((finding?.title == "The token response is not encoded as it says") == fires)
    }
}
