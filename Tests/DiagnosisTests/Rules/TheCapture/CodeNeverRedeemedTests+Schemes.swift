import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// What the redirect URI of an app shows of why nobody used the code.
extension CodeNeverRedeemedTests {
    /// The login in which the app is to be called at `uri`, by a browser that says what it is; `isPage` where the provider does so by a
    /// page.
    private func login(at uri: String, by agent: String, isPage: Bool = false) throws -> Recording {
        try Recording(broken).asking("redirect_uri", uri).editing { exchange in
            guard ["/authorize", "/sign-in"].contains(exchange.request.url.path) else { return }
            exchange.request.headers.replace("User-Agent", with: agent)
            guard exchange.request.url.path == "/sign-in", let location = exchange.response?.location else {
                return
            }
            let target = location.replacing("example.shop.app:/oauth2redirect", with: uri)
            exchange.response?.redirect(to: target)
            guard isPage else { return }
            exchange.response?.status = 200
            exchange.response?.headers.remove("Location")
            exchange.response?.redirectURL = ""
            exchange.response?.body = Body(
                text: "<html><script>window.location.replace(\"\(target)\")</script></html>",
                mediaType: "text/html"
            )
        }
    }

    private static let android =
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36"
    private static let iPhone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1"

    /// Android compares schemes letter by letter, and browsers write them in lower case.
    @Test(arguments: [
        ("Example.Shop.App:/oauth2redirect", android, true),
        ("Example.Shop.App:/oauth2redirect", iPhone, false),
        ("example.shop.app:/OAuth2Redirect", android, false),
    ])
    func tellsOfCapitalsInTheScheme(uri: String, agent: String, tells: Bool) throws {
        let finding = try #require(login(at: uri, by: agent).finding(rule))
        #expect(finding.fix.contains("lower case") == tells)
        #expect(finding.places.contains("1 request.query redirect_uri") == tells)
        #expect(finding.variant == "app")
    }

    /// An address without a slash has no path to know it by.
    @Test(arguments: [
        ("example.shop.app:oauth2redirect", iPhone, true),
        ("example.shop.app:oauth2redirect", android, false),
        ("example.shop.app://oauth2redirect", iPhone, false),
    ])
    func tellsOfASchemeWithoutSlash(uri: String, agent: String, tells: Bool) throws {
        let finding = try #require(login(at: uri, by: agent).finding(rule))
        #expect(finding.fix.contains("with a slash") == tells)
        #expect(finding.notes.contains("no slash behind the scheme") == tells)
    }

    /// Chrome on Android opens no app from a page by itself.
    @Test(arguments: [(android, true, true), (android, false, false), (iPhone, true, false)])
    func tellsOfAPageThatIsToOpenTheApp(agent: String, isPage: Bool, tells: Bool) throws {
        let recording = try login(at: "example.shop.app:/oauth2redirect", by: agent, isPage: isPage)
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("for the user to tap") == tells)
    }

    /// What an app has to do for its answer to arrive differs by system.
    @Test(arguments: [
        (iPhone, "callbackURLScheme"), (android, "appAuthRedirectScheme"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "the router"),
    ])
    func saysWhatTheSystemWants(agent: String, words: String) throws {
        let finding = try #require(login(at: "example.shop.app:/oauth2redirect", by: agent).finding(rule))
        for other in ["callbackURLScheme", "appAuthRedirectScheme", "the router"] {
            #expect(finding.fix.contains(other) == (other == words))
        }
    }

    /// The browser itself found nothing to open the address with; one without a window says so of any.
    @Test(arguments: [
        (android, "net::ERR_UNKNOWN_URL_SCHEME", true), (android, "net::ERR_ABORTED", false),
        ("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/138.0.0.0", "net::ERR_UNKNOWN_URL_SCHEME", false),
    ])
    func saysThatNothingTakesTheScheme(agent: String, failure: String, fires: Bool) throws {
        var recording = try login(at: "example.shop.app:/oauth2redirect", by: agent)
        let location = try #require(recording.exchanges[2].response?.location)
        var landing = recording.exchanges[2]
        landing.startedAt = landing.endedAt
        landing.request = RecordedRequest(
            method: "GET",
            url: RecordedURL(location),
            headers: HeaderFields([("User-Agent", agent)])
        )
        landing.response = nil
        landing.failure = failure
        recording.exchanges.insert(landing, at: 3)
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "No app on the device takes the redirect URI's scheme") == fires)
        #expect(finding.places.contains("3 response.status ") == fires)
        #expect(finding.isPrimary && recording.outcomes == [.incomplete])
    }
}
