import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

/// What a file without a single request that has a cookie shows: that none was sent, or that none was kept.
extension StateCookieLostTests {
    /// As recorders do that keep the cookies that are set and not those that are sent.
    private func withoutSentCookies() throws -> Recording {
        try Recording(broken).editing { exchange in
            exchange.request.headers.remove("Cookie")
            exchange.request.listedCookies = []
        }
    }

    /// The provider's sign-in went on without the cookie that it had set.
    @Test func abstainsWhereSentCookiesAreLeftOut() throws {
        let recording = try withoutSentCookies()
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("may not have been recorded") == true)
        // One that saw another connection saw nothing of these.
        var other = recording.exchanges[0]
        other.request.url = RecordedURL("https://api.other.example/health")
        other.response = RecordedResponse(status: 200)
        other.client.address = "127.0.0.1:50000"
        #expect(Recording(recording.exchanges + [other]).finding(rule) == nil)
        // Of a recorder that saw the connections, none is none.
        #expect(
            recording.editing { $0.client.address = "127.0.0.1:50000" }.finding(rule)?.isPrimary == true
        )
    }

    /// A browser that is new to both, and has nothing to send but the cookie that got lost.
    @Test(arguments: [nil, "; Path=/authorize; Secure", "; Path=/; Max-Age=100; Secure", "; Path=/; Secure"])
    func aFileWhoseOnlyCookiesAreSetIsNotSanitized(attributes: String?) throws {
        let recording = try withoutSentCookies().editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.headers.remove("Set-Cookie")
            exchange.response?.listedCookies = []
            if let attributes { exchange.response?.headers.append("Set-Cookie", "harbour=1234\(attributes)") }
        }
        let isLeftOut = attributes == "; Path=/; Secure"
        #expect(recording.finding(rule)?.isPrimary == (isLeftOut ? nil : true))
        #expect(recording.finding("capture-sanitized") == nil)
        #expect(recording.outcomes == [.failure])
        // The log of an app's own client does not know what its jar adds.
        var log = Capture(recording.exchanges)
        log.creator = ("OkHttp", "")
        let findings = FlowFinder.flows(in: log).flatMap { Diagnostician.diagnose($0).findings }
        #expect(!findings.contains { $0.rule == rule })
    }

    /// What another host of the site set comes back where its Domain has the callback's host, and never came there else.
    @Test(arguments: [("; Domain=shop.example", true), ("", false)])
    func cookieOfAnotherHostIsMissedByItsDomain(domain: String, fires: Bool) throws {
        var recording = try Recording(broken).answering("/login", header: "Set-Cookie", nil)
        var first = recording.exchanges[0]
        first.startedAt = first.startedAt - .milliseconds(100)
        first.request.url = RecordedURL("https://app.shop.example/sign-in")
        first.response = RecordedResponse(
            status: 302,
            headers: HeaderFields([
                ("Set-Cookie", "app_login=0r5TiqTlATBbNPg5VrJLDG; Path=/; Secure" + domain)
            ])
        )
        first.response?.redirect(to: recording.exchanges[0].request.url.text)
        recording.exchanges.insert(first, at: 0)
        #expect((recording.finding("state-cookie-lost") != nil) == fires)
    }
}
