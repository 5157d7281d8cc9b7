import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct CookieSecureOverHTTPTests {
    private let rule = "cookie-secure-over-http"
    private let broken = "user-agent/cookie-secure-over-http"

    @Test func namesTheCookieAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.header Set-Cookie", "0 request.url ", "3 request.url ", "3 request.header Cookie",
                "3 response.status ",
            ]
        )
        #expect(finding.notes[0] == "dropped: set over http")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// A proxy in front that ended https may have said so.
    @Test func leavesAnAnswerAloneToARequestOfWhichFieldsAreNotKnown() throws {
        let recording = try Recording(broken).editing {
            if $0.response?.headers.contains("set-cookie") == true { $0.unknownFields.request = 1 }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func firesWhereTheCallbackIsPlain() throws {
        let recording = try moved(start: "https://www.shop.example", end: "http://www.shop.example")
        #expect(recording.finding(rule)?.notes[0] == "not sent over http")
    }

    @Test func leavesHTTPSAlone() throws {
        let recording = try moved(start: "https://www.shop.example", end: "https://www.shop.example")
        #expect(recording.finding(rule) == nil)
    }

    @Test func takesLoopbackForSecureButInSafari() throws {
        let local = try moved(start: "http://localhost:3000", end: "http://localhost:3000")
        #expect(local.finding(rule) == nil)
        let safari = local.editing { exchange in
            exchange.request.headers.replace(
                "User-Agent",
                with:
                    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.3 Safari/605.1.15"
            )
        }
        #expect(safari.finding(rule) != nil)
    }

    private func moved(start: String, end: String) throws -> Recording {
        try Recording(broken).asking("redirect_uri", end + "/callback").editing { exchange in
            let query = exchange.request.url.query.map { "?\($0)" } ?? ""
            if exchange.request.url.path == "/login" {
                exchange.request.url = RecordedURL(start + "/login")
            } else if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(end + "/callback" + query)
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: end + "/callback?" + (RecordedURL(location).query ?? ""))
            }
        }
    }
}
