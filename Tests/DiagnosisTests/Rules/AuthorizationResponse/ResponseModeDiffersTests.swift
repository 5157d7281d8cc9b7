import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct ResponseModeDiffersTests {
    private let rule = "response-mode-differs"
    private let broken = "authorization-response/response-mode-differs"

    private func asking(_ type: String, _ mode: String?, _ path: String = "healthy/web-code-flow") throws
        -> Recording
    {
        try Recording(path).asking("response_type", type).asking("response_mode", mode)
    }

    /// The answer in the fragment instead of the query.
    private func inFragment(_ recording: Recording) -> Recording {
        recording.editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(exchange.request.url.withoutQuery)
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                let url = RecordedURL(location)
                exchange.response?.redirect(to: url.withoutQuery + "#" + (url.query ?? ""))
            }
        }
    }

    @Test func showsBothModes() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query response_mode", "3 request.query "])
        #expect(finding.notes == ["came as query"])
        #expect(recording.outcomes == [.failure])
    }

    /// A token alone is no answer to recognise a login by where it stands in a query; to one that asked for it it is.
    @Test(arguments: [("token", 200, true), ("token", 400, true), ("code", 200, false)])
    func judgesATokenInTheQuery(type: String, status: Int, fires: Bool) throws {
        let answer = "access_token=5a6xGzJUtfxUYRIXglaoqNP6&token_type=Bearer&expires_in=300&state="
        var target = ""
        let recording = try Recording("security-practice/implicit-flow").asking("response_type", type)
            .editing { exchange in
                if let location = exchange.response?.location, RecordedURL(location).path == "/landing" {
                    let state = RecordedURL(location).fragmentItems.first("state") ?? ""
                    target = "https://www.shop.example/landing?" + answer + state
                    exchange.response?.redirect(to: target)
                }
                guard exchange.request.url.path == "/landing" else { return }
                exchange.request.url = RecordedURL(target)
                exchange.response?.status = status
            }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(!fires || finding?.severity == (status == 400 ? .error : .warning))
        #expect(!fires || finding?.evidence.last?.value == "access_token, token_type, expires_in, state")
    }

    /// What an app sends to itself, or a server that is both of them, is no answer of a provider's.
    @Test(arguments: [
        ("https://www.shop.example/landing", "https://www.shop.example/landing", "token_type", true),
        ("https://www.shop.example/landing", "https://www.shop.example/landing", "type", false),
        ("https://www.shop.example/landing", "https://www.shop.example/other", "token_type", false),
        ("https://id.harbour.example/landing", "https://id.harbour.example/landing", "token_type", false),
    ])
    func leavesATokenThatIsNoAnswerAlone(asked: String, target: String, name: String, fires: Bool) throws {
        let recording = try Recording("security-practice/implicit-flow").asking("response_type", "token")
            .asking("redirect_uri", asked).editing { exchange in
                guard let location = exchange.response?.location, RecordedURL(location).path == "/landing"
                else { return }
                let state = RecordedURL(location).fragmentItems.first("state") ?? ""
                exchange.response?.redirect(
                    to: "\(target)?access_token=5a6xGzJUtfxUYRIXglaoqNP6&\(name)=Bearer&state=\(state)"
                )
            }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func appThatReadTheOtherPlaceIsNotSaidToLookElsewhere() throws {
        let recording = try asking("code", "form_post")
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning && finding.explanation.contains("read it there"))
        let other = recording.sending("code", "another-code-0123456789").finding(rule)
        #expect(other?.explanation.contains("read it there") == false)
        #expect(try Recording(broken).finding(rule)?.explanation.contains("read it there") == false)
    }

    @Test(arguments: [
        ("code", "fragment", true), ("code", "query.jwt", true), ("code", "jwt", true),
        ("code id_token", nil, true), ("code id_token", "query", true), ("code", nil, false),
        ("code", "query", false), ("code", "web_message", false), ("code", "okta_post_message", false),
    ])
    func judgesAnAnswerInTheQuery(type: String, mode: String?, fires: Bool) throws {
        let recording = try asking(type, mode)
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding(rule)?.severity ?? .warning == .warning)
    }

    @Test(arguments: [
        ("code", "fragment", false), ("code id_token", nil, false), ("code", "query", true),
        ("code id_token", "form_post", true), ("code", nil, false),
    ])
    func judgesAnAnswerInTheFragment(type: String, mode: String?, fires: Bool) throws {
        #expect(try (inFragment(asking(type, mode)).finding(rule) != nil) == fires)
    }

    /// What is forbidden to a token beside the code is the query alone.
    @Test func leavesAFormThatNobodyAskedForAlone() throws {
        let recording = try asking("code id_token", nil).editing { exchange in
            let url = exchange.request.url
            if url.path == "/callback" {
                exchange.request.method = "POST"
                exchange.request.url = RecordedURL(url.withoutQuery)
                exchange.request.body = Body(text: url.query ?? "", mediaType: FormBody.mediaType)
                exchange.request.headers.append("Origin", "https://id.harbour.example")
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response = RecordedResponse(status: 200, body: .html("<title>On the way</title>"))
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
    }

    @Test func codeInTheFragmentThatNobodyAskedForAndFindsIsTold() throws {
        let recording = try inFragment(Recording(broken).asking("response_mode", nil))
        #expect(recording.finding(rule)?.severity == .error)
    }

    @Test func leavesErrorsAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            let change = { (url: String) in
                Recording.changing(Recording.changing(url, "code", nil), "error", "invalid_request")
            }
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(change(exchange.request.url.text))
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: change(location))
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsOnWhatAPageMayHaveReadFromTheFragment() throws {
        let recording = try asking("code", "fragment").without { $0.request.url.path == "/sign-in" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A page that posts to its server what it read in the fragment.
    private func postingTheFragment(from origin: String? = nil) throws -> Recording {
        var recording = inFragment(try asking("code id_token", "fragment"))
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let location = try #require(
            recording.exchanges.compactMap { $0.response?.location }.first { $0.contains("/callback#") }
        )
        var post = recording.exchanges[index]
        post.request.method = "POST"
        post.request.body = Body(text: RecordedURL(location).fragment ?? "", mediaType: FormBody.mediaType)
        if let origin { post.request.headers.append("Origin", origin) }
        post.startedAt = recording.exchanges[index].startedAt + .milliseconds(5)
        recording.exchanges[index].response = RecordedResponse(
            status: 200,
            body: Body(text: "<script>post()</script>", mediaType: "text/html")
        )
        recording.exchanges.append(post)
        return recording
    }

    @Test func aPageThatSendsTheFragmentOnIsNoOtherMode() throws {
        let recording = try postingTheFragment()
        #expect(recording.finding(rule) == nil)
        let responses = recording.flows.flatMap(\.authorizationResponses)
        #expect(responses.map(\.callback) == [recording.exchanges.count - 1])
        #expect(responses.map(\.mode) == [.fragment])
    }

    /// The same without the redirect that brought the fragment.
    @Test(arguments: [("https://www.shop.example", false), ("https://id.harbour.example", true)])
    func aFormOfTheAppsOwnPageIsNotTheProviders(origin: String, fires: Bool) throws {
        let recording = try postingTheFragment(from: origin).without { $0.request.url.path == "/sign-in" }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) != fires)
    }

    /// The sign-in form answered with a redirect, behind which the browser does as that says.
    private func redirecting(_ status: Int, _ path: String) throws -> Recording {
        let recording = try Recording(path)
        let form = try #require(recording.exchanges.first { $0.request.url.path == "/sign-in" }?.request.body)
        return recording.editing { exchange in
            switch exchange.request.url.path {
            case "/sign-in": exchange.response?.status = status
            case "/callback" where status > 303:
                exchange.request.method = "POST"
                exchange.request.body = form
            default: break
            }
        }
    }

    @Test(arguments: [307, 308]) func tellsOfThePasswordThatARedirectSentOn(status: Int) throws {
        let recording = try redirecting(status, "authorization-response/response-mode-differs.near-miss")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.title == "The provider sent the password on to the app")
        #expect(finding.places == ["2 response.status ", "3 request.body password"])
        #expect(finding.evidence.map(\.value) == ["\(status)", "sent"])
        #expect(recording.outcomes == [.success])
    }

    /// The POST from another site is what its cookie was lost by; where the app had set none, its refusal is told with the reason.
    @Test(arguments: [true, false]) func aRedirectThatSendsTheFormOnIsTheCookiesReason(hasCookie: Bool) throws
    {
        let recording = try redirecting(307, "user-agent/callback-rejected-by-app").editing { exchange in
            switch exchange.request.url.path {
            case "/callback":
                exchange.request.headers.remove("Cookie")
                exchange.request.listedCookies = []
                exchange.response?.status = 400
            case "/login":
                exchange.response?.headers.remove("Set-Cookie")
                exchange.response?.listedCookies = []
                if hasCookie {
                    exchange.response?.headers.append(
                        "Set-Cookie",
                        "shop_login=1234567890abcd; Path=/; Secure; SameSite=Lax"
                    )
                }
            default: break
            }
        }
        let primary = try #require(recording.findings.first { $0.isPrimary })
        #expect(primary.rule == (hasCookie ? "cookie-samesite-form-post" : "callback-rejected-by-app"))
        #expect(primary.title == "The provider sent the password on to the app")
        #expect(primary.places.contains("2 response.status "))
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// A form without a password, as one for consent, is what the redirect's own rules are for.
    @Test func leavesAFormWithoutAPasswordAlone() throws {
        let path = "authorization-response/response-mode-differs.near-miss"
        let recording = try redirecting(307, path).sending("password", nil, to: "/sign-in")
            .sending("password", nil, to: "/callback").sending("user", nil, to: "/sign-in")
        #expect(recording.finding(rule) == nil)
    }

    @Test func aModeThatWasAskedForCountsBeforeTheFormThatCameAlong() throws {
        let recording = try redirecting(307, "authorization-response/response-mode-differs.near-miss")
            .asking("response_mode", "form_post")
        #expect(recording.finding(rule)?.places.first == "1 request.query response_mode")
    }

    @Test(arguments: [302, 303]) func leavesARedirectThatBecomesAGETAlone(status: Int) throws {
        #expect(
            try redirecting(status, "authorization-response/response-mode-differs.near-miss").finding(rule)
                == nil
        )
    }
}
