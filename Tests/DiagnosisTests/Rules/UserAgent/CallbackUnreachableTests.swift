import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct CallbackUnreachableTests {
    private let rule = "callback-unreachable"
    private let broken = "user-agent/callback-unreachable"

    @Test func namesTheRedirectAndTheReason() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["2 response.location ", "3 response.status "])
        #expect(finding.evidence[1].value == "net::ERR_NAME_NOT_RESOLVED")
        #expect(
            !finding.evidence[0].value.contains(
                "code=" + (recording.exchanges[3].request.url.queryItems.first("code") ?? "")
            )
        )
        #expect(recording.outcomes == [.failure])
    }

    /// The app's server had gone to the token endpoint on account of it, or somebody else had.
    @Test(arguments: [
        ("net::ERR_EMPTY_RESPONSE", 400, true), ("net::ERR_EMPTY_RESPONSE", 10, false),
        ("net::ERR_ABORTED", 400, false),
    ])
    func tellsOfAServerThatBrokeDownAtWork(words: String, milliseconds: Int, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = nil
            exchange.failure = words
            exchange.duration = .milliseconds(milliseconds)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.outcomes == [.failure]) == fires)
        if fires { #expect(recording.finding(rule)?.explanation.contains("broke down") == true) }
    }

    /// The program may run on another machine than the browser, or listen at a port that it did not name.
    @Test(arguments: [
        ("http://localhost:8400/", "device grant"), ("http://127.0.0.1:80/cb", "device grant"),
        ("http://localhost/", "names no port"), ("https://www.shop.example/callback", ""),
    ])
    func tellsWhereAListenerOfThisMachineIsToBe(uri: String, fix: String) throws {
        var exchanges = try Recording(broken).asking("redirect_uri", uri).exchanges
        let answer = uri + "?" + (exchanges[3].request.url.query ?? "")
        exchanges[2].response?.redirect(to: answer)
        exchanges[3].request.url = RecordedURL(answer)
        exchanges[3].failure = "net::ERR_CONNECTION_REFUSED"
        let finding = try #require(Recording(exchanges).finding(rule))
        #expect(finding.fix.contains("device grant") == (fix == "device grant"))
        #expect(finding.fix.contains("names no port") == (fix == "names no port"))
    }

    /// Somebody listens there, and not as the browser has it.
    @Test(arguments: [
        ("net::ERR_CERT_AUTHORITY_INVALID", "dev-certs"), ("net::ERR_SSL_PROTOCOL_ERROR", "plain http"),
    ])
    func tellsOfACertificateOfThisMachine(failure: String, fix: String) throws {
        let uri = "https://localhost:5001/signin-oidc"
        var exchanges = try Recording(broken).asking("redirect_uri", uri).exchanges
        let answer = uri + "?" + (exchanges[3].request.url.query ?? "")
        exchanges[2].response?.redirect(to: answer)
        exchanges[3].request.url = RecordedURL(answer)
        exchanges[3].failure = failure
        let finding = try #require(Recording(exchanges).finding(rule))
        #expect(finding.fix.contains(fix) && !finding.fix.contains("device grant"))
    }

    /// A browser writes its own redirect to https down as if a server had sent it; so it does an extension's to wherever that wants.
    @Test(
        arguments: [
            ("HSTS", "https://localhost:8400/", true), (nil, "https://localhost:8400/", false),
            ("WebRequest API", "http://localhost:9400/", false),
            ("WebRequest API", "https://app.shop.example/", false),
        ] as [(String?, String, Bool)]
    )
    func namesTheBrowsersOwnUpgrade(reason: String?, target: String, isTold: Bool) throws {
        var exchanges = try Recording(broken).asking("redirect_uri", "http://localhost:8400/").exchanges
        let inClear = "http://localhost:8400/?" + (exchanges[3].request.url.query ?? "")
        let upgraded = target + "?" + (exchanges[3].request.url.query ?? "")
        exchanges[2].response?.redirect(to: inClear)
        var last = exchanges[3]
        last.startedAt = last.startedAt + .milliseconds(20)
        last.request.url = RecordedURL(upgraded)
        last.failure = "net::ERR_SSL_PROTOCOL_ERROR"
        exchanges[3].request.url = RecordedURL(inClear)
        exchanges[3].failure = nil
        exchanges[3].response = RecordedResponse(
            status: 307,
            headers: HeaderFields(reason.map { [("Non-Authoritative-Reason", $0)] } ?? [])
        )
        exchanges[3].response?.redirect(to: upgraded)
        let finding = try #require(Recording(exchanges + [last]).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.contains("3 response.header Non-Authoritative-Reason") == isTold)
        #expect(finding.fix.contains("http://127.0.0.1") == isTold)
    }

    /// An error that nobody took had come to nothing before.
    @Test func isANoteWhereTheAnswerWasAnError() throws {
        let recording = try Recording(broken).editing { exchange in
            for (old, new) in [("code=", "error=access_denied&was=")] {
                exchange.request.url = RecordedURL(exchange.request.url.text.replacing(old, with: new))
                for index in exchange.response?.headers.fields.indices ?? 0..<0
                where exchange.response?.headers.fields[index].name == "Location" {
                    exchange.response?.headers.fields[index].value.replace(old, with: new)
                }
                exchange.response?.redirectURL = ""
            }
        }
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding("user-cancelled")?.isPrimary == true)
        #expect(recording.outcomes == [.cancelled])
    }

    @Test func leavesAnAddressThatTheAppTookAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        // Given up by the browser, and nothing else known: still no proof.
        let cut = recording.without { $0.request.url.path == "/token" || $0.request.url.path == "/jwks" }
        #expect(cut.finding(rule) == nil)
    }

    /// What the recording may have missed is no failure, nor is a user's browser that goes on at once.
    @Test(arguments: [
        (AnswerLoss.captureEnded, 40, false), (AnswerLoss.recordingEnded, 60_000, true),
        (AnswerLoss.packetsMissing, 60_000, false), (AnswerLoss.serverMissing, 40, false),
        (AnswerLoss.undecrypted("the answer", "there is no key for it"), 40, false),
        (AnswerLoss.recordingEnded(before: "https://shop-7f9c.internal.example was connected"), 40, false),
        (AnswerLoss.clientLeft, 900, false), (AnswerLoss.clientLeft, 30_000, true),
        (AnswerLoss.clientReset, 900, false), (AnswerLoss.clientReset, 30_000, true),
        (AnswerLoss.serverLeft, 40, true),
        // There is nothing to answer.
        (AnswerLoss.requestCut, 40, false), (AnswerLoss.requestCut, 30_000, false),
    ])
    func answerThatNobodySawMayHaveCome(words: String, milliseconds: Int, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.failure = words
            exchange.duration = .milliseconds(milliseconds)
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires {
            #expect(finding?.title == "The app took the request to the redirect URI and did not answer it")
        }
    }

    @Test func leavesACallbackThatAnsweredAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.failure = nil
            exchange.response = RecordedResponse(status: 502)
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesASecondTryThatGotThroughAlone() throws {
        var recording = try Recording(broken)
        var again = recording.exchanges[3]
        again.startedAt = again.startedAt + .seconds(1)
        again.failure = nil
        again.response = RecordedResponse(status: 200)
        recording.exchanges.append(again)
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesPrivateSchemesAlone() throws {
        let recording = try Recording(broken).asking("redirect_uri", "example.shop.app:/callback").editing {
            exchange in
            let move = { (text: String) in "example.shop.app:/callback?" + (RecordedURL(text).query ?? "") }
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(move(exchange.request.url.text))
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: move(location))
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        "chrome-error://chromewebdata/",
        "about:neterror?e=connectionFailure&u=https%3A//shop-7f9c.internal.example/callback",
    ])
    func knowsTheBrowsersErrorPage(url: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.url = RecordedURL(url)
        }
        #expect(recording.finding(rule)?.places.last == "3 request.url ")
    }

    @Test func leavesACaptureThatEndsBeforeAlone() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/callback" }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [("443", true), ("8443", false)])
    func aFailedConnectionIsTheCallbacksByHostAndPort(port: String, isIts: Bool) throws {
        var recording = try Recording(broken)
        recording.exchanges[3].request.method = "CONNECT"
        recording.exchanges[3].request.url = RecordedURL("https://shop-7f9c.internal.example:\(port)/")
        #expect((recording.finding(rule) != nil) == isIts)
    }

    /// A window that is closed at once, and an app whose address takes no connection.
    @Test(
        arguments: [
            "the client closed the connection before https://shop-7f9c.internal.example was connected",
            "the client reset the connection before the server answered the client's hello",
        ],
        [(900, false), (30_000, true)]
    )
    func aConnectionThatItsBrowserGaveUpCountsWhereItWaited(words: String, wait: (Int, fires: Bool)) throws {
        var recording = try Recording(broken)
        recording.exchanges[3].request.method = "CONNECT"
        recording.exchanges[3].request.url = RecordedURL("https://shop-7f9c.internal.example:443/")
        recording.exchanges[3].failure = words
        recording.exchanges[3].duration = .milliseconds(wait.0)
        let title = recording.finding(rule)?.title
        #expect(title == (wait.fires ? "The browser could not reach the redirect URI" : nil))
    }

    /// Packets know the address of a program on this machine, and a browser may try that of IPv6 before.
    @Test(arguments: [
        ("localhost", "127.0.0.1:8400", true), ("127.0.0.1", "127.0.0.1:8400", true),
        ("localhost", "[::1]:8400", false), ("localhost", "127.0.0.1:8401", false),
        ("shop.example", "127.0.0.1:8400", false),
    ])
    func aFailedConnectionToThisMachineIsTheCallbacks(host: String, address: String, isIts: Bool) throws {
        let redirect = "http://\(host):8400/"
        var exchanges = try Recording(broken).asking("redirect_uri", redirect).exchanges
        let query = exchanges[3].request.url.query ?? ""
        exchanges[2].response?.redirect(to: "\(redirect)?\(query)")
        exchanges[3].request.method = "CONNECT"
        exchanges[3].request.url = RecordedURL("https://\(address)/")
        exchanges[3].failure = "connection refused"
        #expect((Recording(exchanges).finding(rule) != nil) == isIts)
    }

    @Test func isCalledWhatItIsWhereTheConnectionStood() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response == nil { exchange.failure = "net::ERR_EMPTY_RESPONSE" }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The app took the request to the redirect URI and did not answer it")
        #expect(finding.explanation.contains("took the connection"))
        #expect(try Recording(broken).finding(rule)?.title == "The browser could not reach the redirect URI")
    }
}
