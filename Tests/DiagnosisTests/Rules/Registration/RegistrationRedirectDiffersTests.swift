import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct RegistrationRedirectDiffersTests {
    private let rule = "registration-redirect-differs"
    private let broken = "registration/registration-redirect-differs"

    @Test func showsBothAndTheFirstDifference() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 response.body redirect_uris", "2 request.query redirect_uri"])
        #expect(finding.notes.last?.hasPrefix("differs from character 19 on") == true)
        #expect(recording.outcomes == [.failure])
    }

    @Test func thePortOfALoopbackAddressIsFree() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback", false),
        ("http://[::1]/callback", "http://[::1]:1/callback", false),
        ("http://localhost/callback", "http://localhost:1/callback", true),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback/", true),
        ("http://127.0.0.1/callback", "https://127.0.0.1:1/callback", true),
        ("https://app.example/callback", "https://app.example:8443/callback", true),
        ("https://app.example/Callback", "https://app.example/callback", true),
        ("https://app.example/callback", "https://app.example/callback", false),
    ])
    func comparesStrings(registered: String, used: String, fires: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") {
            $0["redirect_uris"] = .array([.string(registered)])
        }.asking("redirect_uri", used)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func isAWarningWhereTheProviderAcceptedIt() throws {
        let recording = try Recording(broken + ".near-miss").editingAnswer(of: "/register") {
            $0["redirect_uris"] = ["http://127.0.0.1/other"]
        }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test func readsTheRequestWhereTheAnswerIsSilent() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") { $0["redirect_uris"] = nil }
        #expect(recording.finding(rule)?.places.first == "1 request.body redirect_uris")
    }

    @Test func saysNothingOfAClientThatWasNotRegisteredHere() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") { $0["client_id"] = "another" }
        #expect(recording.finding(rule) == nil)
    }

    /// RFC 7592, section 2.2: a change puts a new list in place of the old one.
    @Test func theListThatWasRegisteredLastCounts() throws {
        let recording = try Recording(broken)
        let request = recording.exchanges.lazy.map(\.request.url).first { $0.path == "/authorize" }
        let used = JSONValue.string(try #require(request?.queryItems.first("redirect_uri")))
        let added = recording.configuring("GET") { $0["redirect_uris"] = .array([used]) }
        #expect(added.finding(rule) == nil)
        let taken = recording.editingAnswer(of: "/register") { $0["redirect_uris"] = .array([used]) }
        #expect(taken.finding(rule) == nil)
        let finding = taken.configuring("PUT") { $0["redirect_uris"] = ["https://app.example/other"] }
            .finding(rule)
        #expect(finding?.evidence.first?.place.exchange == recording.exchanges.count)
    }
}
