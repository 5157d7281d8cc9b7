import Captures
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// What comes back in great number within one capture takes time in proportion to its number.
struct RepeatedMessagesTests {
    enum Repetition: CaseIterable {
        /// A redirect loop whose every round has a challenge and a verifier of its own.
        case roundWithVerifier
        /// One whose rounds all have the same.
        case roundWithOneVerifier
        /// One whose every round leads over a page of the provider's.
        case roundWithPage
        case frontChannelLogout
        case stepUp
        case longRequestObject

        private static let browser = [("User-Agent", "Mozilla/5.0")]
        private static let backend = [("User-Agent", "shop-backend/1.0")]

        fileprivate func capture(_ count: Int) -> Capture {
            var capture = CaptureBuilder()
            if self == .longRequestObject {
                Self.push(&capture, count * 40)
            } else {
                for number in 0..<count { add(number, to: &capture) }
                if self == .frontChannelLogout {
                    for number in 0..<count { Self.leave(number, &capture) }
                }
            }
            return capture.capture
        }

        private func add(_ number: Int, to capture: inout CaptureBuilder) {
            let round = self == .roundWithOneVerifier ? 0 : number
            let verifier = "verifier-of-round-\(round)-0123456789-0123456789-01234"
            let login =
                "https://idp.example/authorize?response_type=code&client_id=shop&redirect_uri=https://app.example/cb"
                + "&state=state-\(number)&code_challenge_method=S256&code_challenge="
                + CodeChallenge.s256(of: verifier)
            let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
            capture.redirect("https://app.example/login", to: login, headers: Self.browser)
            let page = self == .roundWithPage ? "https://idp.example/step?number=\(number)" : nil
            capture.redirect(login, to: page ?? answer, headers: Self.browser)
            if let page { capture.redirect(page, to: answer, headers: Self.browser) }
            let isLoop = [.roundWithVerifier, .roundWithOneVerifier, .roundWithPage].contains(self)
            let end = isLoop ? "/login" : "/home"
            capture.redirect(answer, to: end, headers: Self.browser)
            capture.post(
                "https://idp.example/token",
                [
                    ("grant_type", "authorization_code"), ("code", "code-\(number)"), ("client_id", "shop"),
                    ("code_verifier", verifier),
                ],
                headers: Self.backend,
                body: .json(
                    """
                    {"access_token":"access-\(number)","token_type":"Bearer","id_token":"\(idToken(number))"}
                    """
                )
            )
            guard self == .stepUp else { return }
            capture.get(
                "https://api.example/orders",
                401,
                headers: Self.backend + [("Authorization", "Bearer access-\(number)")],
                answer: [("WWW-Authenticate", #"Bearer error="insufficient_user_authentication""#)]
            )
        }

        private func idToken(_ number: Int) -> String {
            Self.token(
                #"{"iss":"https://idp.example","aud":"shop","sub":"user-\#(number)","sid":"session-\#(number)"}"#
            )
        }

        private static func token(_ claims: String) -> String {
            let header = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8))
            return "\(header).\(Base64URL.encode(Array(claims.utf8))).c2lnbmF0dXJl"
        }

        private static func leave(_ number: Int, _ capture: inout CaptureBuilder) {
            capture.get(
                "https://app.example/bye?iss=https%3A%2F%2Fidp.example&sid=session-\(number)",
                headers: browser,
                body: .html("bye")
            )
        }

        /// A pushed request with so many parameters, and as many more in its request object.
        private static func push(_ capture: inout CaptureBuilder, _ count: Int) {
            let claims = (0..<count).map { #""claim-\#($0)":1"# }.joined(separator: ",")
            let form = [("client_id", "shop"), ("request", token("{\(claims)}"))]
            capture.post(
                "https://idp.example/par",
                form + (0..<count).map { ("parameter-\($0)", "1") },
                201,
                headers: backend,
                body: .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:one","expires_in":60}"#)
            )
            capture.get(
                "https://idp.example/authorize?client_id=shop&request_uri=urn:ietf:params:oauth:request_uri:one",
                headers: browser
            )
        }
    }

    /// Each of the rounds' verifiers is that of all challenges.
    @Test func aVerifierIsLinkedToTheLastChallengesBeforeIt() {
        let flows = FlowFinder.flows(in: Repetition.roundWithOneVerifier.capture(40))
        #expect(flows.count == 1)
        let links = flows.flatMap(\.links).filter { $0.transform == .s256 }
        #expect(links.count == (1...40).reduce(0) { $0 + min($1, 16) })
    }

    /// Eight times as many take eight times as long, sixty-four times if each were compared with all others.
    @Test(arguments: Repetition.allCases) func timeGrowsWithTheirNumber(_ repetition: Repetition) {
        func seconds(_ count: Int) -> Double {
            let capture = repetition.capture(count)
            return ProcessorTime.seconds { _ = FlowFinder.flows(in: capture) }
        }
        // What others do on this processor makes memory slower, and never faster.
        #expect((0..<3).contains { _ in seconds(800) / min(seconds(100), seconds(100)) < 24 })
    }
}
