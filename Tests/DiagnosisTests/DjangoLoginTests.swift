import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Foundation
import JSON
import TestSupport
import Testing

/// Recorded logins between two programs of Django's: the provider looks at a request only when it knows the user, and the app
/// answers everything that goes wrong with a redirect to its home page.
struct DjangoLoginTests {
    private func recording(_ name: String) throws -> Recording {
        let path = "Tests/Recordings/django-\(name).har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        return Recording(capture.indices.map { capture[$0] })
    }

    @Test(arguments: [
        (
            "redirect-uri", "redirect-uri-not-registered",
            ["1 request.query redirect_uri", "4 response.body "]
        ),
        (
            "client-id", "client-id-unknown",
            ["1 request.query client_id", "1 request.url ", "4 response.body "]
        ),
        ("pkce", "pkce-required", ["1 request.query code_challenge", "5 request.query error"]),
        (
            "cookie-lost", "state-cookie-lost",
            ["0 response.header Set-Cookie", "5 request.header Cookie", "5 response.location "]
        ),
        (
            "client-id-page", "client-id-unknown",
            ["2 request.query client_id", "2 request.url ", "2 response.body "]
        ),
        ("hs256", "id-token-alg-unexpected", ["6 jwt.header alg", "7 response.body keys"]),
        (
            "no-openid", "id-token-claims-missing",
            ["iss", "sub", "aud", "exp", "iat"].map { "6 jwt.claims \($0)" } + ["2 request.query scope"]
        ),
    ]) func causeIsNamed(name: String, rule: String, places: [String]) throws {
        let recording = try recording(name)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error && recording.outcomes == [.failure])
        #expect(finding.places == places)
    }

    /// Any word that no rule knows is told as what it is.
    @Test func refusalAfterTheSignInIsToldWithoutKnowingItsWords() throws {
        let recording = try recording("redirect-uri").editingLast("/o/authorize/") {
            $0.response?.body = .html("<h1>Error: invalid_request</h1><p>We would rather not.")
        }
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary && finding.places == ["4 response.body "])
    }

    /// The same request once more is no second one where it went well.
    @Test func requestThatWentWellWhenRepeatedIsNotRefused() throws {
        let recording = try recording("claims")
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.map(\.rule) == ["scope-reduced"])
    }

    /// Where the app did not refuse, looked for nothing, or found a key for it, HS256 is as good as another.
    @Test func secretsAlgorithmIsNoFaultByItself() throws {
        let rule = "id-token-alg-unexpected"
        let accepted = try recording("hs256").editing {
            guard $0.request.url.path == "/oidc/callback/" else { return }
            $0.response?.status = 200
            $0.response?.body = .html("<p>Hello")
        }
        #expect(accepted.finding(rule) == nil)
        #expect(try recording("hs256").without { $0.request.url.path == "/o/jwks" }.finding(rule) == nil)
        let found = try recording("hs256").editingAnswer(of: "/o/jwks") {
            $0["keys"] = .array([.object(["kty": "oct", "kid": "s"])])
        }
        #expect(found.finding(rule) == nil)
        let another = try recording("hs256").sendingHeader("User-Agent", "monitor/1", to: "/o/jwks")
        #expect(another.finding(rule) == nil)
    }

    // MARK: - Turned away

    /// The code was never used, so nothing is missing.
    @Test func codeOfOneTurnedAwayIsNotMissed() throws {
        #expect(try recording("cookie-lost").findings.map(\.rule) == ["state-cookie-lost"])
    }

    /// The app's server read the metadata and left the code alone; its cookie, set anew, is sent no more than the first one was.
    @Test func cookieThatTheBrowserDoesNotKeepIsNoSession() throws {
        let lost = try recording("cookie-lost")
        var asked = try recording("hs256").exchanges[0]
        asked.startedAt = lost.exchanges[0].startedAt
        asked.request.url = RecordedURL("http://localhost:38111/o/.well-known/openid-configuration")
        asked.response?.body = .json(
            """
            {"issuer": "http://localhost:38111/o", "authorization_endpoint": "http://localhost:38111/o/authorize/",
            "token_endpoint": "http://localhost:38111/o/token/", "jwks_uri": "http://localhost:38111/o/jwks"}
            """
        )
        let given = Recording(lost.exchanges + [asked])
            .answering("/oidc/callback/", header: "Set-Cookie", "shop_session=d1e0b7; Path=/")
        #expect(given.finding("state-cookie-lost")?.isPrimary == true && given.outcomes == [.failure])
        let kept = given.sendingHeader("Cookie", "shop_session=d1e0b7", to: "/")
        #expect(kept.finding("state-cookie-lost") == nil && kept.outcomes == [.success])
    }

    @Test func cookieOfASessionIsASession() throws {
        // Set by the answer, sent with the callback, or for nobody to see.
        let given = try recording("cookie-lost")
            .answering("/oidc/callback/", header: "Set-Cookie", "shop_session=d1e0b7; Path=/")
        #expect(given.finding("state-cookie-lost") == nil && given.outcomes == [.success])
        let sent = try recording("cookie-lost").sendingHeader(
            "Cookie",
            "remembered=4711aab0",
            to: "/oidc/callback/"
        )
        #expect(sent.outcomes == [.success])
        let unset = try recording("cookie-lost").editing {
            $0.response?.headers.remove("Set-Cookie")
            $0.response?.listedCookies = []
        }
        #expect(unset.outcomes == [.success])
    }

    @Test(arguments: ["/?session=8d1f00c2", "/#token=8d1f00c2", "https://accounts.example/home", "app:/done"])
    func whatGoesAlongMayBeASession(location: String) throws {
        let recording = try recording("cookie-lost").editingLast("/oidc/callback/") {
            $0.response?.redirect(to: location)
        }
        #expect(recording.finding("state-cookie-lost") == nil && recording.outcomes == [.success])
    }

    /// What nobody saw loaded may be a page that knows its user.
    @Test func pageThatWasNotLoadedMayKnowItsUser() throws {
        let unseen = try recording("cookie-lost").without { $0.request.url.path == "/" }
        #expect(unseen.finding("state-cookie-lost") == nil && unseen.outcomes == [.success])
        let known = try recording("cookie-lost").sendingHeader("Cookie", "shop_session=d1e0b7", to: "/")
        #expect(known.finding("state-cookie-lost") == nil && known.outcomes == [.success])
    }

    /// Ports do not keep cookies apart: those of a provider on the same machine say nothing of the app.
    @Test func cookieOfAnotherServerOnTheHostIsNoSession() throws {
        let moved = { (text: String) in
            text.replacingOccurrences(of: "localhost:38111", with: "127.0.0.1:38111")
        }
        var recording = try recording("cookie-lost").editing { exchange in
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: moved(location)) }
        }
        for path in ["/oidc/callback/", "/"] {
            recording = recording.sendingHeader("Cookie", "sessionid=skpr41e5wsbaim1gp3h1", to: path)
        }
        #expect(recording.finding("state-cookie-lost") != nil && recording.outcomes == [.failure])
        // Set by the app as well.
        let own = recording.answering(
            "/oidc/authenticate/",
            header: "Set-Cookie",
            "sessionid=skpr41e5wsbaim1gp3h1; Path=/"
        )
        #expect(own.finding("state-cookie-lost") == nil && own.outcomes == [.success])
    }

    /// Some programs that see no connections keep no cookie that is sent.
    @Test func cookiesThatNobodyKeptAreNotMissed() throws {
        let recording = try recording("cookie-lost").editing {
            $0.client.address = nil
            $0.request.headers.remove("cookie")
            $0.request.listedCookies = []
        }
        #expect(recording.outcomes == [.success])
    }

    // MARK: - Loaded again

    @Test func callbackThatIsLoadedAgainFailsNothing() throws {
        let recording = try recording("callback-again")
        #expect(recording.outcomes == [.success])
        let finding = try #require(recording.finding("callback-rejected-by-app"))
        #expect(finding.severity == .note && !finding.isPrimary)
        #expect(finding.places == ["10 response.status ", "8 response.status "])
    }

    @Test func callbackThatFailedTheFirstTimeFails() throws {
        let recording = try recording("callback-again").editing {
            if $0.response?.location == "/home" { $0.response?.status = 500 }
        }
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary == true)
    }

    // MARK: - Claims

    @Test func scopeWithoutItsClaimIsTold() throws {
        let finding = try #require(recording("claims").finding("scope-reduced"))
        #expect(finding.severity == .note && !finding.isPrimary)
        #expect(finding.places == ["1 request.query scope", "7 response.body email"])
        #expect(finding.notes.last?.contains("neither this answer (sub) nor the ID token") == true)
        #expect(finding.title.hasPrefix("A scope was granted") && !finding.fix.contains("consent page"))
    }

    @Test func claimAnywhereIsEnough() throws {
        let answered = try recording("claims").editingAnswer(of: "/o/userinfo/") { $0["email"] = "" }
        #expect(answered.finding("scope-reduced") == nil)
        let unasked = try recording("claims").without { $0.request.url.path == "/o/userinfo/" }
        #expect(unasked.finding("scope-reduced") == nil)
        let refused = try recording("claims").editingAnswer(of: "/o/token/") { $0["scope"] = "openid" }
        #expect(
            refused.finding("scope-reduced")?.places == ["1 request.query scope", "5 response.body scope"]
        )
    }
}
