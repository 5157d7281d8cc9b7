import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// An export without cookies beside a file that has some: nothing shows what was set and sent in the first.
extension CallbackRejectedByAppTests {
    @Test func tellsOfNoCookieThatMayHaveBeenLeftOut() throws {
        let recording = try Recording(broken).sanitized.imported(beside: "healthy/native-app")
        let finding = try #require(recording.finding(rule))
        #expect(!finding.explanation.contains("without setting a cookie"))
        #expect(!finding.places.contains { $0.hasSuffix("Cookie") })
        #expect(recording.finding("state-cookie-lost") == nil)
    }

    /// An app whose home is where one signs in.
    @Test func doesNotTakeALeftOutSessionForNone() throws {
        var recording = try answered { $0.redirect(to: "/login") }
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.endedAt + .milliseconds(20)
        page.request.url = page.request.url.resolving("/login")
        page.response = RecordedResponse(status: 200, body: .html("<h1>Hello"))
        recording.exchanges.append(page)
        let imported = try recording.sanitized.imported(beside: "healthy/native-app")
        #expect(imported.finding(rule) == nil)
        #expect(imported.outcomes == [.success, .success])
    }

    /// The app's proxy saw the callback, and the browser's export has the page behind it.
    @Test(arguments: [true, false]) func doesNotTakeALeftOutSessionForAForgottenOne(isStripped: Bool) throws {
        let recording = try forgetting()
        let imported = recording.imported { exchange in
            isStripped
                && (exchange.request.url.path == "/" || exchange.request.url.host == "id.harbour.example")
        }
        #expect((imported.finding(rule) == nil) == isStripped)
    }
}
