import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// A day of a busy provider: thousands of logins at one host, under way at the same time, that name no redirect URI.
struct FlowGrowthTests {
    /// `state`: the one of all; one for each by default.
    private func capture(logins count: Int, state one: String? = nil) -> Capture {
        var capture = CaptureBuilder()
        capture.step = 20
        let page = "<p>Sign in</p><form action=/login><input name=csrf value=0123456789abcdef></form>"
        for number in 0..<count {
            let state = one ?? "state-of-login-\(number)"
            let rest = one == nil ? "" : "&nonce=nonce-\(number)&redirect_uri=https://app.example/cb"
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop&state=\(state)\(rest)",
                to: "https://idp.example/login?sid=session-\(number)-of-many"
            )
            capture.get(
                "https://idp.example/login?sid=session-\(number)-of-many",
                body: Body(text: page, mediaType: "text/html")
            )
            capture.redirect(
                "https://idp.example/consent?sid=other-\(number)-of-many",
                to: "https://app.example/cb?code=code-\(number)&state=\(state)"
            )
            capture.post(
                "https://idp.example/token",
                [("grant_type", "authorization_code"), ("code", "code-\(number)"), ("client_id", "shop")],
                body: .json("{\"access_token\":\"token-\(number)\",\"token_type\":\"Bearer\"}")
            )
        }
        return capture.capture
    }

    /// Whether it holds in one of three measurements: what others do on this processor meanwhile makes memory slower, and never
    /// faster.
    private static func once(_ holds: () -> Bool) -> Bool { (0..<3).contains { _ in holds() } }

    private static let few = 250
    private static let many = 4000

    /// Sixteen times as many take sixteen times as long, two hundred and fifty-six times if each looked at all others.
    @Test func timeGrowsWithTheLogins() {
        func seconds(_ count: Int) -> Double {
            let capture = capture(logins: count)
            return ProcessorTime.seconds { #expect(FlowFinder.flows(in: capture).count == count) }
        }
        #expect(Self.once { seconds(Self.many) / min(seconds(Self.few), seconds(Self.few)) < 40 })
    }

    /// Eight times as many take eight times as long, sixty-four times if each answer were held against all logins of its state.
    @Test func timeGrowsWithTheLoginsOfOneState() {
        func seconds(_ count: Int) -> Double {
            let capture = capture(logins: count, state: "always")
            return ProcessorTime.seconds { #expect(FlowFinder.flows(in: capture).count == count) }
        }
        #expect(Self.once { seconds(8 * Self.few) / min(seconds(Self.few), seconds(Self.few)) < 20 })
    }

    /// As long for each login among many as among few.
    @Test func rulesDoNotLookAtAllOthers() {
        func seconds(_ count: Int) -> Double {
            let flows = FlowFinder.flows(in: capture(logins: count)).prefix(200)
            // What is read once for all.
            for flow in flows.prefix(1) { _ = Diagnostician.diagnose(flow) }
            return (0..<3).map { _ in
                ProcessorTime.seconds { for flow in flows.dropFirst() { _ = Diagnostician.diagnose(flow) } }
            }.min() ?? 0
        }
        #expect(Self.once { seconds(Self.many) / seconds(Self.few) < 1.8 })
    }

    /// As long for each login among key sets of many keys as of few, though none has its token's: keys are looked up by their id.
    @Test func rulesDoNotLookAtAllKeys() throws {
        let rule = try #require(RuleCatalog.rules.first { type(of: $0).info.id == "id-token-kid-unknown" })
        func seconds(_ keys: Int) -> Double {
            let set = (0..<keys).map { #"{"kty":"RSA","kid":"other-\#($0)","n":"AQAB","e":"AQAB"}"# }
                .joined(separator: ",")
            var capture = CaptureBuilder()
            for number in 0..<40 {
                let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                capture.redirect("\(Repetition.login)&state=state-\(number)", to: answer)
                capture.redirect(answer, to: "/home")
                Repetition.token(
                    &capture,
                    "authorization_code",
                    ("code", "code-\(number)"),
                    number: number
                )
                capture.get(
                    "https://idp.example/jwks",
                    headers: Repetition.server,
                    body: .json("{\"keys\":[\(set)]}")
                )
            }
            let flows = FlowFinder.flows(in: capture.capture)
            #expect(flows.count == 40)
            // What is read once for all is read here.
            for flow in flows {
                guard case .violated = rule.verdict(on: flow) else {
                    Issue.record("the key is not missed")
                    continue
                }
            }
            return (0..<3).map { _ in
                ProcessorTime.seconds { for flow in flows { _ = rule.verdict(on: flow) } }
            }.min() ?? 0
        }
        #expect(Self.once { seconds(400) / seconds(2) < 5 })
    }

    /// Eight times as many take eight times as long, sixty-four times if each were compared with all others.
    @Test(arguments: Repetition.all) func timeGrowsWithWhatComesAgain(_ repetition: Repetition) {
        func seconds(_ count: Int) -> Double {
            var builder = CaptureBuilder()
            for number in 0..<count { repetition.add(number, &builder) }
            let capture = builder.capture
            return ProcessorTime.seconds {
                for flow in FlowFinder.found(in: capture) { _ = Diagnostician.diagnose(flow) }
            }
        }
        #expect(Self.once { seconds(400) / min(seconds(50), seconds(50)) < 24 })
    }

    /// Of metadata that are read before every login each login has those that it may have read.
    @Test func aLoginHasTheMetadataNearIt() throws {
        var builder = CaptureBuilder()
        for number in 0..<400 { Repetition.metadata.add(number, &builder) }
        let flows = FlowFinder.flows(in: builder.capture)
        #expect(flows.count == 50)
        for flow in flows {
            let request = try #require(flow.authorizationRequests.first).exchange
            // The one right before the login is among them.
            #expect(flow.exchanges.contains(request - 1))
            #expect(flow.exchanges.count <= 10)
        }
    }

    @Test func pagesAreOfTheLoginWhoseValuesTheyCarry() {
        let flows = FlowFinder.flows(in: capture(logins: 40))
        #expect(flows.count == 40)
        for flow in flows { #expect(flow.exchanges.prefix(2) == [flow.exchanges[0], flow.exchanges[0] + 1]) }
    }
}
