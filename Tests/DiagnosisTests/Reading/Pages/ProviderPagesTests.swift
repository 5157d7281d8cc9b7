import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// A provider that has its sign-in at an address of its own, as Hydra does, and where an app is answered.
struct ProviderPagesTests {
    private static let places = [
        ("https://id.example:4444", "https://pages.example:3000", "https://app.example:5555"),
        ("https://dev.example:4444", "https://dev.example:3000", "https://dev.example:5555"),
    ]

    private static func request(to provider: String, answeredAt app: String) -> String {
        provider + "/authorize?"
            + FormBody.encode([
                ("client_id", "shop"), ("response_type", "code"), ("redirect_uri", app + "/cb"),
                ("state", "s-Kq2vLx7TzB4nWm8R"),
            ])
    }

    @Test(arguments: places, [(500, "provider-server-error"), (429, "rate-limited")])
    func signInAtAnotherPortIsTheProviders(
        place: (provider: String, pages: String, app: String),
        failure: (status: Int, rule: String)
    ) throws {
        let asked = Self.request(to: place.provider, answeredAt: place.app)
        var capture = CaptureBuilder()
        capture.redirect(place.app + "/login", to: asked)
        capture.redirect(asked, to: place.pages + "/login?challenge=c1")
        let form =
            #"<form method="post" action="/login"><input name="user"><input type="password" name="password"></form>"#
        capture.get(place.pages + "/login?challenge=c1", body: .html(form))
        capture.post(
            place.pages + "/login",
            [("user", "alice"), ("password", "wrong")],
            failure.status,
            body: .html("<h1>Sorry</h1>")
        )
        let recording = Recording(capture.exchanges)
        let finding = try #require(recording.finding(failure.rule))
        #expect(finding.isPrimary && finding.places.first == "3 response.status ")
        #expect(recording.outcomes == [.failure])
    }

    /// What the user may not do is told on a page of the provider's, which the capture does not have.
    @Test(arguments: places) func errorPageAtAnotherPortIsTheProviders(
        place: (provider: String, pages: String, app: String)
    ) throws {
        let asked = Self.request(to: place.provider, answeredAt: place.app)
        var capture = CaptureBuilder()
        capture.redirect(place.app + "/login", to: asked)
        capture.redirect(asked, to: place.pages + "/error?error=access_denied&error_description=Not+assigned")
        let recording = Recording(capture.exchanges)
        #expect(recording.finding("authorization-error")?.places == ["1 response.location error"])
        #expect(recording.outcomes == [.failure])
    }
}
