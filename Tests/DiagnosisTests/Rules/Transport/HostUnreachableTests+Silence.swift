import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// A provider that was reached and gave no answer, and who gave up waiting for it.
extension HostUnreachableTests {
    /// It took the connection, so that it was reached.
    @Test(arguments: [
        ("the server closed the connection without an answer", "The provider did not answer"),
        ("ECONNREFUSED: connection refused by 127.0.0.1:443", "The provider could not be reached"),
    ])
    func silenceIsCalledSo(words: String, title: String) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = words }
        }
        #expect(recording.finding(rule)?.title == title)
    }

    private static let left = "the client closed the connection before the answer was complete"
    private static let ended = "the capture ends before the answer was complete"

    /// The app's server answered the callback with 500 while it had no answer itself, or left after a second.
    @Test(arguments: [
        (left, 500, 40, true), (ended, 500, 40, true), (left, 200, 40, false), (ended, 200, 4_000, false),
        (left, 200, 4_000, true), (left, 200, 999, true), (left, 200, 700, false),
        // Whose words say that a time was over need no length.
        ("AxiosError: timeout of 500ms exceeded", 200, 500, true),
        // What the capture lacks, the server may well have sent.
        ("253 bytes of the server are not in the capture", 500, 40, false),
        ("the answer could not be decrypted: there is no key", 500, 40, false),
        // What was not asked to its end is not answered.
        (AnswerLoss.requestCut, 500, 40, false), (AnswerLoss.requestCut, 200, 4_000, false),
    ])
    func knowsWhoGaveUpWaiting(words: String, callback: Int, milliseconds: Int, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 500, callback != 500 {
                exchange.response?.status = callback
                exchange.response?.body = Body(text: "<title>Shop</title>Hello", mediaType: "text/html")
            }
            guard exchange.failure != nil else { return }
            exchange.failure = words
            exchange.duration = .milliseconds(milliseconds)
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
    }

    /// What the next try was answered is what the callback was refused for.
    @Test(arguments: [(true, false), (false, true)])
    func silenceThatTheNextTryMadeUpForIsNone(isAnswered: Bool, fires: Bool) throws {
        var recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = "ECONNRESET: the connection was reset" }
        }
        let last = try #require(recording.exchanges.lastIndex { $0.failure != nil })
        if isAnswered {
            recording.exchanges[last].failure = nil
            recording.exchanges[last].response = RecordedResponse(
                status: 400,
                body: .json(#"{"error":"invalid_client"}"#)
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.finding("client-auth-missing")?.isPrimary == true) == isAnswered)
    }

    /// A setting is looked for by the time that is told.
    @Test(arguments: [
        (999, "after 1.0 s"), (2_999, "after 3.0 s"), (4_000, "after 4.0 s"), (4_520, "after 4.5 s"),
    ])
    func tellsTheWaitToTheTenthOfASecond(milliseconds: Int, note: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.failure != nil else { return }
            exchange.failure = Self.left
            exchange.duration = .milliseconds(milliseconds)
        }
        #expect(recording.finding(rule)?.notes == ["client: shop-backend", note])
    }

    @Test func pageThatGoesIsNotWaiting() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 500 { exchange.response?.status = 200 }
            guard exchange.failure != nil else { return }
            exchange.failure = Self.left
            exchange.duration = .seconds(4)
            exchange.request.headers.append("Origin", "https://www.shop.example")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A code that is sent again says that the client did not mean to go.
    @Test(
        arguments: [
            (1_500, 200, true), (1_500, 40_000, true), (2_000, nil, false), (20_000, 200, false),
        ] as [(Int64, Int64?, Bool)]
    ) func clientThatDoesNotWaitIsTold(milliseconds: Int64, pause: Int64?, fires: Bool) throws {
        var recording = try Recording("healthy/native-app").without {
            ["/jwks", "/userinfo"].contains($0.request.url.path)
        }
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        var again = recording.exchanges[index]
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = Self.left
        recording.exchanges[index].duration = .milliseconds(milliseconds)
        again.startedAt = again.startedAt + .milliseconds(milliseconds + (pause ?? 0))
        again.response?.status = 400
        again.response?.body = .json("{\"error\":\"invalid_grant\"}")
        if pause != nil { recording.exchanges.append(again) }
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The client did not wait for the provider's answer") == fires)
        #expect(finding.notes.contains("the same code, sent again") == fires)
        #expect(!fires || recording.finding("token-invalid-grant")?.effectOf == rule)
    }

    /// A user who closes the app looks at no clock; an app that gave up waiting goes on, and a server is closed by nobody.
    @Test(
        arguments: [
            (1_500, nil, false, false), (2_000, nil, false, true), (2_960, nil, false, true),
            (1_500, nil, true, true), (12_300, nil, false, true), (1_500, "shop-backend/2.1", false, true),
        ] as [(Int64, String?, Bool, Bool)]
    ) func appThatWasClosedGotItsAnswerForAllThatIsKnown(
        milliseconds: Int64,
        agent: String?,
        goesOn: Bool,
        fires: Bool
    ) throws {
        var recording = try Recording("healthy/native-app")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        recording.exchanges.removeSubrange((index + 1)...)
        if let agent {
            recording.exchanges[index].request.headers.replace("User-Agent", with: agent)
        }
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = Self.left
        recording.exchanges[index].duration = .milliseconds(milliseconds)
        if goesOn {
            var next = recording.exchanges[0]
            next.startedAt = recording.exchanges[index].endedAt + .seconds(1)
            recording.exchanges.append(next)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
        #expect(fires || recording.outcomes == [.incomplete])
    }

    /// Signed claims of UserInfo (OpenID Connect Core, section 5.3.2) that came whole, however the connection ended.
    @Test(arguments: [("{\"sub\":\"alice\"}", true), ("{\"sub\":\"al", false)])
    func signedClaimsThatCameWholeWereAnAnswer(claims: String, isWhole: Bool) throws {
        let parts = [#"{"alg":"RS256"}"#, claims, "signature"].map(encoded)
        let recording = try Recording("healthy/web-code-flow").editingLast("/userinfo") {
            $0.response?.body = Body(
                text: isWhole ? parts.joined(separator: ".") : parts[0] + "." + parts[1],
                mediaType: "application/jwt"
            )
            $0.failure = "net::ERR_INCOMPLETE_CHUNKED_ENCODING"
        }
        #expect((recording.finding("host-unreachable") == nil) == isWhole)
    }
}
