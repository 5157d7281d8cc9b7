import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct TLSClientRejectsRecorderTests {
    private let rule = "tls-client-rejects-recorder"
    private let broken = "transport/tls-client-rejects-recorder"

    @Test func namesTheHostOnceAndLeavesTheFlowIncomplete() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 tls id.harbour.example"])
        #expect(finding.notes == ["client: Shop"])
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func leavesAHostAloneThatTheClientReachedInClear() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// The app's own server, which it hands its code to; what sends telemetry is nobody's.
    @Test(arguments: [("api.shop.example", Severity.warning), ("api.segment.io", nil)])
    func serverThatTheAppPinsBehindTheLoginIsNamed(host: String, severity: Severity?) throws {
        let login = try Recording("healthy/native-app").exchanges.prefix(3)
        var refused = try #require(Recording(broken).exchanges.first)
        let end = try #require(login.last).endedAt
        refused.startedAt = end + .seconds(1)
        refused.request.url = RecordedURL("https://\(host):443/")
        let recording = Recording(login + [refused])
        #expect(recording.finding(rule)?.severity == severity)
        #expect(recording.finding(rule)?.places == severity.map { _ in ["3 tls \(host)"] })
        #expect(recording.outcomes == [.incomplete])
        // The code is seen to go to another one.
        var relay = try #require(login.first)
        let code = try #require(recording.flows.first?.authorizationResponses.first?.code)
        relay.startedAt = end + .milliseconds(300)
        relay.request.method = "POST"
        relay.request.url = RecordedURL("https://login.shop.example/session")
        relay.request.body = Body(text: "{\"code\":\"\(code)\"}", mediaType: "application/json")
        relay.response = RecordedResponse(status: 200)
        #expect(Recording(login + [refused, relay]).finding(rule) == nil)
    }

    /// One name, two processes: one was started with trust in the recorder, the other without.
    @Test(arguments: [(7, "alert unknown_ca", true), (8, "alert unknown_ca", false), (7, "it closed", false)])
    func processOfTheSameNameIsAWarning(processID: Int32, words: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            exchange.client.process = "curl"
            exchange.client.processID = exchange.request.method == "CONNECT" ? processID : 8
            if exchange.request.method == "CONNECT" {
                exchange.failure =
                    "Client TLS handshake failed. The client does not trust the proxy's certificate (\(words))"
            }
        }
        #expect(recording.finding(rule)?.severity == (fires ? .warning : nil))
        #expect(recording.outcomes.contains(.success))
    }

    private static let supposed =
        "the client closed the connection behind its TLS handshake without a request, as one that does not trust "
        + "the proxy's certificate may: openssl, process 7"

    /// A look at whether the server is there, say: it matters where the tokens were asked for by nobody.
    @Test(arguments: [("openssl", 5, nil), ("openssl", 2, Severity.warning), ("firefox", 2, nil)])
    func endBehindTheHandshakeMayBeNoRefusal(process: String, answered: Int, severity: Severity?) throws {
        var recording = try Recording(broken + ".near-miss")
        let first = try #require(recording.exchanges.firstIndex { $0.request.method == "CONNECT" })
        recording.exchanges[first].failure = Self.supposed
        recording.exchanges[first].client.process = process
        recording.exchanges[first].client.processID = 7
        let connect = recording.exchanges.remove(at: first)
        recording.exchanges.removeAll { $0.request.method == "CONNECT" }
        recording.exchanges = [connect] + recording.exchanges.prefix(answered)
        #expect(recording.finding(rule)?.severity == severity)
        #expect(
            recording.finding(rule)?.notes == severity.map { _ in ["client: openssl; others got through"] }
        )
    }

    @Test func endBehindTheHandshakeIsARefusalWhereNothingElseIsThere() throws {
        let recording = try Recording(broken).editing { $0.failure = Self.supposed }
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.finding(rule)?.places == ["0 tls id.harbour.example"])
    }

    /// Of a provider that has no part in the login that was recorded.
    @Test(arguments: [
        (supposed, false), ("The client does not trust the proxy's certificate (it closed)", true),
    ])
    func endBehindTheHandshakeOfAnotherProviderIsNoFlow(words: String, fires: Bool) throws {
        var recording = try Recording("healthy/native-app")
        var connect = try #require(Recording(broken).exchanges.first)
        connect.request.url = RecordedURL("https://accounts.google.com/")
        connect.failure = words
        recording.exchanges.append(connect)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func tellsClientsApart() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            if exchange.request.method == "CONNECT" { exchange.client.process = "java" }
        }
        #expect(recording.finding(rule)?.notes == ["client: java"])
    }

    @Test(arguments: [
        ("SSL handshake with client failed: Software caused connection abort (certificate_unknown)", true),
        ("SSL handshake with client failed: unknown_ca", true), ("SSL Handshake Failed", true),
        ("ECONNRESET", false),
        ("SSL handshake with client failed: protocol_version", false), ("net::ERR_CONNECTION_REFUSED", false),
    ])
    func knowsTheWordsOfRecorders(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in exchange.failure = words }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [
        ("gateway.icloud.example", false), ("telemetry.vendor.example", false),
        ("push.vendor.example", false), ("www.vendor.example", false),
        ("sso.vendor.example", true), ("my-idp.vendor.example", true), ("127.0.0.1", true),
        ("localhost", true), ("accounts.google.com", true),
    ])
    func tellsALoginFromTheSystemCallingHome(host: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL("https://\(host):443/")
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.flows.isEmpty == !fires)
    }

    @Test func takesTheHostsOfOneProviderTogether() throws {
        var recording = try Recording(broken)
        for (index, host) in ["accounts.google.com", "oauth2.googleapis.com", "gateway.icloud.example"]
            .enumerated()
        {
            recording.exchanges[index].request.url = RecordedURL("https://\(host)/")
        }
        #expect(recording.outcomes == [.incomplete])
        #expect(
            recording.finding(rule)?.places == ["0 tls accounts.google.com", "1 tls oauth2.googleapis.com"]
        )
    }

    @Test func anAnsweredConnectShowsNothingOfTheHost() throws {
        let recording = try Recording(broken).editing { $0.response = RecordedResponse(status: 200) }
        #expect(recording.finding(rule) != nil)
    }

    @Test func readsTheTargetOfAConnectAsItStandsOnTheWire() throws {
        let entry =
            #"{"startedDateTime":"2026-03-02T10:00:00Z","time":1,"request":{"method":"CONNECT","url":"login.microsoftonline.com:443","httpVersion":"HTTP/1.1","headers":[],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":0,"statusText":"","httpVersion":"","headers":[],"cookies":[],"content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},"timings":{"send":0,"wait":0,"receive":0},"comment":"SSL Handshake Failed"}"#
        let file =
            #"{"log":{"version":"1.2","creator":{"name":"Charles","version":"5"},"entries":["# + entry + "]}}"
        let capture = try CaptureReader.read(bytes: Array(file.utf8), name: "charles.har")
        let recording = Recording(capture.indices.map { capture[$0] })
        #expect(recording.finding(rule)?.places == ["0 tls login.microsoftonline.com"])
    }

    /// A proxy that does not know processes keeps the name that the app gives in its CONNECT.
    @Test(arguments: [("Fieldbook/412 CFNetwork/1568.300.101 Darwin/24.2.0", true), (nil, false)])
    func tellsClientsApartByTheirUserAgent(agent: String?, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            exchange.client = ClientFacts()
            guard exchange.request.method == "CONNECT" else { return }
            exchange.request.headers.remove("user-agent")
            if let agent { exchange.request.headers.append("User-Agent", agent) }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [
        ("com.google.android.gms/243333013", false), ("akd/1.0 CFNetwork/1568 Darwin/24.5.0", false),
        ("Shop/4.2 CFNetwork/1568 Darwin/24.5.0", true),
    ])
    func servicesOfTheDevicesSystemAreNoLogin(agent: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL("https://accounts.google.com:443/")
            exchange.request.headers.replace("User-Agent", with: agent)
        }
        #expect(recording.finding(rule) != nil)
        let beside = try Recording(
            recording.exchanges
                + Recording("healthy/native-app").exchanges.map { exchange in
                    var exchange = exchange
                    exchange.request.url = RecordedURL(
                        exchange.request.url.text.replacing("id.harbour.example", with: "sso.other.example")
                    )
                    return exchange
                }
        )
        #expect((beside.finding(rule) != nil) == fires)
    }
}
