import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct InsecureEndpointTests {
    private let rule = "insecure-endpoint"
    private let broken = "transport/insecure-endpoint"

    @Test func tellsTheEndpoint() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.evidence.map(\.value) == ["http://id.harbour.example/token"])
        #expect(finding.notes == ["token request"])
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesAnUpgradeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func anUpgradeComesTooLateForASecret() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.scheme == "http" else { return }
            exchange.request.headers.append("Authorization", "Basic eDp5")
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test(arguments: [
        ("localhost:8080", false), ("127.0.0.1:8080", false), ("[::1]:8080", false),
        ("id.localhost", false), ("192.168.1.4", true), ("keycloak:8080", true),
    ])
    func exemptsTheMachineItself(host: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.scheme == "http" else { return }
            exchange.request.url = RecordedURL("http://\(host)/token")
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [("id.harbour.example", true), ("localhost", false)])
    func tellsOfAPasswordInClear(host: String, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if fires, exchange.request.url.path == "/sign-in" {
                exchange.request.url = RecordedURL("http://\(host)/sign-in")
            } else if !fires {
                exchange.request.url = RecordedURL(
                    exchange.request.url.text.replacing("https://id.harbour.example", with: "http://\(host)")
                )
                if let location = exchange.response?.location {
                    exchange.response?.redirect(
                        to: location.replacing("https://id.harbour.example", with: "http://\(host)")
                    )
                }
            }
        }
        let finding = recording.finding(rule)
        #expect(finding?.notes == (fires ? ["sign-in form with a secret"] : nil))
    }
}
