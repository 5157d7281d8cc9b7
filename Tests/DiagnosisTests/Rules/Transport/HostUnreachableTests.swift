import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct HostUnreachableTests {
    private let rule = "host-unreachable"
    private let broken = "transport/host-unreachable"

    @Test func tellsTheAddressOnce() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 request.url ", "4 tls id.harbour.example"])
        #expect(finding.evidence[0].value == "https://id.harbour.example/token")
        #expect(recording.outcomes == [.failure])
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
        ("NSURLErrorDomain -999", false), ("NSURLErrorDomain -1005", false), ("ERR_BLOCKED_BY_CLIENT", false),
        ("NS_BINDING_ABORTED", false), ("ECONNRESET", false),
    ])
    func knowsTheWords(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = words }
        }
        #expect((recording.finding(rule) != nil) == fires)
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
}
