import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

struct HostUnreachableTests {
    let rule = "host-unreachable"
    let broken = "transport/host-unreachable"

    @Test func tellsTheAddressOnce() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 request.url ", "4 tls id.harbour.example"])
        #expect(finding.evidence[0].value == "https://id.harbour.example/token")
        #expect(recording.outcomes == [.failure])
    }

    /// A provider that is not told of its proxy sends the browser to the port that it listens at.
    @Test(arguments: [
        ("https://id.harbour.example:9443/login.do", true), ("http://id.harbour.example/login.do", true),
        ("https://id.harbour.example/login.do", false),
    ])
    func namesThePortThatTheProviderSentTheBrowserTo(address: String, isNamed: Bool) throws {
        let recording = try Recording("user-agent/provider-session-cookie-missing").editing { exchange in
            switch exchange.request.url.path {
            case "/authorize":
                exchange.response = RecordedResponse(status: 302)
                exchange.response?.redirect(to: address)
            case "/sign-in":
                exchange.request.method = "GET"
                exchange.request.body = nil
                exchange.request.url = RecordedURL(address)
                exchange.response = nil
                exchange.failure = "net::ERR_CONNECTION_TIMED_OUT"
            default: break
            }
        }.without { $0.request.url.path == "/" }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.hasPrefix("Tell the provider its public address") == isNamed)
        #expect(finding.places.contains("1 response.location ") == isNamed)
    }

    /// An app at another port of the provider's host, as on a developer's machine.
    @Test(arguments: ["https://id.harbour.example:3000/callback", "https://www.shop.example/callback"])
    func portOfAnAppIsNoneOfTheProviders(redirectURI: String) throws {
        let home = "https://id.harbour.example:3000/home"
        let recording = try Recording("user-agent/provider-session-cookie-missing").editing { exchange in
            switch exchange.request.url.path {
            case "/authorize":
                exchange.response = RecordedResponse(status: 302)
                exchange.response?.redirect(to: home)
            case "/sign-in":
                exchange.request = RecordedRequest(method: "GET", url: RecordedURL(home))
                exchange.response = nil
                exchange.failure = "net::ERR_CONNECTION_REFUSED"
            default: break
            }
        }.without { $0.request.url.path == "/" }.asking("redirect_uri", redirectURI)
        let finding = try #require(recording.finding(rule))
        #expect(
            finding.fix.hasPrefix("Tell the provider its public address") == !redirectURI.contains(":3000")
        )
    }

    @Test func leavesCancelledAndBlockedRequestsAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesARetryThatSucceededAlone() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            if exchange.failure == "net::ERR_ABORTED" { exchange.failure = "net::ERR_CONNECTION_REFUSED" }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        ("net::ERR_NAME_NOT_RESOLVED", true), ("net::ERR_CONNECTION_TIMED_OUT", true),
        ("net::ERR_INTERNET_DISCONNECTED", true),
        ("ECONNREFUSED: connection refused by 127.0.0.1:443", true), ("NSURLErrorDomain -1003", true),
        ("NSURLErrorDomain -999", false), ("NSURLErrorDomain -1005", true), ("ERR_BLOCKED_BY_CLIENT", false),
        ("NS_BINDING_ABORTED", false), ("ECONNRESET", true), ("net::ERR_EMPTY_RESPONSE", true),
        ("the server closed the connection without an answer", true), ("socket hang up", true),
    ])
    func knowsTheWords(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = words }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// The connection lives on, and other answers with it.
    @Test(arguments: [
        ("the provider broke off the answer (RST_STREAM INTERNAL_ERROR)", true),
        ("the provider broke off the answer (H3_INTERNAL_ERROR)", true),
        ("the provider closes the connection and did not take the request (GOAWAY ENHANCE_YOUR_CALM)", true),
        ("the client gave the request up before the answer was complete (RST_STREAM CANCEL)", false),
    ])
    func knowsTheEndOfAStream(words: String, fires: Bool) throws {
        var recording = try Recording("healthy/native-app")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        let answered = recording.exchanges[index]
        recording.exchanges.removeSubrange((index + 1)...)
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = words
        #expect((recording.finding(rule) != nil) == fires)
        // A client that asks again has its answer.
        recording.exchanges.append(answered)
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [("1439", "1100 bytes came; Content-Length: 1439"), (nil, "1100 bytes came, and not")])
    func tellsHowMuchOfAnAnswerCame(length: String?, note: String) throws {
        var recording = try Recording("healthy/native-app")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        recording.exchanges[index].failure = "the server closed the connection before the answer was complete"
        recording.exchanges[index].response?.headers.fields.removeAll {
            $0.name.lowercased() == "content-length"
        }
        if let length { recording.exchanges[index].response?.headers.append("Content-Length", length) }
        var body = Body.json(#"{"access_token": "abcdefghijklmnopqrst", "refr"#)
        body.isTruncated = true
        body.size = 1100
        recording.exchanges[index].response?.body = body
        let finding = try #require(Recording(Array(recording.exchanges[...index])).finding(rule))
        #expect(finding.title == "The provider's answer broke off before its end")
        #expect(finding.notes.contains { $0.hasPrefix(note) }, "\(finding.notes)")
        // The words stand there once.
        #expect(
            finding.places == [
                "\(index) request.url ", "\(index) response.status ", "\(index) response.body ",
            ]
        )
    }

    /// What ends an answer after a time is looked for by that.
    @Test func tellsWhenAnAnswerBrokeOff() throws {
        let recording = try Recording("healthy/native-app").editingLast("/token") { exchange in
            exchange.failure = "the server closed the connection before the answer was complete"
            exchange.duration = .seconds(30)
            exchange.response?.headers.remove("content-length")
            var body = Body.json(#"{"access_token": "abc"#)
            body.isTruncated = true
            body.size = 21
            exchange.response?.body = body
        }
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        let finding = try #require(Recording(Array(recording.exchanges[...index])).finding(rule))
        #expect(finding.notes.last == "21 bytes came, and not the end of them; after 30.0 s")
    }

    /// The app's server waited for the token endpoint, and the browser for the server.
    @Test(arguments: [(Duration.seconds(30), true), (.milliseconds(1), false)])
    func explainsACallbackThatWasNotAnsweredMeanwhile(wait: Duration, isEffect: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            switch exchange.request.url.path {
            case "/callback":
                exchange.failure = "the server closed the connection before the answer was complete"
                exchange.duration = wait
            case "/token":
                exchange.failure = "the client closed the connection before the answer was complete"
                exchange.duration = .seconds(31)
            default: return
            }
            exchange.response = nil
        }.without { ["/jwks", "/userinfo", "/"].contains($0.request.url.path) }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(recording.finding("callback-unreachable")?.effectOf == (isEffect ? rule : nil))
    }

    /// The server hung up between two header fields.
    @Test func tellsWhereTheHeadOfAnAnswerBrokeOff() throws {
        var recording = try Recording("healthy/native-app")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        var body = Body.json("")
        body.isTruncated = true
        recording.exchanges[index].response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Date", "Sun, 15 Mar 2026 09:15:00 GMT")]),
            body: body
        )
        recording.exchanges[index].failure = "connection reset by the server"
        recording.exchanges[index].malformations = [
            Malformation(side: .response, offset: 0, reason: Malformation.halfHead)
        ]
        let finding = try #require(Recording(Array(recording.exchanges[...index])).finding(rule))
        #expect(finding.title == "The provider's answer broke off before its end")
        #expect(finding.explanation.contains("within the head of the answer"))
        #expect(finding.notes.contains("the head broke off behind 1 header field"), "\(finding.notes)")
    }

    @Test func namesNoTLSWhereThereIsNone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.failure != nil else { return }
            exchange.request.url = RecordedURL("http://id.harbour.example/token")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["4 request.url ", "4 response.status "])
    }

    /// A page of the provider's that never came, a user's claims, and an answer that broke off.
    @Test(arguments: ["/sign-in", "/userinfo", "/token"])
    func tellsWhatWasNotAnsweredToItsEnd(path: String) throws {
        var recording = try Recording("healthy/web-code-flow")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == path })
        recording.exchanges[index].failure = "the provider closed the connection"
        if path == "/token" {
            recording.exchanges[index].response?.body = .json("{\"access_token\":\"ab")
        } else {
            recording.exchanges[index].response = nil
        }
        recording.exchanges.removeLast(recording.exchanges.count - index - 1)
        recording = recording.editing { if $0.request.url.path == "/callback" { $0.response?.status = 500 } }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[0].value == "https://id.harbour.example\(path)")
        #expect(finding.explanation.contains("gave no answer, or not all of it"))
    }

    /// What was said in full is no riddle, whatever the connection did then.
    @Test func wholeAnswerOnAConnectionThatBrokeIsOne() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/token" {
                exchange.failure = "net::ERR_INCOMPLETE_CHUNKED_ENCODING"
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// As packets show it: nothing but a connection that did not come about, while the app's server was at work.
    @Test(arguments: [
        ("10.0.0.5:5060", 200, true), ("10.0.0.9:5060", 200, false), ("10.0.0.5:5060", 700, false),
    ])
    func knowsTheConnectionThatTheAppsServerWanted(client: String, start: Int, fires: Bool) throws {
        var recording = try Recording(broken)
        recording.exchanges.removeAll { $0.failure != nil }
        let callback = try #require(recording.exchanges.firstIndex { $0.response?.status == 500 })
        recording.exchanges[callback].connection.serverAddress = "10.0.0.5:443"
        var failed = recording.exchanges[callback]
        failed.startedAt = failed.startedAt + .milliseconds(start)
        failed.duration = .milliseconds(100)
        failed.request = RecordedRequest(method: "CONNECT", url: RecordedURL("https://10.1.1.1:8443/"))
        failed.response = nil
        failed.failure = "connection timed out: nobody answered 4 tries to connect"
        failed.client = ClientFacts(address: client)
        recording.exchanges.append(failed)
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding(rule)?.isPrimary ?? true)
    }

    /// Keys at another port of the provider's host, claims wherever they are; what else an app asks for is its own affair.
    @Test(arguments: [
        ("https://id.harbour.example:1/keys", false, true), ("https://claims.example/me", true, true),
        ("https://mail.example/send", false, false),
    ])
    func knowsWhatTheAppsServerCouldNotDoWithout(url: String, isWithToken: Bool, fires: Bool) throws {
        var recording = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/userinfo" }
        var call = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/userinfo" }
        )
        call.request.url = RecordedURL(url)
        if !isWithToken { call.request.headers.remove("authorization") }
        call.response = nil
        call.failure = "ECONNREFUSED: connection refused by 127.0.0.1:1"
        let end = call.endedAt + .milliseconds(20)
        recording.exchanges.append(call)
        recording = recording.editing { exchange in
            if exchange.client.process == "shop-backend" { exchange.client.processID = 7 }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 500)
            exchange.duration = end - exchange.startedAt
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if fires {
            #expect(finding?.isPrimary == true)
            #expect(recording.finding("callback-rejected-by-app")?.effectOf == rule)
        }
    }

    @Test func saysNothingOfTheRedirectURI() throws {
        var recording = try Recording("healthy/web-code-flow")
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        recording.exchanges[callback].response = nil
        recording.exchanges[callback].failure = "net::ERR_CONNECTION_REFUSED"
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfAPrivateUseSchemeWithoutAnAnswer() throws {
        var recording = try Recording("healthy/native-app")
        var arrival = recording.exchanges[2]
        arrival.request.url = RecordedURL("example.shop.app:/oauth2redirect?code=x")
        arrival.request.method = "GET"
        arrival.response = nil
        arrival.failure = "net::ERR_UNKNOWN_URL_SCHEME"
        recording.exchanges.insert(arrival, at: 3)
        #expect(recording.finding(rule) == nil)
    }

    /// A provider behind a proxy for TLS that sends the browser to its own pages in clear, where nobody listens.
    @Test(arguments: [("http://id.example", true), ("http://other.example", false)])
    func tellsOfARedirectOfTheProvidersToItselfInClear(origin: String, fires: Bool) {
        let asked =
            "https://id.example/authorize?response_type=code&client_id=shop&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
            + "&scope=openid&state=a-state-1234567"
        var capture = CaptureBuilder()
        capture.redirect(asked, to: origin + "/XUI/?goto=1")
        capture.get(origin + "/XUI/?goto=1")
        var recording = Recording(capture.exchanges)
        recording.exchanges[1].response = nil
        recording.exchanges[1].failure = "net::ERR_CONNECTION_REFUSED"
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }
}
