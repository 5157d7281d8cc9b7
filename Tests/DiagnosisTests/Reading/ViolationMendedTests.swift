import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// A first try that the provider refused on a page, and the next one of the same login, with something else in it.
struct ViolationMendedTests {
    private func recording(_ name: String, _ value: String?, saying words: String) throws -> Recording {
        var recording = try Recording("healthy/web-code-flow")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var first = recording.exchanges[index]
        first.startedAt = first.startedAt + .seconds(-600)
        first.response = RecordedResponse(status: 400, body: Body(text: words, mediaType: "text/html"))
        first = try #require(Recording([first]).asking(name, value).exchanges.first)
        recording.exchanges.insert(first, at: 0)
        return recording
    }

    private let unregistered = "<title>Error</title>redirect_uri_mismatch: not registered"

    @Test func isNoRootOfALoginThatWentWell() throws {
        let recording = try recording("redirect_uri", "https://www.shop.example/cb", saying: unregistered)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding("redirect-uri-not-registered")?.severity == .note)
        #expect(recording.findings.filter { $0.severity == .error }.map(\.rule) == [])
    }

    /// What the second try met with is told, and not what the first did.
    @Test func isNoRootOfWhatBrokeTheNextTry() throws {
        let recording = try recording("redirect_uri", "https://www.shop.example/cb", saying: unregistered)
            .answering("/token", 400, ["error": "invalid_grant"])
        #expect(recording.outcomes == [.failure])
        let finding = try #require(recording.finding("redirect-uri-not-registered"))
        #expect(finding.severity == .note)
        #expect(finding.notes.contains("the next try of this login, which the provider took"))
        #expect(recording.finding("token-invalid-grant")?.isPrimary == true)
    }

    /// A try that was not answered either leaves the first as it is, and so does another login.
    @Test(arguments: [true, false]) func staysWhereNoNextTryOfTheLoginWasTaken(isOther: Bool) throws {
        var recording = try recording("redirect_uri", "https://www.shop.example/cb", saying: unregistered)
        if isOther {
            recording.exchanges[0].request.url = RecordedURL(
                recording.exchanges[0].request.url.text.replacing("state=", with: "state=another-")
            )
        } else {
            recording.exchanges.removeLast(recording.exchanges.count - 4)
        }
        #expect(recording.finding("redirect-uri-not-registered")?.severity == .error)
    }

    /// A client that has one state for all of its logins has it in the browsers of all of its users.
    @Test func staysWhereTheNextTryIsAnotherBrowsers() throws {
        var recording = try recording("redirect_uri", "https://www.shop.example/cb", saying: unregistered)
        recording.exchanges[0].request.headers.replace(
            "User-Agent",
            with:
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36"
        )
        #expect(recording.finding("redirect-uri-not-registered")?.severity == .error)
    }
}
