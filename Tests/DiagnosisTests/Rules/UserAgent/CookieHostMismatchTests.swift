import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct CookieHostMismatchTests {
    private let rule = "cookie-host-mismatch"
    private let broken = "user-agent/cookie-host-mismatch"

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
        #expect(finding.notes[0] == "for shop.example, not for www.shop.example")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheNearMissAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesAnAcceptedCallbackAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "/")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesACookieThatCameBackAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.append("Cookie", "shop_login=x")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsOnASanitizedCapture() throws {
        let recording = try Recording(broken).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("stripped") == true)
    }

    @Test func leavesAnotherPortAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.request.url = RecordedURL("https://www.shop.example:8443/login")
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("state-cookie-lost") != nil)
    }

    @Test func leavesADomainThatCoversBothAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.fields.removeAll { $0.name == "Set-Cookie" }
            exchange.response?.headers.append(
                "Set-Cookie",
                "shop_login=1234567890abcd; Domain=shop.example; Path=/"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func findsTheStartByTheRefererOfAPageThatGoesOnByScript() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.response?.headers.fields.removeAll { $0.name == "Location" }
                exchange.response?.redirectURL = ""
                exchange.response?.status = 200
            } else if exchange.request.url.path == "/authorize" {
                exchange.request.headers.append("Referer", "https://shop.example/")
            }
        }
        #expect(recording.finding(rule) != nil)
    }
}
