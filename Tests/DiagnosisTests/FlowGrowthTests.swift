import Captures
import Diagnosis
import Flows
import OAuth
import TestSupport
import Testing

/// A day of a busy provider: thousands of logins at one host, under way at the same time, that name no redirect URI.
struct FlowGrowthTests {
    private func capture(logins count: Int) -> Capture {
        var capture = CaptureBuilder()
        capture.step = 20
        let page = "<p>Sign in</p><form action=/login><input name=csrf value=0123456789abcdef></form>"
        for number in 0..<count {
            let state = "state-of-login-\(number)"
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop&state=\(state)",
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
                body: Body(
                    text: "{\"access_token\":\"token-\(number)\",\"token_type\":\"Bearer\"}",
                    mediaType: "application/json"
                )
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

    /// What comes back in great number within one capture, and would be compared with each of its like.
    enum Repetition: CaseIterable {
        case silentLogin
        case stayingPage
        case reload
        case answer
        case metadata
        case registration
        case logout
        case refresh
        case refusedRefresh
        case refusedCall
        case pushedLogin
        case loginWithCookie
        case refusedReload
        case errorPage
        case circle
        case redeemed
        case refusedCode
        case probedLogin
        case renewedToken
        case handedCode
        case secondTry
        case repeatedUserInfo

        fileprivate func add(_ number: Int, to capture: inout CaptureBuilder) {
            let login =
                "https://idp.example/authorize?response_type=code&client_id=shop&redirect_uri=https://app.example/cb"
            switch self {
            case .silentLogin:
                capture.redirect(
                    "\(login)&prompt=none&state=state-\(number)",
                    to: "https://app.example/cb?error=login_required&state=state-\(number)"
                )
            case .stayingPage:
                // A request that is made again and again, and never answered.
                capture.get("\(login)&state=state", body: .html("<p>Please wait</p>"))
            case .reload:
                capture.redirect("\(login)&state=state", to: "https://app.example/cb?code=code&state=state")
            case .answer:
                if number == 0 { capture.get("\(login)&state=state") }
                capture.get("https://app.example/cb?code=code-\(number)&state=other")
            case .metadata:
                capture.get("https://idp.example/.well-known/openid-configuration", body: Self.document)
                guard number % 8 == 0 else { return }
                capture.redirect(
                    "\(login)&state=state-\(number)",
                    to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                )
            case .registration:
                capture.post(
                    "https://idp.example/register",
                    [("redirect_uris", "https://app.example/cb")],
                    body: Body(text: "{\"client_id\":\"client-\(number)\"}", mediaType: "application/json")
                )
                guard number % 8 == 0 else { return }
                capture.redirect(
                    "\(login)-\(number)&state=state-\(number)",
                    to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                )
            case .logout:
                if number == 0 { Self.signIn(&capture) }
                capture.redirect(
                    "https://idp.example/logout?client_id=shop&post_logout_redirect_uri=https://app.example/bye",
                    to: "https://app.example/bye"
                )
                Self.call(&capture, 401, token: "access-0")
            case .refresh:
                if number == 0 { Self.signIn(&capture) }
                capture.get(
                    "https://idp.example/jwks",
                    headers: Self.server,
                    body: .json(#"{"keys":[{"kty":"RSA","kid":"one","n":"AQAB","e":"AQAB"}]}"#)
                )
                Self.token(
                    &capture,
                    "refresh_token",
                    ("refresh_token", "refresh-\(number)"),
                    number: number + 1
                )
            case .refusedRefresh:
                if number == 0 { Self.signIn(&capture) }
                Self.token(&capture, "refresh_token", ("refresh_token", "refresh-0"), number: nil)
            case .refusedCall:
                if number == 0 { Self.signIn(&capture) }
                Self.token(
                    &capture,
                    "refresh_token",
                    ("refresh_token", "refresh-\(number)"),
                    number: number + 1
                )
                Self.call(&capture, 401, token: "access-\(number + 1)")
            case .pushedLogin:
                let pushed = "urn:ietf:params:oauth:request_uri:\(number)"
                capture.post(
                    "https://idp.example/par",
                    [
                        ("response_type", "code"), ("client_id", "shop"),
                        ("redirect_uri", "https://app.example/cb"), ("state", "state-\(number)"),
                    ],
                    201,
                    headers: Self.server,
                    body: .json("{\"request_uri\":\"\(pushed)\",\"expires_in\":60}")
                )
                capture.redirect(
                    "https://idp.example/authorize?client_id=shop&request_uri=\(pushed)",
                    to: "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                )
            case .loginWithCookie:
                let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                capture.get(
                    "https://app.example/login",
                    302,
                    answer: [
                        ("Location", "\(login)&state=state-\(number)"),
                        ("Set-Cookie", "login=\(number); Path=/"),
                    ]
                )
                capture.redirect("\(login)&state=state-\(number)", to: answer)
                capture.get(answer, 400)
            case .refusedReload:
                capture.redirect("\(login)&state=state", to: "https://app.example/cb?code=code&state=state")
                capture.get("https://app.example/cb?code=code&state=state", 403)
            case .errorPage:
                capture.get(
                    "\(login)&state=state-\(number)",
                    400,
                    body: .html("<h1>Error</h1><p>Invalid parameter: redirect_uri</p>")
                )
            case .circle:
                let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                capture.get(
                    "https://app.example/login",
                    302,
                    answer: [
                        ("Location", "\(login)&state=state-\(number)"),
                        ("Set-Cookie", "login=\(number); Path=/"),
                    ]
                )
                capture.redirect("\(login)&state=state-\(number)", to: answer)
                capture.redirect(answer, to: "https://app.example/login")
            case .probedLogin:
                let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0")]
                capture.redirect(
                    "\(login)&prompt=none&state=probe-\(number)",
                    to: "https://app.example/cb?error=login_required&state=probe-\(number)",
                    headers: browser
                )
                capture.wait(90)
                let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
                capture.redirect("\(login)&state=state-\(number)", to: answer, headers: browser)
                capture.redirect(answer, to: "/home", headers: browser)
                Self.token(&capture, "authorization_code", ("code", "code-\(number)"), number: number)
            case .renewedToken:
                Self.token(&capture, "client_credentials", ("scope", "orders"), number: number)
                Self.call(&capture, 200, token: "access-\(number)")
                Self.call(&capture, 401, token: "access-\(number)")
            case .handedCode:
                let app = [("User-Agent", "okhttp/4.12.0")]
                capture.redirect(
                    "\(login)&state=state-\(number)",
                    to: "shop:/cb?code=code-of-\(number)&state=state-\(number)"
                )
                for path in ["signin", "news"] {
                    capture.post(
                        "https://api.example/\(path)",
                        [(path, "code-of-\(number)")],
                        headers: app,
                        body: .json("{}")
                    )
                }
            case .repeatedUserInfo:
                if number == 0 { Self.signIn(&capture) }
                for status in [503, 503, 503, 200] {
                    capture.get(
                        "https://idp.example/userinfo",
                        status,
                        headers: Self.server + [("Authorization", "Bearer access-0")],
                        body: .json(status == 200 ? #"{"sub":"alice"}"# : "{}")
                    )
                }
            case .secondTry:
                // Clients that break off at the recorder's certificate, and get through when they are started again.
                let client = ClientFacts(process: "client-\(number)", processID: Int32(number + 1))
                let host = RecordedURL("https://login.microsoftonline.com:443")
                let refused = RecordedRequest(method: "CONNECT", url: host)
                capture.add(
                    Exchange(
                        startedAt: Timestamp(seconds: 0),
                        request: refused,
                        failure: "The client does not trust the proxy's certificate (alert unknown_ca)",
                        client: client
                    )
                )
                capture.add(
                    Exchange(
                        startedAt: Timestamp(seconds: 0),
                        request: RecordedRequest(method: "GET", url: host),
                        response: RecordedResponse(status: 200),
                        client: client
                    )
                )
            case .redeemed, .refusedCode:
                let isTaken = self == .redeemed
                let answer = "https://app.example/cb?code=code-\(number)&state=state"
                capture.redirect("\(login)&state=state", to: answer)
                capture.get(answer, isTaken ? 302 : 500, answer: isTaken ? [("Location", "/home")] : [])
                Self.token(
                    &capture,
                    "authorization_code",
                    ("code", "code-\(number)"),
                    number: isTaken ? number : nil
                )
            }
        }

        private static let document = Body(
            text: """
                {"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize",\
                "token_endpoint":"https://idp.example/token","end_session_endpoint":"https://idp.example/logout",\
                "jwks_uri":"https://idp.example/jwks"}
                """,
            mediaType: "application/json"
        )

        private static let server = [("User-Agent", "shop-backend/1")]

        /// A login that goes well, with the tokens `access-0` and `refresh-0`.
        private static func signIn(_ capture: inout CaptureBuilder) {
            let answer = "https://app.example/cb?code=code&state=state"
            capture.get(
                "https://idp.example/.well-known/openid-configuration",
                headers: server,
                body: document
            )
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop"
                    + "&redirect_uri=https://app.example/cb&scope=openid&state=state",
                to: answer
            )
            capture.redirect(answer, to: "/home")
            token(&capture, "authorization_code", ("code", "code"), number: 0)
        }

        /// The token endpoint, asked for something: answered with tokens of a number, or refused where there is none.
        private static func token(
            _ capture: inout CaptureBuilder,
            _ grant: String,
            _ sent: (String, String),
            number: Int?
        ) {
            let tokens = number.map {
                """
                {"access_token":"access-\($0)","token_type":"Bearer","refresh_token":"refresh-\($0)",\
                "id_token":"\(idToken)"}
                """
            }
            capture.post(
                "https://idp.example/token",
                [("grant_type", grant), sent, ("client_id", "shop")],
                tokens == nil ? 400 : 200,
                headers: server,
                body: .json(tokens ?? #"{"error":"invalid_grant"}"#)
            )
        }

        private static let idToken =
            encoded(#"{"alg":"RS256","kid":"one"}"#) + "."
            + encoded(#"{"iss":"https://idp.example","sub":"alice","aud":"shop","iat":1780000000}"#) + ".AAAA"

        private static func call(_ capture: inout CaptureBuilder, _ status: Int, token: String) {
            capture.get(
                "https://api.example/orders",
                status,
                headers: server + [("Authorization", "Bearer \(token)")]
            )
        }
    }

    /// Eight times as many take eight times as long, sixty-four times if each were compared with all others.
    @Test(arguments: Repetition.allCases) func timeGrowsWithWhatComesAgain(_ repetition: Repetition) {
        func seconds(_ count: Int) -> Double {
            var builder = CaptureBuilder()
            for number in 0..<count { repetition.add(number, to: &builder) }
            let capture = builder.capture
            return ProcessorTime.seconds {
                for flow in FlowFinder.found(in: capture) { _ = Diagnostician.diagnose(flow) }
            }
        }
        #expect(Self.once { seconds(800) / min(seconds(100), seconds(100)) < 24 })
    }

    /// Of metadata that are read before every login each login has those that it may have read.
    @Test func aLoginHasTheMetadataNearIt() throws {
        var builder = CaptureBuilder()
        for number in 0..<400 { Repetition.metadata.add(number, to: &builder) }
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
